// Pairs of sentences on their way into the files of a set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/core/files/lines.h"
#include "attend/core/random/keyed_hash.h"
#include "attend/data/public_sets/set_folder.h"

namespace attend {

struct SetLanguages {
  std::string src, tgt;
};

using SentencePair = std::pair<std::string, std::string>;

// Returns the languages of the options, or else those suggested.
SetLanguages languages_or(const PublicSetOptions& options, const SetLanguages& suggested);

// Tabs and line breaks as blanks, none at the ends: a cell of a table, a line of a text.
std::string one_line(std::string_view text);

// The next line, empty if it is no text. False at the end.
bool next_text(LineReader& lines, std::string& line);

// Reads `src` and `tgt` side by side. Throws DataError if one has more lines. Lines that are not
// text make a pair with an empty side.
class ParallelLines {
 public:
  ParallelLines(const std::filesystem::path& src, const std::filesystem::path& tgt);
  bool next(SentencePair& pair);

 private:
  LineReader src_, tgt_;
};

// The pairs to set aside for validation: those whose sources have the smallest hashes, so that a
// source is drawn with all of its translations. Memory does not grow with the number of pairs.
class DrawnPairs {
 public:
  DrawnPairs(std::int64_t count, std::uint64_t seed);
  void add(std::string_view src, std::string_view tgt);
  // At most `most` of them.
  std::vector<SentencePair> take(std::int64_t most) const;

 private:
  std::size_t wanted_;
  HashKey key_;
  std::map<std::uint64_t, std::vector<SentencePair>> by_hash_;
  std::size_t count_ = 0;
};

// Writes train.LANGUAGE of pairs whose sides are not empty, and counts the others. With
// `valid_pairs`, it also writes valid.LANGUAGE, and no sentence of these is trained on.
class SplitPairs {
 public:
  SplitPairs(SetFolder& folder, SetLanguages languages, const PublicSetOptions& options,
             std::int64_t valid_pairs);

  void add(std::string_view src, std::string_view tgt);
  // After the last pair.
  void finish();

 private:
  void write(const std::string& part, const SentencePair& pair);
  void write_train(const std::vector<SentencePair>& valid);

  SetFolder& folder_;
  SetLanguages languages_;
  std::int64_t valid_pairs_;
  DrawnPairs drawn_;
  std::unique_ptr<AtomicLines> src_, tgt_;  // with validation: all pairs, until they are split
  std::int64_t pairs_ = 0, empty_ = 0;
};

}  // namespace attend
