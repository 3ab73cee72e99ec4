// Translating the documents of a request: by one model, or by two in a row.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attend/documents/document.h"
#include "attend/server/work/text_translation.h"
#include "attend/text/language/language_guess.h"

namespace attend {

// Reads a document again that was translated once.
using DocumentReader = std::function<std::unique_ptr<const Document>(std::string content)>;

struct DocumentRequest {
  std::shared_ptr<const Documents> documents;
  std::string source;  // a language; "auto": detected
  std::string target;
  int alternatives = 0;                    // other translations wanted
  DocumentReader read;                     // for what the second of two models reads
  std::vector<std::string> glossary = {};  // terms, which only one model alone takes
};

// A sentence of a request.
struct TranslatedSentence {
  std::string source, translation;
  std::optional<TranslationTrust> trust = std::nullopt;  // if asked for
};

// What the texts of a request become.
struct TranslatedRequest {
  std::shared_ptr<const Documents> documents;  // that hold the translated texts
  TranslatedTexts texts;
  std::string source = {};                     // the language of the texts
  std::optional<LanguageGuess> detected = {};  // if the request asked for that
  std::string via = {};                        // the language between two models; empty: one
  // The documents that the first of two models read, and what it made of them.
  std::shared_ptr<const Documents> first_documents = nullptr;
  TranslatedTexts first_texts = {};

  // The sentences of each document. Where the second of two models has cut a text into others than
  // the first one wrote, the text is one, and so is a document that it found other texts in.
  std::vector<std::vector<TranslatedSentence>> sentences() const;
};

// Returns the most likely language of some texts together, of those that are translated into
// `target`: English if they have no letters. Throws HttpError if there are none.
LanguageGuess detected_source(const Models& models, const std::vector<SourceText>& texts,
                              const std::string& target);

// Finds the model, or two in a row, and queues the texts of the documents. `done` is called once,
// or the call fails. Throws what text_translation() and translate_texts() throw, and HttpError if
// no model translates so.
void translate_documents(const std::shared_ptr<Call>& call, DocumentRequest request,
                         std::function<void(TranslatedRequest)> done);

// Says how many sentences were cut, and through which language they were translated.
HttpHeaders headers_of(const TranslatedRequest& result);

// A file to save under its name, in characters that a header may have.
HttpResponse file_response(const std::string& name, std::string content, HttpHeaders headers);

}  // namespace attend
