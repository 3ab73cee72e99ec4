// How well a language model predicts a text.
#pragma once

#include <optional>
#include <string>

#include "attend/core/options.h"
#include "attend/data/language.h"
#include "attend/metrics.h"
#include "attend/tasks/language/model.h"

namespace attend {

struct TextPerplexityOptions {
  int context = 0;
  int stride = 0;
  BatchOptions batch;
  ContinuousCacheOptions cache = {};
};

template <class Visitor>
void fields(TextPerplexityOptions& o, Visitor&& visit) {
  visit("context", o.context, between(0, 1e6),
        "context of the model in tokens; 0: as many as in training");
  visit("stride", o.stride, between(0, 1e6),
        "tokens predicted per window, the others being their context; 0: half of the window");
  fields(o.batch, visit);
  fields(o.cache, visit);
}

struct TextPerplexity {
  Perplexity
      perplexity;  // of tokens, the ends of lines among them, and of what white space separates
  std::optional<Perplexity> without_cache;  // what it would be, if there is a cache
  int cache_tokens = 0;
  int context = 0;
  int stride = 0;
  std::int64_t unknown = 0;  // tokens that are the unknown piece: what the vocabulary does not
                             // have, or a text's own <unk>

  // Whether there is a perplexity per word: a text of few and very long words may have none that is
  // a number.
  bool has_per_word() const;

  // "perplexity 104.28 per token (217646 tokens, ends of lines among them), 118.31 per word (213886
  // words), 1.3042 bits per character; context 256, stride 128".
  std::string summary(int digits) const;
};

// Every token of the text is predicted once, from all before it in its window and what a cache
// remembers, with the probabilities of the whole vocabulary. Throws ConfigError for bad options,
// also for a context of more positions than the model has learned; DataError for an empty text, and
// when the perplexity is not finite.
TextPerplexity text_perplexity(const LanguageModel& model, const LanguageText& text,
                               const TextPerplexityOptions& options = {});

// The summed negative log-likelihood of the targets that count in `batch`, in nats.
double negative_log_likelihood(const LanguageTransformer& model, const LanguageBatch& batch);
// log p(target) of every target that counts, in the order of the text. No gradients.
std::vector<float> target_log_probabilities(const LanguageTransformer& model,
                                            const LanguageBatch& batch);

}  // namespace attend
