#include "attend/data/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <mutex>

#include "attend/core/options/option_fields.h"
#include "attend/core/strings/counted.h"
#include "attend/core/threads/parallel.h"
#include "attend/error.h"

namespace attend {
namespace {

constexpr std::size_t kPartBytes = std::size_t{32} << 20;

std::span<const std::int32_t> first(std::span<const std::int32_t> ids, std::size_t most) {
  return ids.first(std::min(ids.size(), most));
}

}  // namespace

std::string ParallelText::where(std::int64_t i) const {
  const auto next = std::find_if(origins.begin(), origins.end(),
                                 [i](const Origin& origin) { return origin.first > i; });
  if (next == origins.begin()) return {};
  const Origin& origin = *(next - 1);
  return fmt::format("{}:{}", origin.file, i - origin.first + 1);
}

std::string ReadReport::summary() const {
  const std::string first =
      first_over_long.empty() ? "" : fmt::format("the first: {}", first_over_long);
  std::string text = fmt::format("{}: {} kept", counted(pairs, "pair"), readable_count(kept));
  if (truncated > 0)
    text += fmt::format(" ({} of them truncated to the maximum length{}{})", truncated,
                        first.empty() ? "" : ", ", first);
  std::vector<std::string> reasons;
  if (empty_src > 0) reasons.push_back(fmt::format("{} with an empty source", empty_src));
  if (empty_tgt > 0) reasons.push_back(fmt::format("{} with an empty target", empty_tgt));
  if (over_long > truncated)
    reasons.push_back(fmt::format("{} over-long{}", over_long - truncated,
                                  first.empty() ? "" : fmt::format(" ({})", first)));
  if (!reasons.empty()) text += fmt::format("; skipped: {}", fmt::join(reasons, ", "));
  return text;
}

ParallelReader::ParallelReader(std::span<const std::string> src_files,
                               std::span<const std::string> tgt_files)
    : src_files_(src_files.begin(), src_files.end()),
      tgt_files_(tgt_files.begin(), tgt_files.end()) {
  if (src_files.size() != tgt_files.size() || src_files.empty()) {
    throw ConfigError(fmt::format(
        "found {} source and {} target files, expected equal numbers, at least one of each",
        src_files.size(), tgt_files.size()));
  }
}

bool ParallelReader::append_next(ParallelText& text) {
  for (; file_ < src_files_.size(); ++file_) {
    const bool opens = !src_;
    if (opens) {
      src_.emplace(src_files_[file_]);
      tgt_.emplace(tgt_files_[file_]);
    }
    const bool more_src = src_->next(src_line_);
    const bool more_tgt = tgt_->next(tgt_line_);
    if (more_src != more_tgt) refuse_counts();
    if (more_src) {
      if (opens || text.origins.empty())
        text.origins.push_back({src_files_[file_], std::ssize(text.src) - src_->line_number() + 1});
      text.src.push_back(src_line_);
      text.tgt.push_back(tgt_line_);
      return true;
    }
    src_.reset();
    tgt_.reset();
  }
  return false;
}

bool ParallelReader::read(std::int64_t most, ParallelText& text) {
  text = {};
  std::size_t bytes = 0;
  while (std::ssize(text.src) < most && bytes < kPartBytes && append_next(text))
    bytes += text.src.back().size() + text.tgt.back().size();
  return !text.src.empty();
}

void ParallelReader::refuse_counts() {
  while (src_->next(src_line_)) continue;
  while (tgt_->next(tgt_line_)) continue;
  throw DataError(
      fmt::format("{} has {} lines but {} has {}; expected equal numbers, line i of one "
                  "translating line i of the other",
                  src_files_[file_], src_->line_number(), tgt_files_[file_], tgt_->line_number()));
}

ParallelText read_parallel(std::span<const std::string> src_files,
                           std::span<const std::string> tgt_files) {
  ParallelReader reader(src_files, tgt_files);
  ParallelText text;
  while (reader.append_next(text)) continue;
  return text;
}

std::vector<std::vector<std::int32_t>> encode_all(std::span<const std::string> texts,
                                                  const Tokenizer& tokenizer, SpecialText special) {
  std::vector<std::vector<std::int32_t>> encoded(texts.size());
  parallel_for(static_cast<std::int64_t>(texts.size()), 64,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i)
                   encoded[i] = tokenizer.encode(texts[i], special);
               });
  return encoded;
}

EncodedPairs encode_parallel(const ParallelText& text, const Tokenizer& src_tokenizer,
                             const Tokenizer& tgt_tokenizer, const LengthOptions& options,
                             ReadReport& report) {
  check_options(options);
  const auto src = encode_all(text.src, src_tokenizer);
  const auto tgt = encode_all(text.tgt, tgt_tokenizer);
  const auto most = static_cast<std::size_t>(options.max_length - 1);  // one is for eos
  EncodedPairs pairs;
  RaggedBuilder src_pairs, tgt_pairs;
  for (std::size_t i = 0; i < src.size(); ++i) {
    ++report.pairs;
    if (src[i].empty() || tgt[i].empty()) {
      ++(src[i].empty() ? report.empty_src : report.empty_tgt);
      continue;
    }
    const bool over_long = src[i].size() > most || tgt[i].size() > most;
    if (over_long && report.over_long++ == 0)
      report.first_over_long = text.where(static_cast<std::int64_t>(i));
    if (over_long && options.over_long == OverLong::skip) continue;
    if (over_long) ++report.truncated;
    ++report.kept;
    src_pairs.add(first(src[i], most));
    tgt_pairs.add(first(tgt[i], most));
    pairs.origin.push_back(static_cast<std::int32_t>(i));
  }
  pairs.src = src_pairs.build();
  pairs.tgt = tgt_pairs.build();
  return pairs;
}

}  // namespace attend
