// Translating whole texts: cut into sentences, translated, and put together again with their white
// space.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "attend/server/route.h"
#include "attend/server/served_model.h"
#include "attend/text/sentences.h"

namespace attend {

struct TextTranslationRequest {
  ServedModelPointer model;  // a translator
  std::string source;        // languages
  std::string target;
  std::vector<std::string> texts;
  int alternatives = 0;    // other translations wanted; fewer if the beam is narrower
  bool alignment = false;  // for texts with marks in them
};

// A text and the translations of its sentences.
struct TranslatedText {
  std::string text;
  std::vector<TextSpan> sentences;        // those of the text
  std::vector<Translation> translations;  // one per sentence

  // The k-th translation of every sentence; the last one if there are fewer.
  const TranslationCandidate& candidate(std::size_t sentence, std::size_t k) const;
  // The text with these translations, and the white space between them.
  std::string translation(std::size_t k) const;
};

struct TranslatedTexts {
  std::vector<TranslatedText> texts;  // as in the request
  int alternatives = 0;               // those there are, besides the best
  int cut = 0;  // sentences that were too long for the model and cut at clauses
};

// Queues the sentences of all texts as one request and returns; `done` is called once with the
// translations, unless the call fails. Throws HttpError 413 for texts that are longer than the
// queue, and what cannot be queued.
void translate_texts(const std::shared_ptr<Call>& call, TextTranslationRequest request,
                     std::function<void(TranslatedTexts)> done);

}  // namespace attend
