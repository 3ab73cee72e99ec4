// The routes of the explorer: its page, and the answers of a model whose attention is changed.
#include <fmt/format.h>

#include <functional>
#include <span>
#include <utility>

#include "attend/core/json/json_text.h"
#include "attend/inspect/attention_page.h"
#include "attend/inspect/explorer_json.h"
#include "attend/server/routes/exploring.h"
#include "attend/server/service.h"

namespace attend {
namespace {

using Json = nlohmann::ordered_json;

Exploration exploration_of(const Parameters& p, const ServedModel& model) {
  Exploration exploration{.text = p.text("text"),
                          .languages = explored_languages(p, model),
                          .prefix = p.text("prefix"),
                          .reference = p.text("reference"),
                          .changes = attention_changes_of(p)};
  if (p.has("translation")) exploration.translation = p.text("translation");
  return exploration;
}

// Everyone who shares a model pays for it: its texts are read once for every answer.
std::int64_t tokens_in(const ServedModel& model, std::span<const std::string> texts) {
  std::int64_t tokens = 0;
  for (const std::string& text : texts) tokens += std::ssize(model.tokenizer.encode(text));
  return tokens;
}

// Answers with what `look` sees of an exploration.
void answer_explored(const std::shared_ptr<Call>& call,
                     std::function<Json(const Explorer&, const Exploration&)> look) {
  const ServedModelPointer model = explored_model(*call);
  Exploration exploration = exploration_of(call->parameters, *model);
  const std::int64_t tokens = tokens_in(*model, std::span(&exploration.text, 1));
  call->service.explorers().run(
      [call, model, exploration = std::move(exploration), look = std::move(look)] {
        if (call->exchange->is_abandoned()) return;
        try {
          Json answer{{"model", model->name}, {"task", model->task}};
          answer.update(look(*call->service.explorers().of(*model), exploration));
          call->respond(answer);
        } catch (...) {
          call->fail(std::current_exception());
        }
      });
  call->spend()(tokens);
}

void explore(const std::shared_ptr<Call>& call) {
  answer_explored(call, [](const Explorer& explorer, const Exploration& exploration) {
    return explorer.explore(exploration);
  });
}

void look_inside(const std::shared_ptr<Call>& call) {
  answer_explored(call, [modules = call->parameters.texts("modules")](
                            const Explorer& explorer, const Exploration& exploration) {
    return explorer.inside(exploration, modules);
  });
}

// The effects of all heads, one event each. Every head is a task of its own, so that others take
// turns.
class HeadEffects : public std::enable_shared_from_this<HeadEffects> {
 public:
  HeadEffects(std::shared_ptr<Call> call, ServedModelPointer model)
      : call_(std::move(call)), model_(std::move(model)) {}

  void start() {
    Exploration exploration = exploration_of(call_->parameters, *model_);
    const std::int64_t tokens = tokens_in(*model_, std::span(&exploration.text, 1));
    const Spend spend = call_->spend();
    call_->service.explorers().run([self = shared_from_this(), exploration] {
      try {
        self->explorer_ = self->call_->service.explorers().of(*self->model_);
        self->trials_.emplace(self->explorer_->head_trials(exploration));
      } catch (...) {
        return self->call_->fail(std::current_exception());
      }
      self->begin();
      self->proceed([&] { self->next(); });
    });
    spend(tokens);
  }

 private:
  void begin() {
    HttpResponse head{.type = "text/event-stream; charset=utf-8"};
    head.headers.add("Cache-Control", "no-cache");
    call_->exchange->begin(std::move(head));
    send({{"heads", trials_->size()}});
  }
  void send(const Json& event) {
    call_->exchange->write(fmt::format("data: {}\n\n", json_text(event)));
  }
  void next() {
    if (call_->exchange->is_abandoned()) return;
    if (done_ == trials_->size()) {
      call_->exchange->write("data: [DONE]\n\n");
      return call_->exchange->end();
    }
    call_->service.explorers().go_on([self = shared_from_this()] { self->step(); });
  }
  void step() {
    proceed([this] {
      send(to_json(trials_->effect(done_++)));
      next();
    });
  }
  // The response has begun: an error is an event, the last one.
  template <class Work>
  void proceed(const Work& work) {
    try {
      work();
    } catch (...) {
      send({{"error", http_error_of(std::current_exception()).message}});
      call_->exchange->end();
    }
  }

  const std::shared_ptr<Call> call_;
  const ServedModelPointer model_;
  std::shared_ptr<const Explorer> explorer_;
  std::optional<HeadTrials> trials_;
  std::size_t done_ = 0;
};

void head_effects_of(const std::shared_ptr<Call>& call) {
  std::make_shared<HeadEffects>(call, explored_model(*call))->start();
}

// What is drawn in place of a search or a score.
void draw(const std::shared_ptr<Call>& call) {
  const Parameters& p = call->parameters;
  const ServedModelPointer model = explored_model(*call);
  DrawQuestion question{.text = p.text("text"),
                        .languages = explored_languages(p, *model),
                        .prefix = p.text("prefix")};
  question.temperature = static_cast<float>(p.number("temperature", 0, 100, 1));
  question.seed = p.seed("seed", 1);
  question.max_tokens =
      static_cast<int>(p.whole("max_tokens", 1, kMaxPageTokens, question.max_tokens));
  answer_changed(call, model, [question](const SavedModel& changed) -> Json {
    return to_json(drawn_text(changed, question));
  });
  call->spend()(tokens_in(*model, std::span(&question.text, 1)));
}

constexpr std::size_t kMostUses = 64;  // texts of a request

void uses_of_word(const std::shared_ptr<Call>& call) {
  const Parameters& p = call->parameters;
  const ServedModelPointer model = explored_model(*call);
  const std::vector<std::string> texts = p.texts("texts");
  if (texts.empty() || texts.size() > kMostUses)
    throw HttpError{400,
                    fmt::format("texts: expected 1 to {} texts, got {}", kMostUses, texts.size())};
  for (const std::string& text : texts)
    require_page_length(model->tokenizer.encode(text), "a text");
  const int layer = static_cast<int>(p.whole("layer", -1025, 1024, -1));
  answer_changed(call, model, [texts, word = p.text("word"), layer](const SavedModel& changed) {
    const EmbeddingEngine embedder(changed);
    return to_json(word_uses(embedder, texts, word, layer), embedder.layers());
  });
  call->spend()(tokens_in(*model, texts));
}

void explorer_file(const std::shared_ptr<Call>& call, std::string_view name,
                   std::string_view type) {
  call->service.explorers().require_enabled();
  call->respond(page_response(type, explorer_page_file(name)));
}
void explorer_page(const std::shared_ptr<Call>& call) {
  explorer_file(call, "explore.html", "text/html; charset=utf-8");
}
void explorer_style(const std::shared_ptr<Call>& call) {
  explorer_file(call, "explore.css", "text/css; charset=utf-8");
}
void explorer_script(const std::shared_ptr<Call>& call) {
  explorer_file(call, "explore.js", "text/javascript; charset=utf-8");
}

constexpr RouteField kText{"text", FieldType::text, "text to translate, classify or read", true};
constexpr RouteField kTranslation{"translation", FieldType::text,
                                  "show this translation; default: the model's own"};
constexpr RouteField kPrefix{"prefix", FieldType::text, "prefix of the model's translation"};

std::vector<RouteField> drawing_fields() {
  return {{"text", FieldType::text, "text to translate or to continue", true},
          kPrefix,
          {"temperature", FieldType::number,
           "divides the logits (1); 0: the most probable token at every position"},
          {"seed", FieldType::whole, "equal seeds give equal texts (1)"},
          {"max_tokens", FieldType::whole, "most tokens to write, at most 256 (60)"},
          kHeadsOffField,
          kBetaField,
          kPositionsOffField,
          kMaskOffField,
          kSourceField,
          kTargetField,
          kExploredModelField};
}

std::vector<RouteField> word_fields() {
  return {{"texts", FieldType::texts, "at most 64 texts with the word", true},
          {"word", FieldType::text, "the word", true},
          {"layer", FieldType::whole,
           "of the encoder or language model: 1 is the first, -1 the last (-1), 0 the input of the "
           "first"},
          kHeadsOffField,
          kBetaField,
          kPositionsOffField,
          kMaskOffField,
          kExploredModelField};
}

}  // namespace

std::vector<Route> explorer_routes() {
  const std::string_view group = "Explorer";
  const auto get = [&](std::string_view path, std::string_view summary,
                       void (*run)(const std::shared_ptr<Call>&)) {
    return Route{"GET", path, group, summary, {}, "", run, Dialect::plain, Route::Key::none};
  };
  return {
      get("/explore",
          "The explorer page: a model's attention, and how changing it changes the output",
          explorer_page),
      get("/explore.css", "The style of the page", explorer_style),
      get("/explore.js", "The script of the page", explorer_script),
      {"POST",
       "/explore",
       group,
       "Translate, classify or read a text, with the attention of every head; heads may be "
       "switched off or sharpened",
       {kText,
        kTranslation,
        kPrefix,
        {"reference", FieldType::text, "another translation to score"},
        kHeadsOffField,
        kBetaField,
        kPositionsOffField,
        kMaskOffField,
        kSourceField,
        kTargetField,
        kExploredModelField},
       R"({"text": "The old dog sleeps.", "heads_off": ["encoder.layers.0.self_attn:0"]})",
       explore},
      {"POST",
       "/explore/inside",
       group,
       "Everything that a Transformer computes for a text: embeddings, queries, keys, scores, "
       "sums, probabilities",
       {kText,
        kTranslation,
        kPrefix,
        {"modules", FieldType::texts,
         "names of modules whose values are wanted: encoder.layers.0.self_attn, decoder.*; "
         "default: all"},
        kHeadsOffField,
        kBetaField,
        kPositionsOffField,
        kMaskOffField,
        kSourceField,
        kTargetField,
        kExploredModelField},
       R"({"text": "The old dog sleeps.", "modules": ["encoder.layers.0.self_attn"]})",
       look_inside},
      {"POST",
       "/explore/heads",
       group,
       "Switch off one head at a time; the change of the answer's log-probability, as events",
       {kText, kTranslation, kPrefix, kHeadsOffField, kBetaField, kPositionsOffField, kMaskOffField,
        kSourceField, kTargetField, kExploredModelField},
       R"({"text": "The old dog sleeps."})",
       head_effects_of},
      {"POST", "/explore/draw", group,
       "Sample a translation, or the continuation of a text, at an output temperature",
       drawing_fields(), R"({"text": "The old dog sleeps.", "temperature": 0.7, "seed": 2})", draw},
      {"POST", "/explore/words", group,
       "The vectors of a word in several texts, as points of a plane", word_fields(),
       R"({"texts": ["The old dog sleeps.", "A dog sees the cat."], "word": "dog"})",
       uses_of_word}};
}

}  // namespace attend
