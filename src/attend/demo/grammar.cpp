#include "attend/demo/grammar.h"

namespace attend::demo {

Referent referent_of(const NounPhrase& phrase) {
  if (phrase.is_pronoun()) return phrase.referent;
  return {Person::third, phrase.plural, phrase.noun->gender, phrase.noun->natural};
}

unsigned bit(Tense tense) {
  switch (tense) {
    case Tense::present:
      return kInPresent;
    case Tense::past:
      return kInPast;
    case Tense::future:
      return kInFuture;
    case Tense::modal:
      return kInModal;
  }
  return 0;
}

}  // namespace attend::demo
