// What translators write for a text, as the targets of a student's training: sequence-level
// knowledge distillation (Kim and Rush 2016).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/data/noise/word_noise.h"
#include "attend/tasks/translation/engine.h"

namespace attend {

// nearest: of the hypotheses of the beam, the one with the best chrF against the given translation
// (the paper takes BLEU, whose words depend on a tokenization).
enum class TargetChoice { best, nearest, sample, none };

inline std::span<const std::string_view> enum_names(TargetChoice) {
  static constexpr std::array<std::string_view, 4> kNames{"best", "nearest", "sample", "none"};
  return kNames;
}

struct TargetOptions {
  TargetChoice targets = TargetChoice::best;
  int beam_size = 5;
  int samples = 1;
  SamplingOptions sampling = {};  // without a seed
  // Not options of a distillation: how many translations of the beam there are, and their noise.
  int n_best = 1;
  WordNoise noise = {};

  int of_a_sentence() const {
    return targets == TargetChoice::sample ? samples : targets == TargetChoice::best ? n_best : 1;
  }
};

template <class Visitor>
void fields(TargetOptions& o, Visitor&& visit) {
  visit("targets", o.targets,
        "what the student learns to write: the best translation by the teachers, the one of their "
        "beam nearest to the given one, a random sample, or none");
  visit("target-beam-size", o.beam_size, between(1, 1024),
        "beam size of the translations by the teachers");
  visit("target-samples", o.samples, between(1, kMostSamples),
        "translations of each sentence, where the targets are samples");
  visit("target-temperature", o.sampling.temperature, between(0, kTemperatures.most),
        "temperature of targets that are samples: the logits are divided by this");
  visit("target-top-k", o.sampling.top_k, between(-1, kVocabularySizes.most),
        "targets that are samples: draw among the k most likely tokens; 0 or -1: all");
  visit("target-top-p", o.sampling.top_p, between(0, 1),
        "targets that are samples: draw among the most likely tokens that together have this "
        "probability");
}

// A text whose sentences are translated.
struct TargetSource {
  std::vector<std::string> src;  // files
  std::vector<std::string> tgt;  // their translations, for TargetChoice::nearest
  LanguagePair languages = {};   // of the text, for a multilingual model
  std::uint64_t seed = 1;        // of samples and noise
  std::string checksums = {};    // checksums_of() the teachers
};

// How its sentences are translated.
TranslationOptions target_decoding(const TranslationEngine& teachers, const TargetSource& source,
                                   const TargetOptions& options);

struct TargetFiles {
  std::filesystem::path src, tgt;  // line by line; a sentence has as many lines as targets
  std::int64_t pairs = 0;
};

// Translates a text into files of `folder`, without sentences that are blank or cannot be
// translated, part by part: after a stop, another call goes on with
// the first part that is missing, and a call after the end reads what is there. `progress` gets the
// number of sentences after each part, and may throw. Throws ConfigError for targets nearest to
// translations that are not given, and where the folder has targets by other models or of other
// options; IoError and DataError for files.
TargetFiles write_targets(const TranslationEngine& teachers, const TargetSource& source,
                          const TargetOptions& options, const std::filesystem::path& folder,
                          const std::function<void(std::int64_t sentences)>& progress);

}  // namespace attend
