#include "attend/text/sentencepiece/long_words.h"

#include <algorithm>

#include "attend/core/strings/utf8.h"
#include "attend/text/sentencepiece/meta_symbol.h"

namespace attend::detail {
namespace {

// No character is mapped to more; U+FDFA has 18 in NFKC.
constexpr std::size_t kMostMapped = 32;
constexpr std::size_t kPartOfLongWord = 1024;

// Counts the characters of words.
class WordLength {
 public:
  // Whether a word begins in this text, which is at its end.
  bool add(std::string_view normalized) {
    bool begins = false;
    for (std::size_t at = 0; at < normalized.size();) {
      const std::string_view rest = normalized.substr(at);
      const bool space = rest.starts_with(' ') || rest.starts_with(kMetaSymbol);
      next_code_point(normalized, at);
      length_ = space ? 1 : length_ + 1;
      begins = begins || space;
      most_ = std::max(most_, length_);
    }
    return begins;
  }
  bool is_longer_than(std::size_t most) const { return most_ > most; }
  void forget_earlier() { most_ = length_; }

 private:
  std::size_t length_ = 1, most_ = 1;
};

}  // namespace

bool may_have_long_words(std::string_view sentence) {
  constexpr std::size_t kShort = kLongestLearnedWord / kMostMapped;
  while (sentence.size() >= kShort) {
    const std::size_t end = std::min(sentence.find(' '), sentence.size());
    if (end >= kShort) return true;
    sentence.remove_prefix(end + 1);
  }
  return false;
}

std::vector<std::string_view> parts_for_training(std::string_view sentence,
                                                 const CharacterMap& characters) {
  std::vector<std::string_view> parts;
  WordLength word;
  std::size_t begin = 0, done = 0;  // of the word; the end of the last part
  bool cutting = false;             // the word is too long
  for (std::size_t at = 0; at < sentence.size();) {
    const CharacterMap::Prefix prefix = characters.prefix(sentence.substr(at));
    const bool begins = word.add(prefix.normalized);
    const bool too_long = word.is_longer_than(cutting ? kPartOfLongWord : kLongestLearnedWord);
    if (too_long && !cutting) {
      cutting = true;
      at = begin;
      word = {};
      continue;
    }
    if (too_long) {
      parts.push_back(sentence.substr(done, at - done));
      done = at;
      word = {};
      word.add(prefix.normalized);
    }
    at += prefix.length;
    if (begins) {
      begin = at;
      word.forget_earlier();
      cutting = false;
    }
  }
  parts.push_back(sentence.substr(done));
  return parts;
}

}  // namespace attend::detail
