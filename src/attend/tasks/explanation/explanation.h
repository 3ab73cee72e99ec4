// Implements attend/explanation.h: why a model writes a token, or chooses a class.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/decode/sampling.h"
#include "attend/explanation.h"
#include "attend/tasks/classification/model.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/translation/model.h"

namespace attend {

template <class Visitor>
void fields(ExplanationOptions& o, Visitor&& visit) {
  visit("position", o.position, between(-1, 1e6),
        "token to explain, counting from 0; -1: the first of a translation, or the one that "
        "follows a text");
  visit("instead", o.instead,
        "word (its first token), token or class to compare with; default: the most probable other "
        "one");
  visit("alone", o.alone, "explain the logit alone, not the difference of two logits");
  visit("top", o.top, between(1, 1000), "most probable tokens to show for each layer");
  visit("temperature", o.temperature, kTemperatures,
        "temperature of the printed probabilities: logits are divided by this number");
}

// Tokens of a text. Each takes memory in every layer.
inline constexpr std::int64_t kMostExplainedTokens = 1024;

// Why the model writes the token at options.position of `target` when it translates `source`.
// Throws ConfigError for a recurrent network, an option out of range, a position beyond the end
// or a word that is not in the vocabulary; LineError for a text that is too long; NotFiniteError.
OutputExplanation explain(const TranslationModel& model, const std::string& source,
                          const std::string& target, const ExplanationOptions& options,
                          const LanguagePair& languages = {});
// The same for the tokens of a translation, without marks.
OutputExplanation explain(const TranslationModel& model, const std::string& source,
                          std::vector<std::int32_t> target, const ExplanationOptions& options,
                          const LanguagePair& languages = {});

// Why the model finds the token at options.position likely after the tokens before it. Throws like
// the function above.
OutputExplanation explain(const LanguageModel& model, const std::string& text,
                          const ExplanationOptions& options);

// Why the text is of its most probable class and not of the class options.instead. Parts are the
// sums over all tokens, each with its share in the vector of the text: of a maximum the elements
// that are the largest; of a layer between that vector and the output, whose activation is not
// linear, the ratio of its output and its input, taken as it is. There is no lens, no position and
// no temperature. Throws like the functions above, and ConfigError for a regression.
OutputExplanation explain(const ClassificationModel& model, const std::string& text,
                          const ExplanationOptions& options);

}  // namespace attend
