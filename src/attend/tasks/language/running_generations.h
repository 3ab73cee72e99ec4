// Prompts of a language model that are continued together. They join at any step and leave when
// done.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "attend/decode/running_batch.h"
#include "attend/decode/scorers/language_scorer.h"
#include "attend/generator.h"
#include "attend/tasks/language/model.h"
#include "attend/text/text_stream.h"

namespace attend {

// A prompt to continue.
struct GenerationPrompt {
  std::vector<std::int32_t> stream;  // its tokens
  std::vector<std::int32_t> begun;   // those of the text that continues: its last line, or all
  GenerationOptions options;         // n_best samples, or the n_best of beam search
  std::uint64_t sample = 0;          // the stream of random numbers of the first sample
  std::function<void(const GeneratedToken&)> grow = {};  // receives every token that is sampled
  bool is_conversation = false;  // line breaks are characters, and an end of the model ends it
};

// Tokens that are never written: in lines, unless their format says what is, those without text but
// eos. A vocabulary may have one token for bos and eos, or lack some.
std::vector<std::int32_t> unwritten_tokens(const LanguageModel& model);

// The options of beam search among these.
BeamSearchOptions search_options(const GenerationOptions& options);

class RunningGenerations {
 public:
  explicit RunningGenerations(std::shared_ptr<const LanguageModel> model);

  // Returns the number of the prompt: from 0, one after the other. If this throws, it has not
  // joined.
  std::size_t join(GenerationPrompt prompt);
  // A prompt leaves without an outcome.
  void leave(std::size_t prompt);
  bool empty() const { return running_.empty(); }

  // One token for every continuation, or a part of the prompt. Returns the prompts that are done.
  // If this throws, all others are lost.
  std::vector<Outcome<std::vector<Generation>>> step();

 private:
  // The growing text of a sample, which is delivered in whole characters.
  class Writer {
   public:
    // The begun text of the prompt is not written again.
    Writer(const LanguageModel& model, const GenerationPrompt& prompt);
    // -> what the token completes.
    std::string add(std::int32_t token);
    std::size_t tokens() const { return tokens_; }
    // The whole text.
    std::string finish();

   private:
    // What the prompt itself ends with, if no token has completed it, belongs to the prompt.
    std::string without_cut(std::string more);

    std::int32_t line_end_;  // the token that ends a line; -1: none
    TextStream stream_;
    std::string cut_;  // U+FFFD for a character that ids of the prompt have begun
    std::string text_;
    std::size_t tokens_ = 0;
  };
  struct Running {
    GenerationPrompt prompt;
    std::vector<Writer> writers;  // of each sample
  };

  RunningBatch::Search search(const GenerationPrompt& prompt, const DecodeRequest& arrival) const;
  // Writes tokens that a continuation has and its writer has not.
  void write(Running& running, std::size_t item, std::span<const std::int32_t> ids,
             const Hypothesis& found);
  std::vector<Generation> continuations(Running& running, const std::vector<Hypothesis>& found);

  std::shared_ptr<const LanguageModel> model_;
  LanguageScorer scorer_;
  RunningBatch batch_;
  std::map<std::size_t, Running> running_;
  std::size_t next_ = 0;
};

}  // namespace attend
