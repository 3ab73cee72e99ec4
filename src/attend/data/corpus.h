// Parallel text: read, encoded, and an account of what was left out.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/options.h"
#include "attend/nn/ragged.h"
#include "attend/text/tokenizer.h"

namespace attend {

// What happens to a sample that is longer than max_length.
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
  visit("over-long", o.over_long, "what happens to pairs longer than max-length: skip or truncate");
}

struct ParallelText {
  std::vector<std::string> src;
  std::vector<std::string> tgt;  // tgt[i] translates src[i]

  struct Origin {
    std::string file;  // of the sources
    std::int64_t first = 0;
  };
  std::vector<Origin> origins =
      {};  // the files by their first pairs; none: the text was not read from files

  // Where pair i was read, as "file:line" of its source; empty when the text has no files.
  std::string where(std::int64_t i) const;
};

// Every pair is counted once: pairs == empty_src + empty_tgt + (over_long - truncated) + kept.
struct ReadReport {
  std::int64_t pairs = 0;
  std::int64_t empty_src = 0;  // left out: no token in the source
  std::int64_t empty_tgt = 0;  // left out: none in the target, though the source has some
  std::int64_t over_long = 0;  // longer than max_length on either side
  std::int64_t truncated = 0;  // those of them that were cut and kept; the others were left out
  std::int64_t kept = 0;
  std::string first_over_long = {};  // where it was read, if it was read from a file

  // "29000 pairs: 28994 kept; left out: 2 with an empty source, 1 with an empty target, 3 over-long
  // (the first: train.en:17)". One line, for people.
  std::string summary() const;
};

// Reads pairs of files, plain or gzip, one after the other: line i of a source file translates to
// line i of its target file. Keeps every line. Throws ConfigError when the numbers of files differ;
// DataError when the line counts of a pair differ (both named); as LineReader does.
ParallelText read_parallel(std::span<const std::string> src_files,
                           std::span<const std::string> tgt_files);

// Pairs of ids, without bos and eos.
struct EncodedPairs {
  Ragged src;
  Ragged tgt;
  std::vector<std::int32_t> origin =
      {};  // pair i was pair origin[i] of the text; empty when the text is not known
};

// Encodes on all threads; the result does not depend on how many there are. Adds to `report` what
// became of the pairs.
EncodedPairs encode_parallel(const ParallelText& text, const Tokenizer& src_tokenizer,
                             const Tokenizer& tgt_tokenizer, const LengthOptions& options,
                             ReadReport& report);

// Encodes every text, on all threads.
std::vector<std::vector<std::int32_t>> encode_all(std::span<const std::string> texts,
                                                  const Tokenizer& tokenizer);

}  // namespace attend
