// The texts of requests in the dialects of Hugging Face's servers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "attend/server/route.h"

namespace attend {

inline constexpr std::size_t kMostInferred = 2048;  // texts of a request

// "inputs": a text or a list of texts. Throws HttpError if there is none, or too many.
std::vector<std::string> inputs_of(const Parameters& parameters);

// Texts to classify. A pair stands as in a line: with a tab between.
struct InputTexts {
  std::vector<std::string> texts;
  bool pairs = false;    // as ClassificationRequest::pairs
  bool is_list = false;  // in the request
};

// "inputs" as text-embeddings-inference and the pipelines of transformers have it: "text";
// ["text", ...]; [["text"], ["text", "its second"], ...]; {"text": ..., "text_pair": ...} or a list
// of those. For a model that `takes_pairs`, ["text", "its second"] is one pair, as in
// text-embeddings-inference. Throws HttpError for another form, and for pairs beside single texts.
InputTexts pairs_or_texts(const Parameters& parameters, bool takes_pairs);

}  // namespace attend
