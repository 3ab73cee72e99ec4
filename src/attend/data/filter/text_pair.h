// A line of text that is filtered, or a pair of lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace attend {

struct TextPair {
  std::string src;       // or the only text
  std::string tgt;       // empty if the text is not in pairs
  std::string rest;      // of a line of pairs: what follows the target, from the tab on
  std::size_t file = 0;  // which one of several, and the line of it, from 1
  std::int64_t line = 0;
  std::string fault;  // why it is no text; empty: it is

  std::size_t bytes() const { return src.size() + tgt.size() + rest.size() + fault.size(); }
};

// parallel: two files, line i of one translating line i of the other; tsv: source, tab, target in
// one file; single: text without translations.
enum class PairLayout { parallel, tsv, single };

}  // namespace attend
