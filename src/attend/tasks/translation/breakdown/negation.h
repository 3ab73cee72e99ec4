// Whether a text negates something, by the words of its language that do. Languages that negate
// with a part of a word or with a character of many meanings (Czech, Turkish, Chinese) have no
// list.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "attend/text/words.h"

namespace attend {

class NegationWords {
 public:
  // nullopt: there is no list for the language, whose name may be "de", "de_DE" or "deu_Latn".
  static std::optional<NegationWords> of(std::string_view language);

  // `words`: in small letters.
  bool negate(std::span<const TextWord> words) const;

 private:
  struct List;
  explicit NegationWords(const List& list) : list_(&list) {}

  const List* list_;  // of a table that lives as long as the program
};

}  // namespace attend
