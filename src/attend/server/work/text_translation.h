// Translating whole texts (documents/translated_text.h) as requests of a client.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "attend/documents/sentences/translated_text.h"
#include "attend/server/models/models.h"
#include "attend/server/route.h"
#include "attend/tasks/text_preparer.h"

namespace attend {

// How a translator translates texts, as a call asks for it.
struct TextTranslation {
  ServedModelPointer model;  // a translator
  std::string source;        // the language of the texts
  TranslationOptions options;
  TextPreparer prepare;
};

// `alternatives`: other translations wanted; there are fewer if the beam is narrower. Throws
// HttpError and ConfigError. Reads the parameters of the call.
TextTranslation text_translation(const Call& call, const ChosenTranslator& chosen,
                                 int alternatives);

// Queues the sentences of all texts as one request and returns; `done` is called once with the
// translations, unless the call fails. Throws HttpError 413 for texts that are longer than the
// queue, and what cannot be queued.
void translate_texts(const std::shared_ptr<Call>& call, const TextTranslation& how,
                     std::vector<SourceText> texts, std::function<void(TranslatedTexts)> done);

}  // namespace attend
