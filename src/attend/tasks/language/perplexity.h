// The perplexity of a text under a language model.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "attend/core/advance.h"
#include "attend/core/options/options.h"
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
        "tokens of a window, the context of the model; 0: the training length");
  visit("stride", o.stride, between(0, 1e6),
        "tokens scored per window, with the others as context; 0: half of the window");
  fields(o.batch, visit);
  fields(o.cache, visit);
}

struct TextPerplexity {
  // Per token, line ends included, and per word separated by white space.
  Perplexity perplexity;
  bool of_documents = false;                // in which nothing is a line end
  std::optional<Perplexity> without_cache;  // if there is a cache
  int cache_tokens = 0;
  int context = 0;
  int stride = 0;
  std::int64_t unknown = 0;  // unknown tokens, including a literal <unk> in the text

  // Whether the perplexity per word is finite; it may not be for a few very long words.
  bool has_per_word() const;

  // "perplexity 104.28 per token (217646 tokens, line ends included), 118.31 per word (213886
  // words), 1.3042 bits per character; context 256, stride 128".
  std::string summary(int digits) const;
};

// Predicts every token once, from the tokens before it in its window and from the cache, over the
// whole vocabulary. Throws ConfigError for bad options, including a context beyond the model's
// learned positions; DataError for an empty text, or if the perplexity is not finite. `advance`
// counts the predicted tokens.
TextPerplexity text_perplexity(const LanguageModel& model, const LanguageText& text,
                               const TextPerplexityOptions& options = {},
                               const Advance& advance = {});

// The same for documents, in the windows of document_windows(): every token but the first of each
// is predicted. The mean over the tokens is that of transformers' recipe, which weighs the mean of
// a window by its tokens, without one in every window but the first of a document.
TextPerplexity document_perplexity(const LanguageModel& model,
                                   std::span<const std::string> documents,
                                   const TextPerplexityOptions& options = {},
                                   const Advance& advance = {});

// The perplexity of lines that are read as one text, with the defaults of the model.
Perplexity perplexity_of(std::span<const std::string> lines, const LanguageModel& model);

// The summed negative log-likelihood of the targets that count in `batch`, in nats.
double negative_log_likelihood(const LanguageTransformer& model, const LanguageBatch& batch);
// log p(target) of every target that counts, in text order. No gradients.
std::vector<float> target_log_probabilities(const LanguageTransformer& model,
                                            const LanguageBatch& batch);

}  // namespace attend
