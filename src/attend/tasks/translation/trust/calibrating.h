// Learns a calibration from text with translations, and measures it on other text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/tasks/translation/engine.h"
#include "attend/tasks/translation/trust/calibration.h"

namespace attend {

struct CalibrationOptions {
  int pairs = 4000;
  std::uint64_t seed = 1;
  LanguagePair languages = {};
};

template <class Visitor>
void fields(CalibrationOptions& o, Visitor&& visit) {
  visit("pairs", o.pairs, between(200, 1e6),
        "most pairs to translate, from all of the text; names are learned from all pairs");
  visit("seed", o.seed, any_seed(),
        "random seed of the wrong sources that pairs are compared with");
  fields(o.languages, visit);
}

// Translations of equal confidence, about.
struct ReliabilityPart {
  double confidence = 0, chrf = 0;  // means, from 0 to 1
  std::size_t pairs = 0;
};

// How many right and wrong pairs have a flag.
struct FlagCounts {
  std::string name;  // "any": at least one
  std::size_t right = 0, wrong = 0;
};

// Pairs of right texts, and of the same translations with sources of other pairs.
struct FlagMeasure {
  std::size_t right = 0, wrong = 0;  // pairs
  std::vector<FlagCounts> flags;

  static double precision(const FlagCounts& flag);
  double recall(const FlagCounts& flag) const;
};

struct CalibrationReport {
  std::size_t learned_from = 0, measured_on = 0;  // pairs
  // Measured on pairs whose sources are not among those learned from.
  double correlation = 0;  // of confidence and chrF (Pearson)
  double error = 0;        // mean distance of confidence and chrF in the parts
  std::vector<ReliabilityPart> parts;
  FlagMeasure translations, references;  // of the model, and those of the text
};

// targets[i] translates sources[i]. Throws DataError for a text
// with less than 200 pairs that the model can read, and as TranslationEngine::translate().
TrustCalibration calibrate_trust(const TranslationEngine& engine,
                                 std::span<const std::string> sources,
                                 std::span<const std::string> targets,
                                 const CalibrationOptions& options, CalibrationReport& report);

}  // namespace attend
