// Text for a language model: one stream of tokens, cut into windows.
//
// The stream is   eos line1 eos line2 eos ...   : every line is predicted after an end of line, the
// first one too, and an empty line is an eos. Position t of the stream is an input whose target is
// position t+1, so there are as many targets as tokens and ends of lines.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attend/core/options.h"
#include "attend/data/batch_plan.h"
#include "attend/nn/ragged.h"
#include "attend/text/tokenizer.h"

namespace attend {

struct LanguageText {
  std::vector<std::int32_t> stream;  // begins with eos
  std::int64_t lines = 0;
  std::int64_t empty_lines = 0;
  std::int64_t characters =
      0;  // code points, with an end for each line: to report bits per character
  std::int64_t words =
      0;  // what white space separates: to report perplexity per word whatever the pieces are

  std::int64_t targets() const { return static_cast<std::int64_t>(stream.size()) - 1; }
  // "36718 lines (12951 empty), 2051910 words, 2088628 tokens". One line, for people.
  std::string summary() const;
};

// Reads files, plain or gzip, one after the other. `filter`, if any, is that of the readers. Throws
// as LineReader does; ConfigError when there is no file.
LanguageText read_language(std::span<const std::string> files, const Tokenizer& tokenizer,
                           const std::function<void(std::string&)>& filter = {});
// The same for lines in memory.
LanguageText encode_language(std::span<const std::string> lines, const Tokenizer& tokenizer);

// B windows of the stream.
struct LanguageBatch {
  Ragged input;
  Ids target;  // N: the n-th is the token after the n-th of the input
  std::vector<std::int32_t>
      first_scored;  // B: in window b the positions from here on count, those before are context

  std::int64_t scored() const;  // targets that count
};

struct LanguageOptions {
  int sequence_length = 256;
};

template <class Visitor>
void fields(LanguageOptions& o, Visitor&& visit) {
  visit("sequence-length", o.sequence_length, between(1, 1e6),
        "tokens that the model sees at once");
}

// Windows of sequence_length for training. Where the first one is cut differs from epoch to epoch,
// so that over the epochs every token is seen at every distance from the beginning of its window;
// the first and the last window of an epoch may be shorter. Every target is in exactly one window
// of an epoch. Otherwise as TranslationBatcher.
class LanguageBatcher {
 public:
  // Without a seed the windows keep their order and begin with the stream. Throws ConfigError for
  // bad options, DataError when there is nothing to predict.
  LanguageBatcher(std::vector<std::int32_t> stream, const LanguageOptions& options,
                  const BatchOptions& batch_options, std::optional<std::uint64_t> seed);

  std::int64_t targets() const { return static_cast<std::int64_t>(stream_.size()) - 1; }
  std::int64_t batches(std::int64_t epoch) const;
  // Everything in it is scored. Throws DataError unless 0 <= index < batches(epoch).
  LanguageBatch batch(std::int64_t epoch, std::int64_t index) const;
  // Targets of batch(epoch, index).
  std::int64_t size(std::int64_t epoch, std::int64_t index) const;

 private:
  std::vector<std::int32_t> stream_;
  std::int64_t length_;
  std::optional<std::uint64_t> seed_;
  BatchPlanner planner_;
};

// Windows for measuring perplexity: each is sequence_length long and scores `stride` new targets,
// with the sequence_length - stride positions before them as context (fewer at the beginning of the
// stream). Every target is scored exactly once. A stride of sequence_length is fastest, a stride of
// 1 gives every target the longest context.
class LanguageEvaluationBatcher {
 public:
  // Throws ConfigError unless 1 <= stride <= sequence_length, DataError when there is nothing to
  // predict.
  LanguageEvaluationBatcher(std::vector<std::int32_t> stream, const LanguageOptions& options,
                            int stride, const BatchOptions& batch_options);

  std::int64_t batches() const;
  LanguageBatch batch(std::int64_t index) const;

 private:
  std::vector<std::int32_t> stream_;
  std::int64_t length_;
  std::int64_t stride_;
  BatchPlanner planner_;
};

}  // namespace attend
