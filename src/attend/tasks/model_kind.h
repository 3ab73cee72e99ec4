// What a model file is for: "attend.task" in its metadata.
#pragma once

#include <string_view>

#include "attend/checkpoint/checkpoint.h"
#include "attend/text/tokenizer.h"

namespace attend {

inline constexpr std::string_view kTranslation = "translation";
inline constexpr std::string_view kClassification = "classification";
inline constexpr std::string_view kLanguageModelling = "language modelling";

// Throws DataError unless the file is a model for `task`: one line that says what it is for.
void require_task(const Checkpoint& checkpoint, std::string_view task);

// The tokenizer in the tensor `name`. Throws DataError when it is missing or damaged.
Tokenizer read_tokenizer(const Checkpoint& checkpoint, std::string_view name = "tokenizer");

}  // namespace attend
