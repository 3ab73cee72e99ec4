// Text for a language model: one stream of tokens, in windows.
//
// The stream of lines is   eos line1 eos line2 eos ...   : every line follows an end of line, the
// first one too, and an empty line is just an eos. The target of position t is position t+1, so
// there are as many targets as tokens and line ends. Documents are as their tokenizer has them,
// each with an eos behind it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/data/batching/batch_plan.h"
#include "attend/data/stored/token_stream.h"
#include "attend/nn/ragged.h"
#include "attend/text/tokenizer.h"

namespace attend {

// What is one text for a model.
enum class TextUnit { lines, documents };

// What was read of a text.
struct LanguageCounts {
  std::int64_t documents = 0;  // 0: the units are lines
  std::int64_t lines = 0;
  std::int64_t empty_lines = 0;
  // Code points, plus one per line that is a unit: for bits per character.
  std::int64_t characters = 0;
  // Separated by white space: for perplexity per word with any tokenizer.
  std::int64_t words = 0;

  LanguageCounts& operator+=(const LanguageCounts& more);
  // "36718 lines (12951 empty), 2051910 words, 2088628 tokens". One line, to print.
  std::string summary(std::int64_t targets) const;
};

template <class Visitor>
void fields(LanguageCounts& o, Visitor&& visit) {
  visit("documents", o.documents, kCounts, "documents that were read; 0: lines");
  visit("lines", o.lines, kCounts, "lines that were read");
  visit("empty-lines", o.empty_lines, kCounts, "lines without a token");
  visit("characters", o.characters, kCounts, "code points, with one for each end of line");
  visit("words", o.words, kCounts, "words between white space");
}

// What stands around the units of a stream.
struct StreamFormat {
  TextUnit unit = TextUnit::lines;
  // Around a document. eos alone is not repeated after that of the one before.
  std::vector<std::int32_t> before = {}, after = {};
};

// The lines, words and characters of units; empty ones are not counted apart.
LanguageCounts count_text(std::span<const std::string> units, TextUnit unit);

struct LanguageText : LanguageCounts {
  std::vector<std::int32_t> stream;  // of lines: begins with eos

  std::int64_t targets() const { return static_cast<std::int64_t>(stream.size()) - 1; }
  std::string summary() const { return LanguageCounts::summary(targets()); }
};

// Reads files, plain, gzip or zstd, one after the other. `filter` is optional and applies to the
// readers. Throws like LineReader; ConfigError if there is no file.
LanguageText read_language(std::span<const std::string> files, const Tokenizer& tokenizer,
                           const std::function<void(std::string&)>& filter = {});
// The same for units in memory.
LanguageText encode_language(std::span<const std::string> units, const Tokenizer& tokenizer,
                             const StreamFormat& format = {});
// Adds units to a text.
void append_language(LanguageText& text, std::span<const std::string> units,
                     const Tokenizer& tokenizer, const StreamFormat& format = {});

// B windows of the stream.
struct LanguageBatch {
  Ragged input;
  Ids target;  // N: the token after each input token
  // B: positions of window b from here on count; earlier ones are context.
  std::vector<std::int32_t> first_scored;

  std::int64_t scored() const;  // number of targets that count
};

struct LanguageOptions {
  int sequence_length = 256;
};

template <class Visitor>
void fields(LanguageOptions& o, Visitor&& visit) {
  visit("sequence-length", o.sequence_length, between(1, 1e6),
        "context length: tokens that the model sees at once");
}

// The inputs at positions [begin, end) of a stream; those from `scored` on count.
struct TokenWindow {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t scored = 0;
};

// The windows of several texts that follow each other in a stream, to train on a mixture of them:
// sequence_length targets each, from the beginning of a text on; the last one of a text may be
// shorter. They are the same in every epoch.
class TextWindows {
 public:
  // `targets`: of each text, in the order of the stream. Throws ConfigError for bad options.
  TextWindows(std::span<const std::int64_t> targets, const LanguageOptions& options);

  // How many each text has; those of the first text come first.
  std::span<const std::int64_t> counts() const { return counts_; }
  TokenWindow operator[](std::int64_t window) const;

 private:
  std::vector<std::int64_t> begins_;  // of each text in the stream, and the end
  std::vector<std::int64_t> counts_;
  std::int64_t length_;
};

// Windows of sequence_length for training. The first window starts at a different place in every
// epoch, so that tokens are seen at every distance from the start of a window; the first and the
// last window of an epoch may be shorter. Every target is in exactly one window of an epoch.
// Otherwise like TranslationBatcher.
class LanguageBatcher {
 public:
  // Without a seed windows keep their order and begin with the stream. Throws ConfigError for bad
  // options, DataError if there is nothing to predict.
  LanguageBatcher(std::vector<std::int32_t> stream, const LanguageOptions& options,
                  const BatchOptions& batch_options, std::optional<std::uint64_t> seed);
  // The same for a stream that may be on disk.
  LanguageBatcher(std::shared_ptr<const TokenStream> stream, const LanguageOptions& options,
                  const BatchOptions& batch_options, std::optional<std::uint64_t> seed);
  // Windows of a mixture; `of_epoch`: those of an epoch.
  LanguageBatcher(std::shared_ptr<const TokenStream> stream, TextWindows windows,
                  const BatchOptions& batch_options, std::uint64_t seed,
                  BatchPlanner::Samples of_epoch);

  // As BatchPlanner::limit_batches().
  void limit_batches(std::int64_t tokens) { planner_.limit_batches(tokens); }

  std::int64_t targets() const { return stream_->size() - 1; }
  std::int64_t batches(std::int64_t epoch) const;
  // All targets count. Throws DataError unless 0 <= index < batches(epoch).
  LanguageBatch batch(std::int64_t epoch, std::int64_t index) const;
  // The number of targets in batch(epoch, index).
  std::int64_t size(std::int64_t epoch, std::int64_t index) const;

 private:
  // Calls use(window) for every window of a batch.
  template <class Use>
  void for_each_window(std::int64_t epoch, std::int64_t index, const Use& use) const;

  std::shared_ptr<const TokenStream> stream_;
  std::int64_t length_ = 0;
  std::optional<std::uint64_t> seed_;
  std::optional<TextWindows> texts_;  // of a mixture
  BatchPlanner planner_;
};

// The windows of a document, as transformers has them for perplexity: `length` tokens each,
// `stride` after the one before. A window scores the tokens that those before it do not have;
// nothing predicts its own first one. Throws ConfigError unless 1 <= stride <= length.
std::vector<TokenWindow> document_windows(std::int64_t tokens, int length, int stride);

// Windows for perplexity: each has sequence_length positions and scores `stride` new targets, with
// the sequence_length - stride positions before them as context (fewer at the start of the stream).
// Every target is scored exactly once. A stride of sequence_length is fastest; a stride of 1 gives
// every target the longest context.
class LanguageEvaluationBatcher {
 public:
  // Throws ConfigError unless 1 <= stride <= sequence_length, DataError if there is nothing to
  // predict.
  LanguageEvaluationBatcher(std::vector<std::int32_t> stream, const LanguageOptions& options,
                            int stride, const BatchOptions& batch_options);
  // Given windows, at least one.
  LanguageEvaluationBatcher(std::vector<std::int32_t> stream, std::vector<TokenWindow> windows,
                            const BatchOptions& batch_options);

  std::int64_t batches() const;
  LanguageBatch batch(std::int64_t index) const;

 private:
  std::shared_ptr<const TokenStream> stream_;
  std::int64_t length_ = 0;
  std::int64_t stride_ = 0;
  std::vector<TokenWindow> windows_;  // if they are given
  BatchPlanner planner_;
};

}  // namespace attend
