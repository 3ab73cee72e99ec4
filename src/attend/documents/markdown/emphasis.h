// Which runs of * _ ~ are emphasis.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace attend::markdown {

// One use of a run: two of them make a mark.
struct EmphasisUse {
  std::size_t size = 1;  // of "**": 2
  std::size_t mark = 0;  // number of the mark
};

// A run of one character.
struct EmphasisRun {
  char character = '*';
  std::size_t size = 0;
  bool may_open = false;
  bool may_close = false;
  std::size_t left = 0;                  // characters that are text
  std::vector<EmphasisUse> closes = {};  // from left to right, before what is left
  std::vector<EmphasisUse> opens = {};   // from right to left, after it
};

// A run [at, end) of a text, by the characters around it.
EmphasisRun emphasis_run(std::string_view text, std::size_t at, std::size_t end);

// Finds the marks among the runs of a block, as CommonMark says.
class EmphasisFinder {
 public:
  // Returns the number of the run.
  std::size_t add(EmphasisRun run);
  std::size_t size() const { return runs_.size(); }
  const EmphasisRun& run(std::size_t i) const { return runs_[i]; }
  // Finds those among the runs from `first` on; no later one joins with them.
  void find_from(std::size_t first);

 private:
  std::size_t opener_of(std::size_t closer, std::size_t bottom) const;
  void join(std::size_t opener, std::size_t closer);
  void remove(std::size_t run);

  std::vector<EmphasisRun> runs_;
  std::vector<std::size_t> before_, after_;  // neighbors among the runs that may still be marks
  std::size_t last_ = kNone;
  std::size_t marks_ = 0;

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
};

}  // namespace attend::markdown
