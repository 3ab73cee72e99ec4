#include "attend/inspect/inside_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>
#include <utility>

#include "attend/checkpoint/finite.h"
#include "attend/core/json/json.h"
#include "attend/core/json/json_text.h"
#include "attend/core/options/name_pattern.h"
#include "attend/core/options/option_error.h"
#include "attend/core/strings/base64.h"
#include "attend/core/strings/quote.h"
#include "attend/inspect/axis_labels.h"

namespace attend {

namespace {

using Json = nlohmann::ordered_json;
using IdList = std::vector<std::int32_t>;

static_assert(std::endian::native == std::endian::little);

// The values of a pass over one text, as JSON.
class InsideValues final : public PassValues {
 public:
  InsideValues(const std::vector<std::string>& patterns, std::string source)
      : patterns_(patterns), source_(std::move(source)) {}

  bool wants(const std::string& module) override {
    if (std::find(modules_.begin(), modules_.end(), module) == modules_.end())
      modules_.push_back(module);
    return patterns_.empty() ||
           std::any_of(patterns_.begin(), patterns_.end(),
                       [&](const std::string& pattern) { return fits_pattern(module, pattern); });
  }

  void keep(PassValue value) override {
    const Tensor host = value.value.to_host();
    if (value.name == "queries") queries_ = host.rows();
    if (value.name != "scores") require_finite(host.span(), value.module, source_);
    const bool is_of_pairs = host.shape().rank() == 1;
    const std::int64_t rows = is_of_pairs ? value.heads * queries_ : host.rows();
    const std::span<const float> numbers = host.span();
    bytes_ += (std::ssize(numbers) * 4 + 2) / 3 * 4;
    if (bytes_ > kMostInsideBytes)
      throw OptionError<ConfigError>(
          "{}: expected at most {} MB of values, found more; shorten the text, or name some "
          "modules, "
          "such as {}",
          as_key("modules"), kMostInsideBytes / 1'000'000, value.module);
    values_.push_back(
        {{"module", value.module},
         {"name", value.name},
         {"shape", {rows, rows > 0 ? std::ssize(numbers) / rows : 0}},
         {"heads", value.heads},
         {"data", to_base64({reinterpret_cast<const char*>(numbers.data()), numbers.size() * 4})}});
  }

  // All of them, after the pass.
  Json take() {
    for (const std::string& pattern : patterns_)
      if (std::none_of(modules_.begin(), modules_.end(),
                       [&](const std::string& module) { return fits_pattern(module, pattern); }))
        throw OptionError<ConfigError>("{}: no module has the name {}; {} has {}",
                                       as_key("modules"), quote(pattern), source_,
                                       fmt::join(modules_, ", "));
    return std::move(values_);
  }

 private:
  const std::vector<std::string>& patterns_;
  const std::string source_;
  std::vector<std::string> modules_;  // that the model has
  std::int64_t queries_ = 0;          // of the attention at hand
  std::int64_t bytes_ = 0;
  Json values_ = Json::array();
};

constexpr std::int64_t kShownTokens = 10;  // of a row of "next"

Json most_probable(const Tokenizer& tokenizer, std::span<const float> logits) {
  const float highest = *std::max_element(logits.begin(), logits.end());
  const double sum = std::accumulate(
      logits.begin(), logits.end(), 0.0,
      [&](double total, float logit) { return total + std::exp(double{logit} - double{highest}); });
  IdList order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const auto logit_of = [&](std::int32_t id) { return logits[static_cast<std::size_t>(id)]; };
  const auto shown = order.begin() + std::min<std::int64_t>(kShownTokens, std::ssize(order));
  std::partial_sort(order.begin(), shown, order.end(), [&](std::int32_t a, std::int32_t b) {
    return logit_of(a) != logit_of(b) ? logit_of(a) > logit_of(b) : a < b;
  });
  Json tokens = Json::array();
  for (auto id = order.begin(); id != shown; ++id) {
    const double probability = std::exp(double{logit_of(*id)} - double{highest}) / sum;
    tokens.push_back({{"token", tokenizer.piece(*id)},
                      {"id", *id},
                      {"logit", json_number(logit_of(*id))},
                      {"probability", json_number(static_cast<float>(probability))}});
  }
  return tokens;
}

// The tokens behind each row of `hidden`. Logits are many, so they are computed for some rows at a
// time.
Json next_tokens(const Tokenizer& tokenizer, const Variable& hidden, const std::string& source,
                 const std::function<Variable(const Variable&)>& project) {
  constexpr std::int64_t kRows = 16;
  Json next = Json::array();
  const Tensor states = hidden.value();
  for (std::int64_t begin = 0; begin < states.rows(); begin += kRows) {
    const std::int64_t end = std::min(begin + kRows, states.rows());
    const Tensor logits = project(Variable(states.slice_rows(begin, end))).value().to_host();
    require_finite(logits.span(), "logits", source);
    for (std::int64_t row = 0; row < logits.rows(); ++row)
      next.push_back(most_probable(
          tokenizer, std::span(logits.row(row), static_cast<std::size_t>(logits.cols()))));
  }
  return next;
}

struct LayerNumbers {
  int encoder = 0, decoder = 0;
};

// What a reader of the values must know of the model.
Json architecture_json(const SavedModel& model, const LayerNumbers& layers, int vocabulary) {
  const std::optional<StackConfig> stack = model.stack();
  if (!stack)
    throw ConfigError("what is inside a model: expected a Transformer, found a recurrent network");
  const Json options = parse_json(model.configuration().at("attend.config"), model.source);
  const int head = stack->d_model / stack->n_heads;
  Json json{{"d_model", stack->d_model},
            {"heads", stack->n_heads},
            {"key_heads", stack->n_key_heads > 0 ? stack->n_key_heads : stack->n_heads},
            {"d_key", stack->key_width()},
            {"d_value", stack->d_value > 0 ? stack->d_value : head},
            {"d_ff", stack->d_ff},
            {"layers", {{"encoder", layers.encoder}, {"decoder", layers.decoder}}},
            {"vocabulary", vocabulary},
            {"embedding_scale", json_number(stack->scale_of_embeddings())}};
  for (const char* const name : {"norm_first", "norm", "positions", "activation", "gated_ffn"})
    json[name] = options.at(name);
  json["configuration"] = options;
  return json;
}

Json axes_json(const std::vector<std::pair<const char*, const AxisLabels*>>& axes) {
  Json tokens = Json::object(), ids = Json::object();
  for (const auto& [name, axis] : axes) {
    tokens[name] = axis->piece_labels();
    if (name != std::string_view("written")) ids[name] = axis->ids();
  }
  return {{"tokens", std::move(tokens)}, {"ids", std::move(ids)}};
}

// `run`: the whole model on a text.
template <class Model, class Run>
Json encoder_inside(const Model& model, const IdList& ids, const std::vector<std::string>& modules,
                    const Run& run) {
  const AxisLabels source(model.tokenizer, ids);
  Json json = axes_json({{"source", &source}});
  json.update(architecture_json(model, {.encoder = model.network->config().n_encoder_layers},
                                model.tokenizer.vocab_size()));
  const NoGradient guard;
  InsideValues values(modules, model.source);
  Pass pass = Pass::inference();
  pass.values = &values;
  run(Ragged::one(ids), pass);
  json["values"] = values.take();
  return json;
}

}  // namespace

Json inside_data(const TranslationModel& model, const ScoredPair& pair,
                 const std::vector<std::string>& modules) {
  const PairSpecialTokens marks = model.format.of(pair.languages);
  IdList read_ids = marks.before_target, written_ids = pair.tgt;
  read_ids.insert(read_ids.end(), pair.tgt.begin(), pair.tgt.end());
  written_ids.push_back(model.tgt_tokenizer.eos_id());
  const AxisLabels source(model.src_tokenizer, pair.src),
      written(model.tgt_tokenizer, written_ids, pair.token_scores),
      read(model.tgt_tokenizer, read_ids);
  Json json = axes_json({{"source", &source}, {"written", &written}, {"read", &read}});
  const auto* const config = std::get_if<TransformerConfig>(&model.network->architecture());
  json.update(architecture_json(
      model, {model.network->encoder_layers(), config != nullptr ? config->n_decoder_layers : 0},
      model.network->config().tgt_vocab_size));

  const NoGradient guard;
  InsideValues values(modules, model.source);
  Pass pass = Pass::inference();
  pass.values = &values;
  const Ragged src = Ragged::one(pair.src), tgt = Ragged::one(read_ids);
  const Variable hidden = model.network->decode(tgt, model.network->encode(src, pass), src, pass);
  json["values"] = values.take();
  json["next"] = next_tokens(model.tgt_tokenizer, hidden, model.source,
                             [&](const Variable& rows) { return model.network->project(rows); });
  return json;
}

Json inside_data(const ClassificationModel& model, const IdList& ids,
                 const std::vector<std::string>& modules) {
  Json json = encoder_inside(model, ids, modules,
                             [&](const Ragged& text, Pass& pass) { model.logits(text, pass); });
  json["labels"] = model.labels;
  return json;
}

Json inside_data(const EmbeddingModel& model, const IdList& ids,
                 const std::vector<std::string>& modules) {
  return encoder_inside(model, ids, modules, [&](const Ragged& text, Pass& pass) {
    model.network->forward(text, pass);
  });
}

Json inside_data(const LanguageModel& model, const IdList& ids, const std::vector<float>& scores,
                 const std::vector<std::string>& modules) {
  const AxisLabels written(model.tokenizer, IdList(ids.begin() + 1, ids.end()), scores),
      read(model.tokenizer, IdList(ids.begin(), ids.end() - 1));
  Json json = axes_json({{"written", &written}, {"read", &read}});
  const LanguageTransformerConfig& config = model.network->config();
  json.update(architecture_json(model, {.decoder = config.n_layers}, config.vocab_size));
  const NoGradient guard;
  InsideValues values(modules, model.source);
  Pass pass = Pass::inference();
  pass.values = &values;
  const Variable hidden = model.network->hidden(Ragged::one(read.ids()), pass);
  json["values"] = values.take();
  json["next"] = next_tokens(model.tokenizer, hidden, model.source,
                             [&](const Variable& rows) { return model.network->project(rows); });
  return json;
}

}  // namespace attend
