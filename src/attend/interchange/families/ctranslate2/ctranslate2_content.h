// Our models as the variables of CTranslate2: the reverse of ctranslate2_shape.h and
// ctranslate2_names.h. What a model has beyond them is lost here; the caller reads the variables
// back and compares.
#pragma once

#include "attend/checkpoint/checkpoint.h"
#include "attend/interchange/formats/ctranslate2_writing.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/translation/model.h"

namespace attend {

// `values`: the parameters of the model. Throws ConfigError for a network that is no Transformer.
Ctranslate2Content ctranslate2_content(const TranslationModel& model, const Checkpoint& values);
Ctranslate2Content ctranslate2_content(const LanguageModel& model, const Checkpoint& values);

}  // namespace attend
