#include "attend/tasks/translation/document_translation.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "attend/core/files/atomic_file.h"
#include "attend/core/files/input_file.h"
#include "attend/core/options/option_error.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/tasks/translation/translation_call.h"

namespace attend {

namespace {

// A bound on the tokens of a text, without its tokens: none is empty, and normalization (NFKC)
// makes at most eleven bytes of one that is not ASCII.
std::int64_t most_tokens(std::string_view text) {
  const auto beyond_ascii =
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; });
  return std::ssize(text) + 10 * beyond_ascii + 1;
}

LanguagePair languages_of(const TranslationEngine& engine, const TranslationOptions& options) {
  return text_languages(engine.model(), options.languages, options.preparation);
}

void check(const TranslationOptions& options) {
  if (options.beam.n_best > 1)
    throw OptionError<ConfigError>("{}: expected 1 for whole texts", as_key("n-best"));
  if (options.alignment)
    throw OptionError<ConfigError>("{}: whole texts have no words to number", as_key("alignment"));
  if (std::max(options.prefixes.size(), options.prefix_ids.size()) > 1)
    throw ConfigError("prefixes: expected one for all sentences of a text");
}

// What a document asks for, and no more: a text may have millions of sentences. Where elements
// begin or end, tokens are for their places.
Translation for_document(const Translation& translation) {
  Translation kept;
  kept.candidates.reserve(translation.candidates.size());
  for (const TranslationCandidate& candidate : translation.candidates) {
    if (!candidate.token_alignment.empty()) return translation;
    TranslationCandidate& own = kept.candidates.emplace_back();
    own.text = candidate.text;
    own.alignment = candidate.alignment;
    own.trust = candidate.trust;
  }
  return kept;
}

}  // namespace

bool SentenceLimit::holds(std::string_view sentence) const {
  const std::string text = prepare(sentence);
  return most_tokens(text) <= tokens || std::ssize(tokenizer.encode(text)) <= tokens;
}

std::int64_t longest_sentence(const TranslationOptions& options, std::int64_t longest_source) {
  const std::int64_t most = options.max_source_tokens;
  return longest_source > 0 ? std::min(most, longest_source) : most;
}

TranslationOptions options_for_texts(TranslationOptions options) {
  if (options.protect.empty()) options.protect = {"common"};
  return options;
}

TranslationOptions options_for_sentences(TranslationOptions options, const TranslatedTexts& texts) {
  if (options.preparation.tokenize == WordSplitting::none) options.aligned = texts.cut_sentences();
  if (options.context > 0) options.documents = texts.first_sentences();
  return options;
}

TranslatedDocuments translate_documents(const TranslationEngine& engine, const Documents& documents,
                                        const TranslationOptions& options) {
  check(options);
  const TranslationOptions own = options_for_texts(options);
  const auto call = translation_call(engine.ensemble(), own);
  const SentenceLimit limit{engine.model().src_tokenizer, call->source,
                            longest_sentence(own, engine.longest_source())};
  TranslatedTexts all =
      cut_texts(texts_of(documents), languages_of(engine, own).source, call->patterns,
                [&](std::string_view text) { return limit.holds(text); });
  const std::vector<std::string> sentences = all.sentences();
  std::vector<Translation> translations;
  translations.reserve(sentences.size());
  engine.translate(sentences, "sentence",
                   {.accept =
                        [&](const Translation& translation) {
                          translations.push_back(for_document(translation));
                        }},
                   options_for_sentences(own, all));
  all.set_translations(std::move(translations));
  TranslatedDocuments translated{translations_of(documents, all, 0), sentences.size(), all.cut};
  if (own.trust)
    for (const TranslatedText& text : all.texts)
      for (std::size_t i = 0; i < text.translations.size(); ++i)
        translated.trust.add(*text.candidate(i, 0).trust);
  return translated;
}

TranslatedDocuments translate_document(const TranslationEngine& engine,
                                       std::unique_ptr<const Document> document,
                                       const TranslationOptions& options) {
  Documents documents;
  documents.push_back(std::move(document));
  return translate_documents(engine, documents, options);
}

TranslatedDocuments translate_document(
    std::span<const TranslationStep> steps, std::string content,
    const std::function<std::unique_ptr<const Document>(std::string)>& read) {
  TranslatedDocuments translated;
  int cut = 0;
  TrustSummary trust;
  for (const auto& [engine, options] : steps) {
    translated = translate_document(engine, read(std::move(content)), options);
    content = translated.documents.front();
    cut += translated.cut;
    trust += translated.trust;
  }
  translated.cut = cut;
  translated.trust = std::move(trust);
  return translated;
}

TranslatedDocuments translate_file(const TranslationEngine& engine, const std::filesystem::path& in,
                                   const std::filesystem::path& out,
                                   const TranslationOptions& options,
                                   const std::vector<std::string>& columns) {
  const TranslationStep step{engine, options};
  return translate_file(std::span(&step, 1), in, out, columns);
}

TranslatedDocuments translate_file(std::span<const TranslationStep> steps,
                                   const std::filesystem::path& in,
                                   const std::filesystem::path& out,
                                   const std::vector<std::string>& columns) {
  const std::string name = in.string(), extension = extension_of(name);
  require_known_format(name);
  if (!columns.empty() && extension != ".csv" && extension != ".tsv")
    throw OptionError<ConfigError>("{}: expected a table, .csv or .tsv, got {}", as_key("columns"),
                                   quote(name));
  if (type_of_extension(extension_of(out.string())) != type_of_extension(extension))
    throw ConfigError(fmt::format("{}: expected the extension of the file to translate, {}",
                                  quote(out.string()), extension));
  if (steps.size() > 1 && keeps_source(name))
    throw DataError(fmt::format(
        "{}: expected one model for both languages; the file has the source, too", quote(name)));
  std::string content;
  {
    const InputFile file(in);
    content.resize(file.size());
    file.read(0, std::as_writable_bytes(std::span(content)));
  }
  const std::string target = languages_of(steps.back().engine, steps.back().options).target;
  TranslatedDocuments translated =
      translate_document(steps, std::move(content), [&](const std::string& bytes) {
        return read_document(name, bytes, {columns, target});
      });
  write_file_atomically(out, translated.documents.front());
  return translated;
}

}  // namespace attend
