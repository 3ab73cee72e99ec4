// A text whose nouns are in the singular and in the plural.
#pragma once

#include <string>

#include "attend/data/corpus.h"

namespace attend {

inline ParallelText text_of_nouns() {
  static const char* const kNouns[][4] = {
      {"dog", "dogs", "Hund", "Hunde"},
      {"boat", "boats", "Boot", "Boote"},
      {"horse", "horses", "Pferd", "Pferde"},
      {"table", "tables", "Tisch", "Tische"},
      {"friend", "friends", "Freund", "Freunde"},
      {"book", "books", "Buch",
       "B\xc3\xbc"
       "cher"},
      {"roof", "roofs", "Dach",
       "D\xc3\xa4"
       "cher"},
      {"drawer", "drawers", "Fach",
       "F\xc3\xa4"
       "cher"},
      {"plan", "plans", "Vorhaben", "Vorhaben"},
      {"planet", "planets", "Himmelsk\xc3\xb6rper", "Himmelsk\xc3\xb6rper"},
  };
  ParallelText text;
  for (const auto& [one, many, eins, viele] : kNouns) {
    for (const char* const place : {"here", "there", "below"}) {
      text.src.push_back(std::string("The old ") + one + " is " + place + ".");
      text.tgt.push_back(std::string("Hier ist ein altes ") + eins + ".");
      text.src.push_back(std::string("Some new ") + many + " are " + place + ".");
      text.tgt.push_back(std::string("Dort sind neue ") + viele + ".");
    }
  }
  return text;
}

}  // namespace attend
