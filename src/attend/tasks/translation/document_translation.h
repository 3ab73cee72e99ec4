// Texts of any number of sentences, pages and files with a translator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/documents/document.h"
#include "attend/tasks/text_preparer.h"
#include "attend/tasks/translation/engine.h"
#include "attend/tasks/translation/second_translation.h"

namespace attend {

// The longest sentence that a model reads.
struct SentenceLimit {
  const Tokenizer& tokenizer;
  TextPreparer prepare;
  std::int64_t tokens = 0;

  bool holds(std::string_view sentence) const;
};

// The smaller one of the options' limit and that of the model's positions; 0: it has none.
std::int64_t longest_sentence(const TranslationOptions& options, std::int64_t longest_source);

// The options for texts, to cut them, and those for the sentences that they were cut into. Marks
// need alignments. Words that are split from punctuation are not those of the text, so its marks go
// by place.
TranslationOptions options_for_texts(TranslationOptions options);
TranslationOptions options_for_sentences(TranslationOptions options, const TranslatedTexts& texts);

struct TranslatedDocuments {
  std::vector<std::string> documents;
  std::size_t sentences = 0;  // of all documents
  int cut = 0;                // those too long for the model, which were cut at clauses
  TrustSummary trust = {};    // of the sentences, if asked for
};

// Cuts the texts of documents into sentences by the rules of the language that the options or the
// model name, and translates them. Throws ConfigError as TranslationEngine::translate(), and for
// n_best, alignment and several prefixes.
TranslatedDocuments translate_documents(const TranslationEngine& engine, const Documents& documents,
                                        const TranslationOptions& options);

TranslatedDocuments translate_document(const TranslationEngine& engine,
                                       std::unique_ptr<const Document> document,
                                       const TranslationOptions& options);

// Translates a document with models in a row: `read` reads what the one before has written. The
// sentences are those of the last one; `trust` counts the translations of all.
TranslatedDocuments translate_document(
    std::span<const TranslationStep> steps, std::string content,
    const std::function<std::unique_ptr<const Document>(std::string)>& read);

// Reads a file, and writes its translation, of the same format, in one step. Throws ConfigError
// also for an `out` of another format, DataError or TooLongError for a file that cannot be read or
// not be translated by two models in a row, and IoError. `columns`: those of a table, as
// DocumentFileOptions.
TranslatedDocuments translate_file(std::span<const TranslationStep> steps,
                                   const std::filesystem::path& in,
                                   const std::filesystem::path& out,
                                   const std::vector<std::string>& columns = {});
TranslatedDocuments translate_file(const TranslationEngine& engine, const std::filesystem::path& in,
                                   const std::filesystem::path& out,
                                   const TranslationOptions& options,
                                   const std::vector<std::string>& columns = {});

}  // namespace attend
