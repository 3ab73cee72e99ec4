// How a translation is found: the routes of pages and programs that show beam search.
#include <fmt/format.h>

#include "attend/core/strings/quote.h"
#include "attend/inspect/beam_tree.h"
#include "attend/server/routes/exploring.h"
#include "attend/server/routes/inputs.h"
#include "attend/server/work/preparation.h"
#include "attend/server/work/submission.h"
#include "attend/tasks/model_file/model_reading.h"
#include "attend/tasks/translation/engine.h"

namespace attend {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kAlternatives = 10, kMostAlternatives = 100;

// A model, and the languages if it has several.
ServedModelPointer translator_of(const Call& call, const char* target_language,
                                 TranslationOptions& options) {
  const Parameters& p = call.parameters;
  ServedModelPointer model = call.service.models().find<Translator>(p.text("model"));
  options = model->as<Translator>()->default_options();
  options.languages = model->own_names(p.text("source"), p.text(target_language));
  options.preparation = preparation_of(call);
  return model;
}

// The ids of a list of tokens.
std::vector<std::int32_t> listed_ids(const Parameters& p, const char* name,
                                     const Tokenizer& target) {
  std::vector<std::int32_t> ids;
  for (const std::string& token : p.texts(name)) {
    ids.push_back(target.id(token));
    if (ids.back() < 0 || target.piece(ids.back()) != token)
      throw HttpError{400, fmt::format("{}: the model has no token {}", name, quote(token))};
  }
  return ids;
}

// "prefix": a text, or a list of tokens.
void read_prefix(const Parameters& p, const Tokenizer& target, TranslationOptions& options) {
  if (!p.has("prefix")) return;
  if (p.is_list("prefix"))
    options.prefix_ids = {listed_ids(p, "prefix", target)};
  else
    options.prefixes = {p.text("prefix")};
}

void search(const std::shared_ptr<Call>& call) {
  const Parameters& p = call->parameters;
  TranslationOptions options;
  const ServedModelPointer model = translator_of(*call, "target", options);
  const Translator& translator = *model->as<Translator>();
  BeamSearchOptions& beam = options.beam;
  beam.beam_size = static_cast<int>(
      p.whole("beam_size", 1, kWidestShownBeam, std::min(beam.beam_size, kWidestShownBeam)));
  beam.length_penalty =
      static_cast<float>(p.number("length_penalty", -10, 10, double{beam.length_penalty}));
  options.must_contain = p.texts("must_contain");
  options.must_not_contain = p.texts("must_not_contain");
  read_prefix(p, translator.target_tokenizer(), options);
  const BeamRecorder recorder;
  show_search(options, recorder);
  const auto body_of = [model, recorder](const Translation& found) {
    return search_json(found, recorder, model->as<Translator>()->target_tokenizer());
  };
  if (attention_changes_of(p) != AttentionChangeOptions{}) {
    answer_changed(call, model,
                   [text = p.text("text"), options, body_of](const SavedModel& changed) {
                     const TranslationEngine engine(model_as<TranslationModel>(changed));
                     return body_of(engine.translate(std::span(&text, 1), options).front());
                   });
    return call->spend()(std::ssize(model->tokenizer.encode(p.text("text"))));
  }
  const auto done = [call, body_of](const std::vector<Translation>& found) {
    call->respond(body_of(found.front()));
  };
  submit<Translation>(call, translator, TranslationRequest{{p.text("text")}, std::move(options)}, 1,
                      done);
}

void require_short(const char* name, std::size_t tokens) {
  if (tokens > kLongestShownSource)
    throw HttpError{413, fmt::format("{}: expected at most {} tokens, got {}", name,
                                     kLongestShownSource, tokens)};
}

void alternatives(const std::shared_ptr<Call>& call) {
  const Parameters& p = call->parameters;
  TranslationOptions options;
  const ServedModelPointer model = translator_of(*call, "target_language", options);
  const Translator& translator = *model->as<Translator>();
  const Tokenizer& tokenizer = translator.target_tokenizer();
  const std::string text = p.text("text");
  const std::vector<std::int32_t> target =
      p.is_list("target") ? listed_ids(p, "target", tokenizer) : tokenizer.encode(p.text("target"));
  const std::size_t source_tokens = translator.source_tokenizer().encode(text).size();
  require_short("text", source_tokens);
  require_short("target", target.size());
  const int count = static_cast<int>(p.whole("count", 1, kMostAlternatives, kAlternatives));
  const auto tokens = static_cast<std::int64_t>(source_tokens + target.size()) + 1;
  run_in_turn(call, tokens, [call, model, text, target, count, languages = options.languages] {
    const std::vector<TokenAlternatives> found =
        model->as<Translator>()->alternatives(text, target, count, languages);
    call->respond({{"tokens", alternatives_json(found)}});
  });
  call->spend()(tokens);
}

}  // namespace

std::vector<Route> search_routes() {
  return {{"POST",
           "/attend/v1/alternatives",
           "attend",
           "The most likely tokens at every position of a translation",
           {{"text", FieldType::text, "a sentence of at most 256 tokens", true},
            {"target", FieldType::texts, "its translation: a text, or a list of tokens", true},
            {"count", FieldType::whole, "tokens for each position, at most 100 (10)"},
            {"source", FieldType::text, "language of the text, for a multilingual model"},
            {"target_language", FieldType::text,
             "language of the translation, for a multilingual model"},
            {"model", FieldType::text,
             "name of a model, from /v1/models; default: the first that translates"}},
           R"({"text": "The old dog sleeps.", "target": "Der alte Hund schläft.", "count": 3})",
           alternatives},
          {"POST",
           "/attend/v1/beam",
           "attend",
           "Translate a sentence and show every step of beam search",
           {{"text", FieldType::text, "a sentence of at most 256 tokens", true},
            {"source", FieldType::text, "language of the text, for a multilingual model"},
            {"target", FieldType::text, "language to translate into, for a multilingual model"},
            {"beam_size", FieldType::whole, "hypotheses kept at every step, at most 16"},
            {"length_penalty", FieldType::number,
             "scores are log-probabilities divided by length^penalty"},
            {"prefix", FieldType::texts, "prefix of the translation: a text, or a list of tokens"},
            {"must_contain", FieldType::texts,
             "phrase that the translation must contain, or a list of phrases"},
            {"must_not_contain", FieldType::texts,
             "phrase that the translation must not contain, or a list of phrases"},
            kHeadsOffField,
            kBetaField,
            kPositionsOffField,
            kMaskOffField,
            {"model", FieldType::text,
             "name of a model, from /v1/models; default: the first that translates"}},
           R"({"text": "The old dog sleeps.", "beam_size": 3, "prefix": "Der"})",
           search}};
}

}  // namespace attend
