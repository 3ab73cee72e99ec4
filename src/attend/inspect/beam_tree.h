// The search for a translation, as a tree of tokens for people to look at.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "attend/search.h"
#include "attend/tokenizer.h"
#include "attend/translator.h"

namespace attend {

// "pruned", "kept", "ended" or "cut".
const char* name_of(BeamFate fate);

// Keeps the steps of the sentences that are being translated. Copies keep them together; members
// may be called from any number of threads at once.
class BeamRecorder {
 public:
  BeamRecorder() : all_(std::make_shared<Recording>()) {}

  // For TranslationOptions::search_listener.
  std::function<void(std::size_t sentence, const BeamStep& step)> listener() const;
  // The steps of a sentence, which are then forgotten; none for an empty sentence.
  std::vector<BeamStep> take(std::size_t sentence) const;

 private:
  struct Recording {
    std::mutex mutex;
    std::map<std::size_t, std::vector<BeamStep>> steps;  // of each sentence
  };
  std::shared_ptr<Recording> all_;
};

// An answer has beam_size^2 candidates for every token that may be written.
inline constexpr int kWidestShownBeam = 16;
inline constexpr int kLongestShownSource = 256;  // tokens

// Makes translating show its search: it returns as many translations as the beam is wide, tells the
// recorder every step, and refuses texts of more than kLongestShownSource tokens.
void show_search(TranslationOptions& options, const BeamRecorder& recorder);
// translation_json() with "steps", what beam_json() says of the sentence's.
nlohmann::ordered_json search_json(const Translation& translation, const BeamRecorder& recorder,
                                   const Tokenizer& target);

// [{"written": 0, "candidates": [{"parent": 0, "id": 17, "token": "▁Der", "token_log_probability":
// -0.1, "log_probability": -0.1, "score": -0.1, "fate": "kept"}, ...]}, ...], as in BeamStep.
nlohmann::ordered_json beam_json(std::span<const BeamStep> steps, const Tokenizer& target);

// {"confidence": 0.83, "flags": [{"name": "numbers", "reason": "1984 is missing"}]}; a confidence
// of null: the model has none.
nlohmann::ordered_json trust_json(const TranslationTrust& trust);

// {"source_tokens": [...], "translations": [{"text", "score", "log_probability", "tokens",
// "token_log_probabilities"}, ...]}; with `alignment`, also "alignment". A
// candidate with trust has the members of trust_json().
nlohmann::ordered_json translation_json(const Translation& translation, bool alignment = false);

// [{"token": "▁Der", "id": 17, "log_probability": -0.1, "rank": 1, "likeliest": [{"token", "id",
// "log_probability"}, ...]}, ...]
nlohmann::ordered_json alternatives_json(std::span<const TokenAlternatives> tokens);

}  // namespace attend
