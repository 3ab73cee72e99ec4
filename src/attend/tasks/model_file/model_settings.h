// What a model file says about itself besides what the model computes. It can be changed at any
// time (attend info --set).
//
//   metadata   attend.name         what a server calls the model
//              attend.description  the model in words
//
// Languages and the chat template stand where each kind of model has them: attend.text_kind.SIDE
// (saved_model.h), attend.pair_format, attend.chat.
#pragma once

#include <string>
#include <string_view>

#include "attend/checkpoint/checkpoint.h"

namespace attend {

inline constexpr const char* kNameKey = "attend.name";
inline constexpr const char* kDescriptionKey = "attend.description";

// Changes a setting as set_model_settings() says (attend/model_file.h).
void change_setting(Checkpoint& model, std::string_view key, const std::string& value);

}  // namespace attend
