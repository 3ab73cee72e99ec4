// Periods that end no sentence: those of abbreviations, initials, ordinals and list numbers.
#pragma once

#include <cstddef>
#include <string_view>

#include "attend/documents/sentences/sentence_rules.h"

namespace attend {

// A period in a text. Bytes: where it stands, where the sentence has its first letter or digit, and
// where the next word begins, after spaces, quotes and dashes.
struct Period {
  std::string_view text;
  std::size_t at;
  std::size_t sentence;
  std::size_t next;
};

// Whether it belongs to the word before it.
bool belongs_to_word(const Period& period, const SentenceRules& rules);

// Whether nothing but a number or a letter stands before it in its sentence: "1. First", "a.) So".
bool ends_enumerator(const Period& period);

}  // namespace attend
