// What a line of text consists of: the counts by which filters judge it.
#pragma once

#include <cstdint>
#include <string_view>

namespace attend {

struct TextMeasures {
  // Runs without white space; each Han letter and kana, which are written without spaces, is one.
  std::int64_t words = 0;
  std::int64_t characters = 0;    // code points, without the white space at both ends
  std::int64_t longest_word = 0;  // code points of the longest word
  std::int64_t visible = 0;       // code points that are no white space
  std::int64_t letters = 0;       // those of them that are letters or marks
  std::int64_t digits = 0;        // numbers of any script
  std::int64_t punctuation = 0;   // punctuation and symbols

  // Shares of the visible characters; 0 without any.
  double letter_share() const { return share(letters); }
  double digit_share() const { return share(digits); }
  double punctuation_share() const { return share(punctuation); }

 private:
  double share(std::int64_t count) const {
    return visible == 0 ? 0 : static_cast<double>(count) / static_cast<double>(visible);
  }
};

// `text`: one line; a byte that is not UTF-8 is one visible character.
TextMeasures measure_text(std::string_view text);

}  // namespace attend
