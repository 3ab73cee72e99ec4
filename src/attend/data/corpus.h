// Parallel text: reading, encoding, and a report of skipped pairs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/files/lines.h"
#include "attend/core/options/options.h"
#include "attend/nn/ragged.h"
#include "attend/text/tokenizer.h"

namespace attend {

// The treatment of samples longer than max_length.
enum class OverLong { skip, truncate };

inline std::span<const std::string_view> enum_names(OverLong) {
  static constexpr std::array<std::string_view, 2> kNames{"skip", "truncate"};
  return kNames;
}

struct LengthOptions {
  int max_length = 256;
  OverLong over_long = OverLong::skip;
};

template <class Visitor>
void fields(LengthOptions& o, Visitor&& visit) {
  visit("max-length", o.max_length, between(2, 1e6),
        "longest sentence in tokens, eos included, on either side of a pair");
  visit("over-long", o.over_long, "what to do with pairs longer than max-length: skip or truncate");
}

struct ParallelText {
  std::vector<std::string> src;
  std::vector<std::string> tgt;  // tgt[i] translates src[i]

  struct Origin {
    std::string file;  // source file
    // The pair in its first line; negative in a part of a text, if the file begins before it.
    std::int64_t first = 0;
  };
  // The files, by their first pairs; empty: not read from files.
  std::vector<Origin> origins = {};

  // The position of pair i as "file:line" of its source; empty if not read from files.
  std::string where(std::int64_t i) const;
};

// Every pair is counted once: pairs == empty_src + empty_tgt + (over_long - truncated) + kept.
struct ReadReport {
  std::int64_t pairs = 0;
  std::int64_t empty_src = 0;  // skipped: empty source
  std::int64_t empty_tgt = 0;  // skipped: empty target, nonempty source
  std::int64_t over_long = 0;  // longer than max_length on either side
  std::int64_t truncated = 0;  // those of them truncated and kept; the others were skipped
  std::int64_t kept = 0;
  std::string first_over_long = {};  // its position, if read from a file

  // "29000 pairs: 28994 kept; skipped: 2 with an empty source, 1 with an empty target, 3 over-long
  // (the first: train.en:17)". One line, to print.
  std::string summary() const;
};

template <class Visitor>
void fields(ReadReport& o, Visitor&& visit) {
  visit("pairs", o.pairs, kCounts, "pairs that were read");
  visit("empty-src", o.empty_src, kCounts, "skipped for an empty source");
  visit("empty-tgt", o.empty_tgt, kCounts, "skipped for an empty target");
  visit("over-long", o.over_long, kCounts, "pairs with a side that is too long");
  visit("truncated", o.truncated, kCounts, "those of them that were truncated and kept");
  visit("kept", o.kept, kCounts, "pairs that are left");
  visit("first-over-long", o.first_over_long, "position of the first pair that is too long");
}

// Reads pairs of files, plain, gzip or zstd, one after the other, in parts that fit into memory:
// line i of a source file translates to line i of its target file. Keeps every line.
class ParallelReader {
 public:
  // Throws ConfigError unless there are as many files on both sides, and at least one.
  ParallelReader(std::span<const std::string> src_files, std::span<const std::string> tgt_files);

  // Replaces `text` by the next pairs, `most` of them or about 32 MiB, whichever is less. Returns
  // false at the end, where there are none. Throws DataError if the line counts of a pair of files
  // differ (naming both); also like LineReader.
  bool read(std::int64_t most, ParallelText& text);
  // Appends the next pair. Returns false at the end. Throws like read().
  bool append_next(ParallelText& text);

 private:
  [[noreturn]] void refuse_counts();

  std::vector<std::string> src_files_, tgt_files_;
  std::size_t file_ = 0;
  std::optional<LineReader> src_, tgt_;  // of file_, once opened
  std::string src_line_, tgt_line_;
};

// All pairs of the files. Throws like ParallelReader.
ParallelText read_parallel(std::span<const std::string> src_files,
                           std::span<const std::string> tgt_files);

// Pairs of ids, without bos and eos.
struct EncodedPairs {
  Ragged src;
  Ragged tgt;
  // Pair i was pair origin[i] of the text; empty if unknown.
  std::vector<std::int32_t> origin = {};
};

// Encodes on all threads; the result does not depend on their number. Adds to `report`.
EncodedPairs encode_parallel(const ParallelText& text, const Tokenizer& src_tokenizer,
                             const Tokenizer& tgt_tokenizer, const LengthOptions& options,
                             ReadReport& report);

// Encodes every text on all threads.
std::vector<std::vector<std::int32_t>> encode_all(std::span<const std::string> texts,
                                                  const Tokenizer& tokenizer,
                                                  SpecialText special = SpecialText::as_text);

}  // namespace attend
