// What the parameters of completions and of chats have in common.
#pragma once

#include <cstdint>

#include "attend/server/completions/completion.h"
#include "attend/server/parameters.h"
#include "attend/server/route.h"

namespace attend {

inline constexpr std::int64_t kMostLikeliest = 20;  // tokens beside each, as in OpenAI's chats

// Without prompts, and without the number of tokens to write.
CompletionRequest completion_request(const Parameters& p, const ServedModelPointer& model);
// The tokens to write: what the request says, from `least` to as many as the server allows.
int most_tokens(const Parameters& p, std::int64_t least, std::int64_t allowed,
                std::int64_t if_absent);

// The route /v1/chat/completions.
void chat(const std::shared_ptr<Call>& call);

}  // namespace attend
