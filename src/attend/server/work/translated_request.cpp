#include "attend/server/work/translated_request.h"

#include <fmt/format.h>

#include <span>
#include <utility>

#include "attend/core/strings/ascii.h"
#include "attend/core/strings/quote.h"
#include "attend/server/service.h"
#include "attend/tasks/translation/trust/trust.h"

namespace attend {
namespace {

// Translates with the last of two models what the first has made of the documents.
void translate_again(const std::shared_ptr<Call>& call, const TextTranslation& how,
                     const DocumentReader& read, TranslatedRequest first,
                     const std::function<void(TranslatedRequest)>& done) {
  try {
    auto documents = std::make_shared<Documents>();
    for (std::string& content : translations_of(*first.documents, first.texts, 0))
      documents->push_back(read(std::move(content)));
    std::vector<SourceText> texts = texts_of(*documents);
    const int cut = first.texts.cut;
    first.first_documents = std::exchange(first.documents, std::move(documents));
    first.first_texts = std::move(first.texts);
    translate_texts(call, how, std::move(texts),
                    [first = std::move(first), cut, done](TranslatedTexts all) mutable {
                      first.texts = std::move(all);
                      first.texts.cut += cut;
                      done(std::move(first));
                    });
  } catch (...) {
    call->fail(std::current_exception());
  }
}

using Sentences = std::vector<TranslatedSentence>;

Sentences sentences_of(std::span<const TranslatedText> texts) {
  Sentences sentences;
  for (const TranslatedText& text : texts)
    for (std::size_t i = 0; i < text.sentences.size(); ++i)
      sentences.push_back({std::string(text.sentences[i].of(text.text)), text.candidate(i, 0).text,
                           text.candidate(i, 0).trust});
  return sentences;
}

TranslatedSentence as_one(std::string source, std::string translation, const Sentences& all) {
  TranslatedSentence one{std::move(source), std::move(translation)};
  std::vector<TranslationTrust> trusts;
  for (const TranslatedSentence& sentence : all)
    if (sentence.trust) trusts.push_back(*sentence.trust);
  if (!trusts.empty()) one.trust = trust_of_text(trusts);
  return one;
}

// From what the first of two models read to what the second one wrote.
TranslatedSentence through_both(TranslatedSentence first, TranslatedSentence second) {
  if (first.trust && second.trust) first.trust = trust_of_both(*first.trust, *second.trust);
  first.translation = std::move(second.translation);
  return first;
}

std::string all_of(std::span<const TranslatedText> texts, bool translated) {
  std::string all;
  for (const TranslatedText& text : texts)
    all += (all.empty() ? "" : "\n") + (translated ? text.translation(0) : text.text);
  return all;
}

Sentences through_both(std::span<const TranslatedText> first,
                       std::span<const TranslatedText> second) {
  Sentences sentences;
  const auto add_as_one = [&](std::span<const TranslatedText> a,
                              std::span<const TranslatedText> b) {
    sentences.push_back(through_both(as_one(all_of(a, false), "", sentences_of(a)),
                                     as_one("", all_of(b, true), sentences_of(b))));
  };
  if (first.size() != second.size()) {
    add_as_one(first, second);
    return sentences;
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    Sentences a = sentences_of(first.subspan(i, 1)), b = sentences_of(second.subspan(i, 1));
    if (a.size() != b.size()) {
      add_as_one(first.subspan(i, 1), second.subspan(i, 1));
      continue;
    }
    for (std::size_t k = 0; k < a.size(); ++k)
      sentences.push_back(through_both(std::move(a[k]), std::move(b[k])));
  }
  return sentences;
}

// The texts of each document.
std::vector<std::span<const TranslatedText>> by_document(const Documents& documents,
                                                         std::span<const TranslatedText> texts) {
  std::vector<std::span<const TranslatedText>> all;
  for (const auto& document : documents) {
    all.push_back(texts.first(document->texts().size()));
    texts = texts.subspan(document->texts().size());
  }
  return all;
}

}  // namespace

std::vector<Sentences> TranslatedRequest::sentences() const {
  std::vector<Sentences> all;
  const auto last = by_document(*documents, texts.texts);
  if (!first_documents) {
    for (const auto& document : last) all.push_back(sentences_of(document));
    return all;
  }
  const auto first = by_document(*first_documents, first_texts.texts);
  for (std::size_t i = 0; i < last.size(); ++i) all.push_back(through_both(first[i], last[i]));
  return all;
}

LanguageGuess detected_source(const Models& models, const std::vector<SourceText>& texts,
                              const std::string& target) {
  std::string all;
  for (const SourceText& one : texts) all += one.text + '\n';
  const std::vector<LanguageGuess> guesses = guess_language(all, models.sources_into(target));
  if (guesses.empty())
    throw HttpError{400, fmt::format("no model translates into {}; GET /languages lists the pairs",
                                     quote(target))};
  return guesses.front();
}

void translate_documents(const std::shared_ptr<Call>& call, DocumentRequest request,
                         std::function<void(TranslatedRequest)> done) {
  const Models& models = call->service.models();
  std::vector<SourceText> texts = texts_of(*request.documents);
  TranslatedRequest result{.documents = request.documents, .texts = {}, .source = request.source};
  if (request.source == "auto") {
    result.detected = detected_source(models, texts, request.target);
    result.source = result.detected->language;
  }
  const std::vector<ChosenTranslator> chosen = models.translators(result.source, request.target);
  const bool is_last = chosen.size() == 1;
  if (!is_last && !request.glossary.empty())
    throw HttpError{400, fmt::format("a glossary needs a model that translates from {} to {} alone",
                                     quote(result.source), quote(request.target))};
  TextTranslation first =
      text_translation(*call, chosen.front(), is_last ? request.alternatives : 0);
  for (std::string& term : request.glossary) first.options.glossary.push_back(std::move(term));
  std::optional<TextTranslation> second;
  if (!is_last) {
    second = text_translation(*call, chosen.back(), request.alternatives);
    result.via = chosen.front().target;
  }
  translate_texts(
      call, first, std::move(texts),
      [call, read = std::move(request.read), second = std::move(second), result = std::move(result),
       done = std::move(done)](TranslatedTexts all) mutable {
        result.texts = std::move(all);
        if (!second) return done(std::move(result));
        translate_again(call, *second, read, std::move(result), done);
      });
}

HttpHeaders headers_of(const TranslatedRequest& result) {
  HttpHeaders headers;
  if (result.texts.cut > 0)
    headers.add("Attend-Cut-Sentences", fmt::format("{}", result.texts.cut));
  if (!result.via.empty()) headers.add("Attend-Via", result.via);
  return headers;
}

HttpResponse file_response(const std::string& name, std::string content, HttpHeaders headers) {
  std::string plain;
  for (const char c : name)
    plain += is_ascii_alphanumeric(c) || c == '.' || c == '-' || c == '_' ? c : '_';
  headers.add("Content-Disposition", fmt::format("attachment; filename=\"{}\"", plain));
  HttpResponse response{.type = type_of_extension(extension_of(name)), .body = std::move(content)};
  response.headers = std::move(headers);
  return response;
}

}  // namespace attend
