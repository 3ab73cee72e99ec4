// Continuations of prompts and answers in conversations, whole or as a stream, in the form of
// OpenAI's completions and chat completions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "attend/server/completions/stopped_text.h"
#include "attend/server/models/served_model.h"
#include "attend/server/route.h"

namespace attend {

// A text to continue, and the tokens that the model reads for it.
struct CompletionPrompt {
  std::string text = {};
  std::vector<std::int32_t> ids = {};
};

struct CompletionRequest {
  ServedModelPointer model;  // a generator
  std::vector<CompletionPrompt> prompts = {};
  std::vector<std::int32_t> conversation = {};  // for a chat: its tokens, instead of prompts
  bool in_message = false;         // the conversation ends within a message, whose text continues
  int choices = 1;                 // continuations of each prompt
  GenerationOptions options = {};  // max_tokens may be 0
  std::vector<std::string> stops = {};  // a continuation ends before the first of them
  bool echo = false;                    // the prompt before its continuation
  bool logprobs = false;                // of the tokens, with echo also those of the prompt
  bool token_ids = false;
  bool stream = false;
  bool stream_usage = false;  // the counts of tokens in a last piece of the stream
};

// Queues all continuations and answers the call. Throws what cannot be queued.
void complete(const std::shared_ptr<Call>& call, CompletionRequest request);

}  // namespace attend
