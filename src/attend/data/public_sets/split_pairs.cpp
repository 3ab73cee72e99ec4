#include "attend/data/public_sets/split_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "attend/core/files/lines.h"
#include "attend/core/random/random.h"
#include "attend/core/strings/counted.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"

namespace attend {

bool next_text(LineReader& lines, std::string& line) {
  try {
    return lines.next(line);
  } catch (const LineError&) {
    line.clear();
    return true;
  }
}

SetLanguages languages_or(const PublicSetOptions& options, const SetLanguages& suggested) {
  return {options.src_lang.empty() ? suggested.src : options.src_lang,
          options.tgt_lang.empty() ? suggested.tgt : options.tgt_lang};
}

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_break = c == '\t' || c == '\n' || c == '\r';
    if (!is_break) line += c;
    if (is_break && !line.empty() && line.back() != ' ') line += ' ';
  }
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  return line.substr(begin, line.find_last_not_of(' ') + 1 - begin);
}

ParallelLines::ParallelLines(const std::filesystem::path& src, const std::filesystem::path& tgt)
    : src_(src.string()), tgt_(tgt.string()) {}

bool ParallelLines::next(SentencePair& pair) {
  const bool has_src = next_text(src_, pair.first), has_tgt = next_text(tgt_, pair.second);
  if (has_src == has_tgt) return has_src;
  LineReader& longer = has_src ? src_ : tgt_;
  for (std::string line; next_text(longer, line);) {
  }
  const auto name = [](const LineReader& lines) {
    return std::filesystem::path(lines.name()).filename().string();
  };
  throw DataError(fmt::format("expected as many lines in {} as in {}, found {} and {}", name(src_),
                              name(tgt_), readable_count(src_.line_number()),
                              readable_count(tgt_.line_number())));
}

DrawnPairs::DrawnPairs(std::int64_t count, std::uint64_t seed)
    : wanted_(static_cast<std::size_t>(count)), key_{seed, stream_of("validation")} {}

void DrawnPairs::add(std::string_view src, std::string_view tgt) {
  if (wanted_ == 0) return;
  const std::uint64_t hash = keyed_hash(src, key_);
  if (count_ >= wanted_ && hash > by_hash_.rbegin()->first) return;
  std::vector<SentencePair>& group = by_hash_[hash];
  if (group.size() == wanted_) return;
  group.emplace_back(src, tgt);
  ++count_;
  while (count_ - by_hash_.rbegin()->second.size() >= wanted_) {
    count_ -= by_hash_.rbegin()->second.size();
    by_hash_.erase(std::prev(by_hash_.end()));
  }
}

std::vector<SentencePair> DrawnPairs::take(std::int64_t most) const {
  const std::size_t limit = std::min(static_cast<std::size_t>(most), wanted_);
  std::vector<SentencePair> taken;
  for (const auto& [hash, group] : by_hash_)
    for (const SentencePair& pair : group)
      if (taken.size() < limit) taken.push_back(pair);
  return taken;
}

SplitPairs::SplitPairs(SetFolder& folder, SetLanguages languages, const PublicSetOptions& options,
                       std::int64_t valid_pairs)
    : folder_(folder),
      languages_(std::move(languages)),
      valid_pairs_(valid_pairs),
      drawn_(valid_pairs, options.seed) {
  if (valid_pairs == 0) return;
  src_ = std::make_unique<AtomicLines>(folder_.scratch("all.src"));
  tgt_ = std::make_unique<AtomicLines>(folder_.scratch("all.tgt"));
}

void SplitPairs::write(const std::string& part, const SentencePair& pair) {
  folder_.file(fmt::format("{}.{}", part, languages_.src)).add_line(pair.first);
  folder_.file(fmt::format("{}.{}", part, languages_.tgt)).add_line(pair.second);
}

void SplitPairs::add(std::string_view src, std::string_view tgt) {
  const SentencePair pair(one_line(src), one_line(tgt));
  if (is_blank(pair.first) || is_blank(pair.second) || !is_utf8(pair.first) ||
      !is_utf8(pair.second)) {
    ++empty_;
    return;
  }
  ++pairs_;
  if (valid_pairs_ == 0) return write("train", pair);
  drawn_.add(pair.first, pair.second);
  src_->add(pair.first);
  src_->end_line();
  tgt_->add(pair.second);
  tgt_->end_line();
}

void SplitPairs::write_train(const std::vector<SentencePair>& valid) {
  std::unordered_set<std::string> sources, targets;
  for (const auto& [src, tgt] : valid) {
    sources.insert(src);
    targets.insert(tgt);
  }
  std::int64_t shared = -std::ssize(valid);
  ParallelLines all(folder_.scratch("all.src"), folder_.scratch("all.tgt"));
  for (SentencePair pair; all.next(pair);) {
    const bool is_held_out = sources.contains(pair.first) || targets.contains(pair.second);
    if (is_held_out) ++shared;
    if (!is_held_out) write("train", pair);
  }
  if (shared > 0)
    folder_.add_note(
        fmt::format("{} left out: a sentence is in the validation text", counted(shared, "pair")));
}

void SplitPairs::finish() {
  if (empty_ > 0)
    folder_.add_note(
        fmt::format("{} left out: a side is empty or no text", counted(empty_, "pair")));
  if (pairs_ == 0)
    throw DataError(fmt::format("expected pairs of sentences in {} and {}, found none",
                                languages_.src, languages_.tgt));
  if (valid_pairs_ == 0) return;
  src_->commit();
  tgt_->commit();
  const std::vector<SentencePair> valid = drawn_.take(pairs_ / 10);
  write_train(valid);
  for (const SentencePair& pair : valid) write("valid", pair);
}

}  // namespace attend
