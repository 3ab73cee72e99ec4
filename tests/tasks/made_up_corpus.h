// Lines of made-up words, for trainings of a few steps.
#pragma once

#include <string>
#include <vector>

#include "attend/core/random/random.h"

namespace attend {

// The same text in three forms: `tgt` is `src` after "the", and `labeled` has every third line
// labeled "one", the others "two".
struct MadeUpCorpus {
  explicit MadeUpCorpus(int lines) {
    static const std::vector<std::string> kWords{"old", "older", "dogs", "seldom",
                                                 "see", "small", "cats", "smaller"};
    Random random({1, 1});
    for (int i = 0; i < lines; ++i) {
      std::string line;
      for (std::uint64_t length = 2 + random.below(9); length > 0; --length)
        line += kWords[random.below(kWords.size())] + " ";
      line.pop_back();
      src += line + "\n";
      tgt += "the " + line + "\n";
      labeled += (i % 3 == 0 ? "one\t" : "two\t") + line + "\n";
    }
  }

  std::string src, tgt, labeled;
};

}  // namespace attend
