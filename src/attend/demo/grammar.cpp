#include "attend/demo/grammar.h"

namespace attend::demo {

Referent referent_of(const NounPhrase& phrase) {
  if (phrase.is_pronoun()) return phrase.referent;
  return {Person::kThird, phrase.plural, phrase.noun->gender, phrase.noun->natural};
}

unsigned bit(Tense tense) {
  switch (tense) {
    case Tense::kPresent:
      return kInPresent;
    case Tense::kPast:
      return kInPast;
    case Tense::kFuture:
      return kInFuture;
    case Tense::kModal:
      return kInModal;
  }
  return 0;
}

}  // namespace attend::demo
