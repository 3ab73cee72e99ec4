#include "attend/server/work/translated_request.h"

#include <fmt/format.h>

#include <utility>

#include "attend/core/strings/ascii.h"
#include "attend/core/strings/quote.h"
#include "attend/server/service.h"

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
    first.documents = std::move(documents);
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

}  // namespace

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
    if (first.options.trust)
      throw HttpError{400, "trust: expected a model for both languages, not two in a row"};
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
