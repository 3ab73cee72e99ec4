// Translating whole texts (documents/translated_text.h) as requests of a client.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "attend/documents/sentences/translated_text.h"
#include "attend/server/models/served_model.h"
#include "attend/server/route.h"

namespace attend {

struct TextTranslationRequest {
  ServedModelPointer model;  // a translator
  std::string source;        // languages
  std::string target;
  std::vector<std::string> texts;
  int alternatives = 0;  // other translations wanted; fewer if the beam is narrower
  bool have_marks = false;
};

// Queues the sentences of all texts as one request and returns; `done` is called once with the
// translations, unless the call fails. Throws HttpError 413 for texts that are longer than the
// queue, and what cannot be queued.
void translate_texts(const std::shared_ptr<Call>& call, TextTranslationRequest request,
                     std::function<void(TranslatedTexts)> done);

}  // namespace attend
