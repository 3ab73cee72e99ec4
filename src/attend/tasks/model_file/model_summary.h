// A saved model in a line, for people.
#pragma once

#include <optional>
#include <string>

#include "attend/checkpoint/checkpoint.h"
#include "attend/tasks/model_file/saved_model.h"

namespace attend {

// What the model is for, its vocabularies, the text it knows, how long it was trained and how good
// it was then:
//   translation (en to de), BPE 6000+6000, lower-cased tokenized text, step 12000, BLEU 43.2
// What the file does not say is left out. `checkpoint`: the file that `model` was read from.
std::string model_summary(const Checkpoint& checkpoint, const SavedModel& model);

}  // namespace attend
