// Reads the text that is filtered, line by line.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "attend/core/files/lines.h"
#include "attend/data/filter/text_pair.h"

namespace attend {

// Files, plain, gzip or zstd, which are read one after the other.
struct PairFiles {
  PairLayout layout = PairLayout::parallel;
  std::vector<std::string> src;  // or the files of the only text, or of the pairs
  std::vector<std::string> tgt;  // as many, if parallel
};

// In bounded memory: a pair at a time.
class PairReader {
 public:
  // Throws ConfigError without files, or if there are not as many targets as sources; IoError for a
  // file that cannot be read.
  explicit PairReader(PairFiles files);

  // Reads the next line or pair; false at the end. One that is no text is no error: pair.fault says
  // why. Throws DataError if one file of a pair has more lines than the other, naming both counts,
  // and as LineReader does for what is wrong with a whole file.
  bool next(TextPair& pair);

  // "in.en:17"
  std::string where(const TextPair& pair) const;
  bool in_pairs() const { return files_.layout != PairLayout::single; }

 private:
  void open();
  bool read_from_files(TextPair& pair);
  void split(TextPair& pair) const;
  [[noreturn]] void refuse_unequal();

  PairFiles files_;
  std::vector<std::string> names_;  // of the files opened so far
  std::size_t file_ = 0;
  std::unique_ptr<LineReader> src_, tgt_;
};

}  // namespace attend
