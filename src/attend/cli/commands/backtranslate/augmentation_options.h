// The options of `attend backtranslate` besides those of the training.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/tasks/translation/training/targets.h"
#include "attend/tasks/translation/training/translated_pairs.h"

namespace attend {

// noised: beam search, and noise in the words that it writes.
enum class AugmentationDecoding { beam, sample, noised };

inline std::span<const std::string_view> enum_names(AugmentationDecoding) {
  static constexpr std::array<std::string_view, 3> kNames{"beam", "sample", "noised"};
  return kNames;
}

struct AugmentationTexts {
  std::vector<std::string> tgt_mono, src_mono;
  std::string reverse, forward;
  std::vector<std::string> reverse_options;
  int rounds = 1;
};

template <class Visitor>
void fields(AugmentationTexts& o, Visitor&& visit) {
  visit("tgt-mono", o.tgt_mono,
        "text in the target language: the source of a new pair is its translation");
  visit("src-mono", o.src_mono,
        "text in the source language: what the reverse model learns from in later rounds, or "
        "without --tgt-mono, self-training");
  visit("reverse", o.reverse,
        "translator from the target language that there is already: a model file, the folder of a "
        "run, or what `attend import` reads");
  visit("forward", o.forward,
        "translator to begin self-training with that there is already, like --reverse");
  visit("reverse-options", o.reverse_options,
        "options of the trained translators from the target language that differ, such as "
        "d-model=256 max-steps=9000");
  visit("rounds", o.rounds, between(1, 100),
        "how often text is translated by the newest translators, and new ones learn from that; "
        "default with both texts: 2");
}

struct AugmentationSearch {
  AugmentationDecoding decoding = AugmentationDecoding::beam;
  int beam_size = TargetOptions{}.beam_size;
  int translations = 1;
  SamplingOptions sampling;
  WordNoise noise{0.1, 0.1, 3};

  // Throws ConfigError for options that do not fit together.
  TargetOptions targets() const;
};

template <class Visitor>
void fields(AugmentationSearch& o, Visitor&& visit) {
  visit("mono-decoding", o.decoding,
        "how the text is translated: beam search, random samples, or beam search whose words get "
        "noise");
  visit("mono-beam-size", o.beam_size, between(1, 1024), "beam size of these translations");
  visit("mono-translations", o.translations, between(1, kMostSamples),
        "translations of each sentence: samples, or the best ones of the beam");
  visit("mono-temperature", o.sampling.temperature, between(0, kTemperatures.most),
        "temperature of the samples: the logits are divided by this");
  visit("mono-top-k", o.sampling.top_k, between(-1, kVocabularySizes.most),
        "samples: draw among the k most likely tokens; 0 or -1: all");
  visit("mono-top-p", o.sampling.top_p, between(0, 1),
        "samples: draw among the most likely tokens that together have this probability");
  visit("noise-drop", o.noise.drop, between(0, 1), "noise: share of the words that are left out");
  visit("noise-blank", o.noise.blank, between(0, 1),
        "noise: share of the other words that the token <blank> stands for");
  visit("noise-swap", o.noise.swap, between(0, 1000),
        "noise: how many places a word may move at most");
}

struct AugmentationOptions {
  AugmentationTexts texts;
  AugmentationSearch search;
  TranslatedPairOptions pairs;

  bool has_noise() const { return search.decoding == AugmentationDecoding::noised; }
};

}  // namespace attend
