// A regular expression that cuts text into parts, as byte-level BPE models bring along. Private to
// text/.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

namespace attend::detail {

// Patterns are those of PCRE2 for UTF-8; \s is Unicode's White_Space, as elsewhere. Each match has
// a limit of work that grows with the text, so that no pattern hangs. Immutable; may be used from
// several threads at once.
class SplitPattern {
 public:
  // Throws DataError, with the reason alone, for what is no pattern, and for \w, \b and \Q, which
  // mean something else elsewhere.
  explicit SplitPattern(std::string_view pattern);

  // Cuts each of `parts`, which are UTF-8: every match is a part, and what stands between matches.
  // Throws DataError when the pattern takes too long.
  void split(std::vector<std::string_view>& parts) const;

 private:
  struct Code;
  std::shared_ptr<const Code> code_;
};

}  // namespace attend::detail
