// Writes the lines that a filter keeps, and those that it drops.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "attend/core/files/atomic_lines.h"
#include "attend/data/filter/options.h"
#include "attend/data/filter/text_pair.h"

namespace attend {

struct FilteredFiles {
  std::string src;  // or the file of the only text, or of the pairs
  std::string tgt;  // if parallel
  // Dropped lines: position, rule, source and target, or why there is no text; empty: not written.
  std::string rejected;
  std::string tag;  // set before every source, with a space; empty: none
};

// Files as they were read, each complete or not there at all.
class PairWriter {
 public:
  // Throws ConfigError for files with the same name and for a tag with white space; IoError for a
  // file that cannot be written, as all functions do.
  PairWriter(const FilteredFiles& files, PairLayout layout);

  void keep(const TextPair& pair);
  // `where`: "in.en:17". A tab inside a text becomes a space, as tabs separate the columns.
  void reject(const TextPair& pair, FilterRule rule, std::string_view where);
  bool writes_rejected() const { return rejected_.has_value(); }
  void commit();

 private:
  PairLayout layout_;
  std::string tag_;
  AtomicLines src_;
  std::optional<AtomicLines> tgt_, rejected_;
};

}  // namespace attend
