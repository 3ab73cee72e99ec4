// The routes of Hugging Face's servers: text-embeddings-inference and the inference API; and the
// scores of texts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/core/json/json_text.h"
#include "attend/core/strings/quote.h"
#include "attend/inspect/beam_tree.h"
#include "attend/server/completions/completion.h"
#include "attend/server/http/form.h"
#include "attend/server/routes/inputs.h"
#include "attend/server/routes/labels.h"
#include "attend/server/routes/vectors.h"
#include "attend/server/work/preparation.h"
#include "attend/server/work/submission.h"
#include "attend/server/work/text_translation.h"
#include "attend/version.h"

namespace attend {
namespace {

using Json = nlohmann::ordered_json;

Json vector_of(const Embedding& embedding, std::int64_t width, bool normalize) {
  Json list = Json::array();
  for (const float value : first_values(embedding, width, normalize))
    list.push_back(json_number(value));
  return list;
}

void embed_inputs(const std::shared_ptr<Call>& call, bool normalize) {
  const Parameters& p = call->parameters;
  const ServedModelPointer model = call->service.models().find<Embedder>(p.text("model"));
  std::vector<std::string> inputs = inputs_of(p);
  const std::size_t count = inputs.size();
  const std::int64_t width = dimensions_of(p, *model->as<Embedder>());
  EmbeddingOptions options;
  options.prompt = p.text("prompt_name");
  options.split_special_tokens = p.flag("split_special_tokens", false);
  options.preparation = preparation_of(*call);
  const bool truncate = p.flag("truncate", true);
  const auto done = [call, width, normalize, truncate](const std::vector<Embedding>& embedded) {
    Json list = Json::array();
    for (const Embedding& one : embedded) {
      if (one.omitted > 0 && !truncate)
        throw HttpError{413, fmt::format("inputs: a text has {} tokens more than the model reads; "
                                         "shorten it or send \"truncate\": true",
                                         one.omitted)};
      list.push_back(vector_of(one, width, normalize));
    }
    call->respond(list);
  };
  submit<Embedding>(call, *model->as<Embedder>(), EmbeddingRequest{std::move(inputs), options},
                    count, done);
}

void embed(const std::shared_ptr<Call>& call) {
  embed_inputs(call, call->parameters.flag("normalize", true));
}

// `asked`: the name of the model; empty: by the first that translates these languages. Without
// languages in the request, they are those of `model`.
void translate_inputs(const std::shared_ptr<Call>& call, const ServedModelPointer& model,
                      const std::string& asked) {
  const Parameters& p = call->parameters;
  std::string source = model->sources.front(), target = model->targets.front();
  static constexpr std::string_view kMembers[] = {"src_lang", "tgt_lang"};
  if (const Json* const more = p.object("parameters", kMembers)) {
    for (const auto& [name, language] :
         {std::pair<const char*, std::string*>{"src_lang", &source}, {"tgt_lang", &target}}) {
      const Json value = more->value(name, Json());
      if (!value.is_null() && !value.is_string())
        throw HttpError{400, fmt::format("parameters: expected a string as {}", name)};
      if (value.is_string()) *language = value.get<std::string>();
    }
  }
  const ChosenTranslator chosen = call->service.models().translator(source, target, asked);
  const TextTranslation how = text_translation(*call, chosen, 0);
  std::vector<SourceText> texts;
  for (std::string& input : inputs_of(p)) texts.push_back({std::move(input)});
  translate_texts(call, how, std::move(texts), [call](const TranslatedTexts& all) {
    Json body = Json::array();
    for (const TranslatedText& one : all.texts)
      body.push_back({{"translation_text", one.translation(0)}});
    call->respond(body);
  });
}

constexpr std::string_view kModelPath = "/models/";

// The model of the path, or else the first one: clients that use these routes have one in mind.
void infer(const std::shared_ptr<Call>& call) {
  const std::string_view path = call->exchange->request().path;
  const std::string asked = path.starts_with(kModelPath)
                                ? decoded_path_text(path.substr(kModelPath.size()))
                                : call->parameters.text("model");
  const std::string name = asked == "default" ? "" : asked;
  for (const ServedModelPointer& model : call->service.models().all()) {
    if (!name.empty() && model->name != name) continue;
    if (model->is<Translator>()) return translate_inputs(call, model, name);
    if (model->is<Classifier>()) return classify_inputs(call, model);
    if (model->is<Tagger>()) return tag_inputs(call, model);
    if (model->is<Embedder>()) {
      call->parameters.object("parameters", {});
      return embed_inputs(call, false);
    }
    throw HttpError{400,
                    fmt::format("{} is a language model; use /v1/completions", quote(model->name))};
  }
  throw HttpError{404, fmt::format("there is no model {}", quote(name))};
}

// At most so many, as each takes more memory than its text.
Json tokens_of(const std::string& text, const Tokenizer& tokenizer, std::size_t most) {
  Json list = Json::array();
  const std::vector<std::int32_t> ids = tokenizer.encode(text);
  if (ids.size() > most)
    throw HttpError{413, fmt::format("inputs: more tokens than max-tokens-in-queue; {} of them "
                                     "are in one text",
                                     ids.size())};
  for (const std::int32_t id : ids)
    list.push_back({{"id", id}, {"text", tokenizer.piece(id)}, {"special", false}});
  return list;
}

void tokenize(const std::shared_ptr<Call>& call) {
  const Parameters& p = call->parameters;
  const std::string name = p.text("model");
  const auto all = call->service.models().all();
  const auto model = std::find_if(all.begin(), all.end(), [&](const ServedModelPointer& one) {
    return name.empty() || name == "default" || one->name == name;
  });
  if (model == all.end()) throw HttpError{404, fmt::format("there is no model {}", quote(name))};
  const auto most = static_cast<std::size_t>(call->service.options().max_tokens_in_queue);
  std::size_t tokens = 0;
  Json body = Json::array();
  for (const std::string& text : inputs_of(p)) {
    body.push_back(tokens_of(text, (*model)->tokenizer, most - tokens));
    tokens += body.back().size();
  }
  call->respond(body);
}

void info(const std::shared_ptr<Call>& call) {
  const ServedModelPointer model = call->service.models().all().front();
  call->respond({{"model_id", model->name},
                 {"model_type", model->task},
                 {"max_client_batch_size", kMostInferred},
                 {"max_batch_tokens", call->service.options().max_tokens_in_queue},
                 {"version", version()}});
}

void respond_scores(const std::shared_ptr<Call>& call, const std::vector<SequenceScore>& scores) {
  Json body = Json::array();
  for (const SequenceScore& score : scores) {
    Json tokens = Json::array();
    for (const float value : score.token_scores) tokens.push_back(json_number(value));
    body.push_back({{"log_probability", json_number(score.log_probability)},
                    {"token_log_probabilities", std::move(tokens)}});
    if (score.trust) body.back().update(trust_json(*score.trust));
  }
  call->respond(body);
}

void score(const std::shared_ptr<Call>& call) {
  const Parameters& p = call->parameters;
  std::vector<std::string> targets = p.texts("targets"), sources = p.texts("sources");
  const std::size_t count = targets.size();
  if (count == 0 || count > kMostInferred)
    throw HttpError{400, fmt::format("targets: expected 1 to {} texts", kMostInferred)};
  const auto done = [call](const std::vector<SequenceScore>& scores) {
    respond_scores(call, scores);
  };
  const ScoringOptions options{.preparation = preparation_of(*call),
                               .trust = p.flag("trust", false)};
  const Models& models = call->service.models();
  if (!p.has("sources")) {
    if (options.trust) throw HttpError{400, "trust: expected the sources of translations"};
    const ServedModelPointer model = models.find<Generator>(p.text("model"));
    return submit<SequenceScore>(call, *model->as<Generator>(),
                                 TextScoringRequest{std::move(targets), options}, count, done);
  }
  const ServedModelPointer model = models.find<Translator>(p.text("model"));
  PairScoringRequest request{std::move(sources), std::move(targets)};
  request.languages = model->own_names(p.text("source"), p.text("target"));
  request.options = options;
  submit<SequenceScore>(call, *model->as<Translator>(), std::move(request), count, done);
}

constexpr RouteField kInputs{"inputs", FieldType::texts, "text, or a list of texts", true};
constexpr RouteField kLabelInputs{
    "inputs", FieldType::inputs,
    "text, pair of texts, or a list of either; pairs are for classifiers", true};
constexpr RouteField kInferenceParameters{
    "parameters", FieldType::any,
    "{\"src_lang\", \"tgt_lang\"} of a translation; {\"top_k\", \"function_to_apply\"} of labels; "
    "{\"aggregation_strategy\", \"ignore_labels\", \"stride\"} of tags; {\"split_special_tokens\"} "
    "of both"};
constexpr RouteField kInferenceOptions = ignored_field("options");
constexpr RouteField kSplitSpecialTokens{
    "split_special_tokens", FieldType::flag,
    "read special tokens in a text, such as [SEP], as text (false: as an imported model does)"};
constexpr RouteField kModel{"model", FieldType::text,
                            "name of a model, from /v1/models; default: the first that fits"};

std::vector<RouteField> embed_fields() {
  return with_preparation(
      {kInputs,
       {"normalize", FieldType::flag, "scale vectors to length 1 (true)"},
       {"truncate", FieldType::flag,
        "read the beginning of a text that is too long (true), or refuse it"},
       fixed_field("truncation_direction", R"(["Right", "right"])"),
       {"prompt_name", FieldType::text, "name of a prompt of the model, such as query"},
       kSplitSpecialTokens,
       {"dimensions", FieldType::whole,
        "keep this many values of each vector, at most its width; 0: all"},
       kModel});
}

std::vector<RouteField> scoring_fields() {
  return with_target_preparation(
      {{"targets", FieldType::texts, "texts to score", true},
       {"sources", FieldType::texts,
        "sources of the targets; without sources, a language model scores"},
       {"source", FieldType::text, "language of the sources, for a multilingual model"},
       {"target", FieldType::text, "language of the targets, for a multilingual model"},
       {"trust", FieldType::flag,
        "answer also with the confidence of translations (0 to 1; null: the model has no "
        "calibration) and flags for what looks wrong (false)"},
       kModel});
}

}  // namespace

std::vector<Route> inference_routes() {
  const std::string_view group = "Hugging Face";
  const Dialect dialect = Dialect::embeddings;
  return {
      {"POST", "/embed", group, "Turn texts into vectors, as text-embeddings-inference does",
       embed_fields(), R"({"inputs": ["A dog sleeps.", "A cat eats."]})", embed, dialect},
      {"POST", "/predict", group, "Classify texts",
       with_preparation(
           {kLabelInputs,
            {"raw_scores", FieldType::flag,
             "for a model of one number: return the number itself, not its sigmoid (false)"},
            fixed_field("truncate", "[false]"),
            fixed_field("truncation_direction", R"(["Right", "right"])"),
            kSplitSpecialTokens,
            kModel}),
       R"({"inputs": "A good film."})", predict, dialect},
      {"POST",
       "/tokenize",
       group,
       "Split texts into tokens",
       {kInputs, fixed_field("add_special_tokens", "[false]"), kModel},
       R"({"inputs": "The old dog sleeps."})",
       tokenize,
       dialect},
      {"GET", "/info", group, "Describe the first model", {}, "", info, dialect},
      {"POST",
       "/",
       group,
       "Use the first model for its task: translate, classify, tag or embed",
       {kLabelInputs, kInferenceParameters, kInferenceOptions, kModel},
       R"({"inputs": "The old dog sleeps."})",
       infer},
      {"POST",
       kModelPath,
       group,
       "The same for the model whose name follows: /models/NAME",
       {kLabelInputs, kInferenceParameters, kInferenceOptions},
       "",
       infer},
      {"POST", "/score", "attend",
       "The log-probability of translations, or of lines of a language model", scoring_fields(),
       R"({"sources": ["The old dog sleeps."], "targets": ["Der alte Hund schläft."]})", score}};
}

}  // namespace attend
