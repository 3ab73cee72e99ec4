// Noise in the words of text that a machine wrote, which is then more varied (Edunov et al. 2018,
// "Understanding Back-Translation at Scale").
#pragma once

#include <string>
#include <string_view>

#include "attend/core/random/random.h"

namespace attend {

// Stands for a word.
inline constexpr std::string_view kBlankWord = "<blank>";

struct WordNoise {
  double drop = 0;   // share of the words that are left out
  double blank = 0;  // share of the others that kBlankWord stands for
  int swap = 0;      // how many places a word may move

  bool is_none() const { return drop == 0 && blank == 0 && swap == 0; }
};

// A text of which nothing would be left stays as it is.
std::string with_word_noise(std::string_view text, const WordNoise& noise, Random& random);

}  // namespace attend
