#include "attend/data/language.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "attend/core/files/lines.h"
#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/random/random.h"
#include "attend/core/strings/counted.h"
#include "attend/core/strings/utf8.h"
#include "attend/data/corpus.h"
#include "attend/error.h"

namespace attend {
namespace {

// Encoded together; bounds the memory while reading a file.
constexpr std::size_t kLinesAtOnce = 8192;

std::int64_t count_words(std::string_view line) {
  std::int64_t words = 0;
  bool inside = false;
  for (std::size_t at = 0; at < line.size();) {
    const bool space = is_white_space(next_code_point(line, at));
    if (!space && !inside) ++words;
    inside = !space;
  }
  return words;
}

// Windows of a stream, one after the other.
class BatchOfWindows {
 public:
  explicit BatchOfWindows(const TokenStream& stream) : stream_(stream) {}

  void add(const TokenWindow& window) {
    const auto length = static_cast<std::size_t>(window.end - window.begin);
    ids_.resize(length + 1);
    stream_.read(window.begin, ids_);
    input_.add(std::span(ids_).first(length));
    targets_.insert(targets_.end(), ids_.begin() + 1, ids_.end());
    first_scored_.push_back(static_cast<std::int32_t>(window.scored - window.begin));
  }
  LanguageBatch build() { return {input_.build(), std::move(targets_), std::move(first_scored_)}; }

 private:
  const TokenStream& stream_;
  RaggedBuilder input_;
  std::vector<std::int32_t> targets_, first_scored_;
  std::vector<std::int32_t> ids_;  // of a window
};

std::int64_t targets_of(const TokenStream& stream) { return stream.size() - 1; }

// The number of positions of the first window that precede the stream.
std::int64_t shift_of(std::optional<std::uint64_t> seed, std::int64_t epoch, std::int64_t length) {
  if (!seed) return 0;
  Random random(RandomKey{*seed, stream_of(fmt::format("language.shift.epoch.{}", epoch))});
  return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(length)));
}

// Window i of an epoch: the part of [i * length - shift, (i + 1) * length - shift) inside [0,
// targets).
TokenWindow training_window(std::int64_t i, std::int64_t length, std::int64_t shift,
                            std::int64_t targets) {
  const std::int64_t begin = std::max<std::int64_t>(i * length - shift, 0);
  return {begin, std::min((i + 1) * length - shift, targets), begin};
}

// Window i scores [i * stride, (i + 1) * stride) and extends back as far as the length allows.
TokenWindow evaluation_window(std::int64_t i, std::int64_t length, std::int64_t stride,
                              std::int64_t targets) {
  const std::int64_t end = std::min((i + 1) * stride, targets);
  return {std::max<std::int64_t>((i + 1) * stride - length, 0), end, i * stride};
}

void check(const TokenStream& stream, const LanguageOptions& options) {
  check_options(options);
  if (stream.size() < 2)
    throw DataError("the text has no token to predict; expected at least one line");
}

// The lengths of the windows 0, 1, ... that make_window gives.
template <class MakeWindow>
std::vector<std::int32_t> lengths_of(std::int64_t count, const MakeWindow& make_window) {
  std::vector<std::int32_t> lengths(count);
  for (std::int64_t i = 0; i < count; ++i) {
    const TokenWindow window = make_window(i);
    lengths[i] = static_cast<std::int32_t>(window.end - window.begin);
  }
  return lengths;
}

BatchPlanner::Costs training_costs(const TokenStream& stream, const LanguageOptions& options,
                                   std::optional<std::uint64_t> seed) {
  check(stream, options);
  const std::int64_t targets = targets_of(stream);
  const std::int64_t length = options.sequence_length;
  return [=](std::int64_t epoch) {
    const std::int64_t shift = shift_of(seed, epoch, length);
    return lengths_of((targets + shift + length - 1) / length,
                      [=](std::int64_t i) { return training_window(i, length, shift, targets); });
  };
}

BatchPlanner::Costs mixed_costs(const TextWindows& windows) {
  const std::int64_t count =
      std::accumulate(windows.counts().begin(), windows.counts().end(), std::int64_t{0});
  return [lengths = lengths_of(count, [&](std::int64_t i) { return windows[i]; })](std::int64_t) {
    return lengths;
  };
}

std::vector<std::int32_t> evaluation_costs(const TokenStream& stream,
                                           const LanguageOptions& options, int stride) {
  check(stream, options);
  if (stride < 1 || stride > options.sequence_length) {
    throw OptionError<ConfigError>("stride is {}, expected 1 to {}, {}", stride,
                                   as_key("sequence-length"), options.sequence_length);
  }
  const std::int64_t targets = targets_of(stream);
  return lengths_of((targets + stride - 1) / stride, [&](std::int64_t i) {
    return evaluation_window(i, options.sequence_length, stride, targets);
  });
}

}  // namespace

LanguageCounts& LanguageCounts::operator+=(const LanguageCounts& more) {
  documents += more.documents;
  lines += more.lines;
  empty_lines += more.empty_lines;
  characters += more.characters;
  words += more.words;
  return *this;
}

std::string LanguageCounts::summary(std::int64_t targets) const {
  const std::string of_words =
      fmt::format("{}, {}", counted(words, "word"), counted(targets, "token"));
  if (documents > 0)
    return fmt::format("{} of {}, {}", counted(documents, "document"), counted(lines, "line"),
                       of_words);
  return fmt::format("{} ({} empty), {}", counted(lines, "line"), empty_lines, of_words);
}

LanguageText read_language(std::span<const std::string> files, const Tokenizer& tokenizer,
                           const std::function<void(std::string&)>& filter) {
  if (files.empty()) throw ConfigError("found no text file, expected at least one");
  LanguageText text;
  std::vector<std::string> lines;
  for (const std::string& file : files) {
    std::string line;
    LineReader reader(file);
    if (filter) reader.set_filter(filter);
    while (reader.next(line)) {
      lines.push_back(line);
      if (lines.size() < kLinesAtOnce) continue;
      append_language(text, lines, tokenizer);
      lines.clear();
    }
  }
  append_language(text, lines, tokenizer);
  return text;
}

LanguageText encode_language(std::span<const std::string> units, const Tokenizer& tokenizer,
                             const StreamFormat& format) {
  LanguageText text;
  append_language(text, units, tokenizer, format);
  return text;
}

namespace {

void append_line(LanguageText& text, const std::vector<std::int32_t>& ids, std::int32_t eos) {
  text.stream.insert(text.stream.end(), ids.begin(), ids.end());
  text.stream.push_back(eos);
  if (ids.empty()) ++text.empty_lines;
}

void append_document(LanguageText& text, const std::vector<std::int32_t>& ids, std::int32_t eos,
                     const StreamFormat& format) {
  const bool is_begun = !text.stream.empty() && text.stream.back() == eos &&
                        format.before == std::vector<std::int32_t>{eos};
  if (!is_begun) text.stream.insert(text.stream.end(), format.before.begin(), format.before.end());
  for (const auto* part : {&ids, &format.after})
    text.stream.insert(text.stream.end(), part->begin(), part->end());
  if (text.stream.empty() || text.stream.back() != eos) text.stream.push_back(eos);
}

// Counts the lines of a document: the last one may lack its line break.
std::int64_t count_lines(std::string_view document) {
  return std::count(document.begin(), document.end(), '\n') +
         (document.empty() || document.back() == '\n' ? 0 : 1);
}

}  // namespace

LanguageCounts count_text(std::span<const std::string> units, TextUnit unit) {
  const bool has_lines = unit == TextUnit::lines;
  LanguageCounts counts;
  (has_lines ? counts.lines : counts.documents) = std::ssize(units);
  for (const std::string& one : units) {
    counts.words += count_words(one);
    counts.characters += static_cast<std::int64_t>(count_code_points(one)) + (has_lines ? 1 : 0);
    if (!has_lines) counts.lines += count_lines(one);
  }
  return counts;
}

void append_language(LanguageText& text, std::span<const std::string> units,
                     const Tokenizer& tokenizer, const StreamFormat& format) {
  const std::int32_t eos = tokenizer.eos_id();
  const bool has_lines = format.unit == TextUnit::lines;
  if (has_lines && text.stream.empty()) text.stream.push_back(eos);
  const SpecialText special = has_lines ? SpecialText::as_text : SpecialText::as_tokens;
  for (const auto& ids : encode_all(units, tokenizer, special)) {
    if (has_lines) {
      append_line(text, ids, eos);
    } else {
      append_document(text, ids, eos, format);
    }
  }
  text += count_text(units, format.unit);
}

std::int64_t LanguageBatch::scored() const {
  return input.tokens() -
         std::accumulate(first_scored.begin(), first_scored.end(), std::int64_t{0});
}

LanguageBatcher::LanguageBatcher(std::vector<std::int32_t> stream, const LanguageOptions& options,
                                 const BatchOptions& batch_options,
                                 std::optional<std::uint64_t> seed)
    : LanguageBatcher(std::make_shared<const TokensInMemory>(std::move(stream)), options,
                      batch_options, seed) {}

LanguageBatcher::LanguageBatcher(std::shared_ptr<const TokenStream> stream,
                                 const LanguageOptions& options, const BatchOptions& batch_options,
                                 std::optional<std::uint64_t> seed)
    : stream_(std::move(stream)),
      length_(options.sequence_length),
      seed_(seed),
      planner_(training_costs(*stream_, options, seed), batch_options, seed) {}

TextWindows::TextWindows(std::span<const std::int64_t> targets, const LanguageOptions& options)
    : begins_{0}, length_(options.sequence_length) {
  check_options(options);
  for (const std::int64_t of_text : targets) {
    counts_.push_back((of_text + length_ - 1) / length_);
    begins_.push_back(begins_.back() + of_text);
  }
}

TokenWindow TextWindows::operator[](std::int64_t window) const {
  std::size_t text = 0;
  for (; window >= counts_[text]; ++text) window -= counts_[text];
  const std::int64_t begin = begins_[text] + window * length_;
  return {begin, std::min(begin + length_, begins_[text + 1]), begin};
}

LanguageBatcher::LanguageBatcher(std::shared_ptr<const TokenStream> stream, TextWindows windows,
                                 const BatchOptions& batch_options, std::uint64_t seed,
                                 BatchPlanner::Samples of_epoch)
    : stream_(std::move(stream)),
      texts_(std::move(windows)),
      planner_(mixed_costs(*texts_), batch_options, seed, std::move(of_epoch)) {}

std::int64_t LanguageBatcher::batches(std::int64_t epoch) const {
  return planner_.plan(epoch)->batches();
}

template <class Use>
void LanguageBatcher::for_each_window(std::int64_t epoch, std::int64_t index,
                                      const Use& use) const {
  const auto plan = planner_.plan(epoch);
  const std::int64_t shift = texts_ ? 0 : shift_of(seed_, epoch, length_);
  for (const std::int32_t i : (*plan)[index])
    use(texts_ ? (*texts_)[i] : training_window(i, length_, shift, targets()));
}

LanguageBatch LanguageBatcher::batch(std::int64_t epoch, std::int64_t index) const {
  BatchOfWindows batch(*stream_);
  for_each_window(epoch, index, [&batch](const TokenWindow& window) { batch.add(window); });
  return batch.build();
}

std::int64_t LanguageBatcher::size(std::int64_t epoch, std::int64_t index) const {
  std::int64_t size = 0;
  for_each_window(epoch, index,
                  [&size](const TokenWindow& window) { size += window.end - window.begin; });
  return size;
}

LanguageEvaluationBatcher::LanguageEvaluationBatcher(std::vector<std::int32_t> stream,
                                                     const LanguageOptions& options, int stride,
                                                     const BatchOptions& batch_options)
    : stream_(std::make_shared<const TokensInMemory>(std::move(stream))),
      length_(options.sequence_length),
      stride_(stride),
      planner_(evaluation_costs(*stream_, options, stride), batch_options, std::nullopt) {}

namespace {

std::vector<std::int32_t> lengths_of(const std::vector<TokenWindow>& windows) {
  return lengths_of(std::ssize(windows),
                    [&](std::int64_t i) { return windows[static_cast<std::size_t>(i)]; });
}

}  // namespace

std::vector<TokenWindow> document_windows(std::int64_t tokens, int length, int stride) {
  if (stride < 1 || stride > length)
    throw ConfigError(
        fmt::format("stride is {}, expected 1 to the tokens of a window, {}", stride, length));
  std::vector<TokenWindow> windows;
  for (std::int64_t begin = 0, before = 0; before < tokens; begin += stride) {
    const std::int64_t end = std::min(begin + length, tokens);
    // The inputs at [begin, end - 1) predict the tokens after them.
    const std::int64_t scored = std::max(before - 1, begin);
    if (scored < end - 1) windows.push_back({begin, end - 1, scored});
    before = end;
  }
  return windows;
}

LanguageEvaluationBatcher::LanguageEvaluationBatcher(std::vector<std::int32_t> stream,
                                                     std::vector<TokenWindow> windows,
                                                     const BatchOptions& batch_options)
    : stream_(std::make_shared<const TokensInMemory>(std::move(stream))),
      windows_(std::move(windows)),
      planner_(lengths_of(windows_), batch_options, std::nullopt) {}

std::int64_t LanguageEvaluationBatcher::batches() const { return planner_.plan(0)->batches(); }

LanguageBatch LanguageEvaluationBatcher::batch(std::int64_t index) const {
  const auto plan = planner_.plan(0);
  BatchOfWindows batch(*stream_);
  for (const std::int32_t i : (*plan)[index])
    batch.add(windows_.empty() ? evaluation_window(i, length_, stride_, targets_of(*stream_))
                               : windows_[static_cast<std::size_t>(i)]);
  return batch.build();
}

}  // namespace attend
