#include "attend/text/text_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "attend/core/files/lines.h"
#include "attend/core/strings/quote.h"
#include "attend/core/strings/unicode.h"

namespace attend {
namespace {

constexpr std::int64_t kLinesToLookAt = 4000;
constexpr std::size_t kMostExamples = 1000;
constexpr double kFewCapitals = 0.002;  // share of letters, for lower-cased text

double ratio(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::int64_t count_unknown(const std::vector<std::int32_t>& ids, const Tokenizer& tokenizer) {
  return std::count(ids.begin(), ids.end(), tokenizer.unk_id());
}

bool is_mark_after_words(char32_t c) {
  return std::u32string_view(U".,;:!?").find(c) != std::u32string_view::npos;
}

}  // namespace

void TextStatistics::add(std::string_view line, const Tokenizer& tokenizer) {
  const std::vector<std::int32_t> ids = tokenizer.encode(line);
  const std::int64_t more = count_unknown(ids, tokenizer);
  tokens += std::ssize(ids);
  unknown += more;
  const std::u32string codes = unicode::decode(line);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const bool capital = unicode::is_upper(codes[i]);
    capitals += capital;
    letters += capital || unicode::is_lower(codes[i]);
    const bool ends_word = i + 1 == codes.size() || unicode::is_space(codes[i + 1]);
    if (i < 2 || !ends_word || !is_mark_after_words(codes[i])) continue;
    const bool apart = unicode::is_space(codes[i - 1]);
    const char32_t word = codes[apart ? i - 2 : i - 1];
    if (!unicode::is_letter(word)) continue;
    ++marks;
    marks_apart += apart;
  }
  if (more == 0 || examples.size() >= kMostExamples) return;
  for (const std::string_view word : unicode::split(line))
    if (count_unknown(tokenizer.encode(word), tokenizer) > 0) ++examples[std::string(word)];
}

TextKind TextStatistics::kind(std::string language) const {
  TextKind kind{std::move(language)};
  kind.lowercased = letters > 0 && ratio(capitals, letters) < kFewCapitals;
  kind.tokenized = ratio(marks_apart, marks) > 0.9;
  kind.unknown = ratio(unknown, tokens);
  return kind;
}

KindSample::KindSample(std::int64_t lines, Tokenizer tokenizer)
    : tokenizer_(std::move(tokenizer)), step_(std::max<std::int64_t>(1, lines / kLinesToLookAt)) {}

void KindSample::add(std::string_view line) {
  if (next_++ % step_ == 0) seen_.add(line, tokenizer_);
}

TextKind kind_of(std::span<const std::string> lines, const Tokenizer& tokenizer,
                 const std::string& language) {
  KindSample sample(std::ssize(lines), tokenizer);
  for (const std::string& line : lines) sample.add(line);
  return sample.kind(language);
}

std::string language_of(std::span<const std::string> files) {
  if (files.empty()) return "";
  const std::string_view name = unpacked_name(files.front());
  const std::size_t dot = name.rfind('.');
  if (dot == name.npos || name.size() - dot != 3) return "";
  const std::string_view code = name.substr(dot + 1);
  const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
  return std::all_of(code.begin(), code.end(), is_small) ? std::string(code) : "";
}

void TextFit::add(std::string_view line) {
  if (is_decided()) return;
  ++lines_;
  seen_.add(line, tokenizer_);
}

bool TextFit::is_decided() const { return lines_ >= kLinesToLookAt; }

bool TextFit::has_unknown_too_many() const {
  const double share = ratio(seen_.unknown, seen_.tokens);
  return share > (kind_ ? 0.02 + 2 * kind_->unknown : 0.05);
}

bool TextFit::has_capitals_too_many() const {
  return kind_ && kind_->lowercased && ratio(seen_.capitals, seen_.letters) > 5 * kFewCapitals;
}

bool TextFit::has_marks_unsplit() const {
  return kind_ && kind_->tokenized && ratio(seen_.marks - seen_.marks_apart, seen_.marks) > 0.5;
}

std::string TextFit::warning() const {
  const bool unknown = has_unknown_too_many();
  if (!unknown && !has_capitals_too_many() && !has_marks_unsplit()) return "";
  std::vector<std::pair<std::int64_t, std::string>> words;
  for (const auto& [word, count] : seen_.examples)
    words.emplace_back(-count, fmt::format("\"{}\"", printable(word, 30)));
  std::sort(words.begin(), words.end());
  std::vector<std::string> examples;
  for (std::size_t i = 0; i < std::min<std::size_t>(words.size(), 3); ++i)
    examples.push_back(words[i].second);
  std::string text = fmt::format("{:.0f} % of the tokens are unknown to this model",
                                 100 * ratio(seen_.unknown, seen_.tokens));
  if (!examples.empty()) text += fmt::format(" ({})", fmt::join(examples, ", "));
  if (!unknown) text = "the text differs from the model's training text";
  if (kind_ && (kind_->lowercased || kind_->tokenized)) {
    text += fmt::format("; it was trained on {}{}{} text", kind_->lowercased ? "lower-cased" : "",
                        kind_->lowercased && kind_->tokenized ? ", " : "",
                        kind_->tokenized ? "tokenized" : "");
  }
  return text;
}

}  // namespace attend
