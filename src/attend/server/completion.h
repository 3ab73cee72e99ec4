// Continuations of prompts and answers in conversations, whole or as a stream, in the form of
// OpenAI's completions and chat completions.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "attend/server/jobs.h"
#include "attend/server/route.h"
#include "attend/server/served_model.h"

namespace attend {

struct CompletionRequest {
  ServedModelPointer model;  // a generator
  std::vector<std::string> prompts = {};
  std::vector<std::int32_t> conversation = {};  // for a chat: its tokens, instead of prompts
  int choices = 1;                              // continuations of each prompt
  GenerationOptions options = {};
  std::vector<std::string> stops = {};  // a continuation ends before the first of them
  bool echo = false;                    // the prompt before its continuation
  bool logprobs = false;
  bool stream = false;
  bool stream_usage = false;  // the counts of tokens in a last piece of the stream
};

// A text that grows and ends before the first of some strings. What may become one of them is held
// back.
class StoppedText {
 public:
  explicit StoppedText(std::vector<std::string> stops);

  // What of the text is certain and was not returned before.
  std::string add(std::string_view more);
  // The rest, at the end of the text.
  std::string finish();
  bool is_stopped() const { return stopped_; }
  // All that was returned, and what is held back.
  const std::string& text() const { return text_; }
  const std::string& held() const { return held_; }

 private:
  std::vector<std::string> stops_;
  std::string text_;
  std::string held_;
  bool stopped_ = false;
};

// Queues all continuations and answers the call. Throws what cannot be queued.
void complete(const std::shared_ptr<Call>& call, CompletionRequest request);

}  // namespace attend
