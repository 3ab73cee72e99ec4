// The chat template of a Hugging Face model directory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "attend/interchange/model_directory.h"
#include "attend/tasks/language/chat.h"

namespace attend {

// From chat_template.jinja, or tokenizer_config.json; nullopt if there is none. One that cannot be
// used is kept, with a remark that says why.
std::optional<ChatFormat> read_chat_format(const ModelDirectory& directory,
                                           const Tokenizer& tokenizer,
                                           std::vector<std::string>& remarks);

// The members of tokenizer_config.json from which it is read again.
nlohmann::json chat_settings(const ChatFormat& format, const Tokenizer& tokenizer);

}  // namespace attend
