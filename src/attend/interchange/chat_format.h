// The chat template of a Hugging Face model directory.
#pragma once

#include <optional>

#include "attend/interchange/model_directory.h"
#include "attend/tasks/language/chat.h"

namespace attend {

// From chat_template.jinja, or tokenizer_config.json; nullopt if there is none. Throws DataError
// for a template that cannot be read, or that refuses a question of a user.
std::optional<ChatFormat> read_chat_format(const ModelDirectory& directory,
                                           const Tokenizer& tokenizer);

// The members of tokenizer_config.json from which it is read again.
nlohmann::json chat_settings(const ChatFormat& format, const Tokenizer& tokenizer);

}  // namespace attend
