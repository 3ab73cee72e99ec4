// What a translation must not change: placeholders, addresses, tags, code.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/text/split_pattern.h"

namespace attend {

// Bytes [begin, end) of a text.
struct ProtectedSpan {
  enum class Kind {
    text,    // stands for words: {name}
    number,  // stands for a number: %d
    tag      // stands for nothing that is said: <b>
  };
  std::size_t begin = 0;
  std::size_t end = 0;
  Kind kind = Kind::text;

  bool operator==(const ProtectedSpan&) const = default;
};

// Finds spans of text. Immutable; may be used from several threads at once.
class SpanPatterns {
 public:
  // Nothing is protected.
  SpanPatterns() = default;
  // Regular expressions, and the names "common" (the patterns below) and "none" (nothing, which
  // stands alone). Throws ConfigError, naming the option "protect", for an invalid pattern.
  //
  // common: {x}, {{ x }}, {% x %}, ${x}, #{x}, %{x}, $NAME; %s, %1$s, %-5.2f, %(name)d, %1, %%;
  // tags and entities of HTML and XML; code in backticks; URLs and e-mail addresses.
  explicit SpanPatterns(std::span<const std::string> patterns);

  bool empty() const { return patterns_.empty(); }

  // What the patterns match: in order, apart, none blank. Matches that touch or overlap are one
  // span, unless they are tags, and so are those with only punctuation between, as in %d/%d. A
  // letter or digit of an alphabet that touches a match belongs to its span. None in a text that is
  // not UTF-8.
  std::vector<ProtectedSpan> find(std::string_view text) const;

 private:
  struct Pattern {
    detail::SplitPattern pattern;
    std::string_view signs;  // a text without any of these characters has no match; empty: it may
    ProtectedSpan::Kind kind = ProtectedSpan::Kind::text;
  };
  std::vector<Pattern> patterns_;
};

}  // namespace attend
