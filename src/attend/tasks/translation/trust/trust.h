// How far to trust a translation: flags of its text, and what its scores say.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "attend/tasks/translation/trust/calibration.h"
#include "attend/tasks/translation/trust/flags.h"

namespace attend {

// What a model gives to the tokens of a translation, and of its end.
struct TranslationScores {
  std::span<const float> tokens;
  // Without any source, for a translation that the model did not write: a text of another kind than
  // it knows is unlikely with its source as well. Empty: it wrote the translation
  std::span<const float> without_source = {};
};

// Immutable; may be used from several threads at once.
class TrustJudge {
 public:
  // `languages`: of the texts, where known. `calibration`: of the model that scores; null: none,
  // and no confidence.
  TrustJudge(const LanguagePair& languages, std::shared_ptr<const TrustCalibration> calibration)
      : flags_(languages), calibration_(std::move(calibration)) {}

  // A function of these alone. Beside the flags of TextFlags there are
  //
  //   names     a name is missing, or another one
  //   detached  the translation is so unlikely as translations seldom are, and texts with a wrong
  //             source mostly; of one that the model did not write: the source makes it so little
  //             more likely
  TranslationTrust of(std::string_view source, std::string_view translation,
                      const TranslationScores& scores) const;
  // Whether it needs scores without a source.
  bool is_calibrated() const { return calibration_ != nullptr; }

 private:
  TextFlags flags_;
  std::shared_ptr<const TrustCalibration> calibration_;
};

// The trust of a text is that of its sentences: each kind of flag once, and the mean confidence, or
// none where a sentence has none.
TranslationTrust trust_of_text(std::span<const TranslationTrust> sentences);

// The trust of a translation by two models in a row has the flags of both, and the product of what
// each is expected to keep.
TranslationTrust trust_of_both(const TranslationTrust& first, const TranslationTrust& second);

// Counts what many translations have.
struct TrustSummary {
  std::size_t translations = 0, flagged = 0, with_confidence = 0;
  double confidence = 0;                     // the sum of all
  std::map<std::string, std::size_t> flags;  // translations by the names of their flags

  void add(const TranslationTrust& trust);
  TrustSummary& operator+=(const TrustSummary& other);
  // "3 of 120 translations are flagged (numbers 2, copy 1); mean confidence 0.71"
  std::string text() const;
};

}  // namespace attend
