#include "attend/data/noise/text_noise.h"

#include <cstdint>
#include <vector>

#include "attend/core/strings/unicode.h"

namespace attend {

namespace {

constexpr std::uint64_t kWordsForATypo = 10;

using Characters = std::u32string;

// The places of letters that have a letter after them, and so stand within a word.
std::vector<std::size_t> inner_letters(const Characters& text) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i + 1 < text.size(); ++i)
    if (unicode::is_letter(text[i]) && unicode::is_letter(text[i + 1])) places.push_back(i);
  return places;
}

void make_typo(Characters& text, std::size_t at, Random& random) {
  switch (random.below(4)) {
    case 0:
      std::swap(text[at], text[at + 1]);
      break;
    case 1:
      text.erase(at, 1);
      break;
    case 2:
      text.insert(at, 1, text[at]);
      break;
    default: {
      const std::vector<std::size_t> letters = inner_letters(text);
      text[at] = text[letters[random.below(letters.size())]];
    }
  }
}

}  // namespace

std::string with_typos(std::string_view text, Random& random) {
  Characters characters = unicode::decode(text);
  const std::uint64_t typos = 1 + unicode::split(text).size() / kWordsForATypo;
  for (std::uint64_t i = 0; i < typos; ++i) {
    const std::vector<std::size_t> places = inner_letters(characters);
    if (places.empty()) break;
    make_typo(characters, places[random.below(places.size())], random);
  }
  return unicode::encode(characters);
}

std::string in_other_case(std::string_view text, Random& random) {
  switch (random.below(3)) {
    case 0:
      return unicode::lowercase(text);
    case 1:
      return unicode::uppercase(text);
    default:
      return unicode::titlecase(text);
  }
}

std::string without_punctuation(std::string_view text, Random& random) {
  const bool all = random.below(2) == 1;
  const Characters characters = unicode::decode(text);
  Characters kept;
  if (all) {
    for (const char32_t c : characters)
      if (!unicode::is_punctuation(c)) kept += c;
  } else {
    std::size_t end = characters.size();
    while (end > 0 &&
           (unicode::is_punctuation(characters[end - 1]) || unicode::is_space(characters[end - 1])))
      --end;
    kept = characters.substr(0, end);
  }
  return unicode::encode(kept);
}

std::string with_noise(std::string_view text, Random& random) {
  switch (random.below(3)) {
    case 0:
      return with_typos(text, random);
    case 1:
      return in_other_case(text, random);
    default:
      return without_punctuation(text, random);
  }
}

}  // namespace attend
