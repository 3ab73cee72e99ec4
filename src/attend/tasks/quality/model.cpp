#include "attend/tasks/quality/model.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <span>
#include <utility>

#include "attend/checkpoint/finite.h"
#include "attend/checkpoint/options_json.h"
#include "attend/error.h"
#include "attend/tasks/learned_positions.h"
#include "attend/tasks/model_file/model_reading.h"

namespace attend {

namespace {

constexpr const char* kScoresOfTranslations = "scores of translations";

float put_through(EstimatorOutput output, float x) {
  switch (output) {
    case EstimatorOutput::none:
      return x;
    case EstimatorOutput::sigmoid:
      return 1.0f / (1.0f + std::exp(-x));
    case EstimatorOutput::tanh:
      return std::tanh(x);
  }
  return x;
}

std::vector<float> scores_of(const QualityModel& model, const Variable& features, Pass& pass) {
  std::vector<float> scores = model.network->estimate(features, pass).value().to_vector();
  for (float& score : scores) score = put_through(model.network->config().output, score);
  require_finite(scores, kScoresOfTranslations, model.source);
  return scores;
}

// bos first eos (eos) second eos ..., without padding, and cut where the positions end.
Ragged joined(const QualityModel& model, std::initializer_list<const Ragged*> parts) {
  const QualityConfig& config = model.network->config();
  const SpecialTokens special = model.special();
  RaggedBuilder all;
  for (std::int64_t b = 0; b < (*parts.begin())->sequences(); ++b) {
    std::vector<std::int32_t> ids{special.bos};
    for (const Ragged* const part : parts) {
      if (part != *parts.begin())
        ids.insert(ids.end(), static_cast<std::size_t>(config.separators), special.eos);
      const std::span<const std::int32_t> text = (*part)[b];
      const auto content = text.subspan(1, text.size() - 2);
      std::copy_if(content.begin(), content.end(), std::back_inserter(ids),
                   [&](std::int32_t id) { return id != config.uncounted_token; });
    }
    ids.push_back(special.eos);
    if (const std::int64_t most = config.learned_positions(); most > 0 && std::ssize(ids) > most)
      ids.resize(static_cast<std::size_t>(most));
    all.add(ids);
  }
  return all.build();
}

std::vector<float> joined_scores(const QualityModel& model,
                                 std::initializer_list<const Ragged*> parts) {
  Pass pass = Pass::inference();
  return scores_of(model, model.network->vectors(joined(model, parts), pass), pass);
}

}  // namespace

QualityModel::QualityModel(std::shared_ptr<QualityEstimator> network_, Tokenizer tokenizer_,
                           TextLengthOptions length_)
    : SavedEncoder(std::move(network_), std::move(tokenizer_)), length(length_) {}

bool QualityModel::needs_reference() const {
  return reads_reference() && (encodes_texts_alone() || !reads_source());
}

Metadata QualityModel::configuration() const {
  Metadata metadata{{"attend.config", options_to_json(network->config())},
                    {"attend.text", options_to_json(length)}};
  write_special_text(special_text, metadata);
  return metadata;
}

GoldenFormat QualityModel::golden_format() const {
  GoldenFormat format{{{"translation", &tokenizer}}, "scores", "scored translations"};
  if (reads_source()) format.sides.push_back({"source", &tokenizer});
  if (reads_reference()) format.sides.push_back({"reference", &tokenizer});
  return format;
}

GoldenInput QualityModel::random_input(Random& random) const {
  GoldenInput input;
  for (std::size_t i = 0; i < golden_format().sides.size(); ++i)
    input.push_back(random_text(random));
  return input;
}

std::vector<std::vector<float>> QualityModel::golden_outputs(
    const std::vector<GoldenInput>& inputs) const {
  std::vector<RaggedBuilder> sides(golden_format().sides.size());
  for (const GoldenInput& input : inputs)
    for (std::size_t i = 0; i < sides.size(); ++i) {
      if (input[i].size() < 2)
        throw DataError(source + ": attend.golden: expected the special tokens around a text");
      sides[i].add(input[i]);
    }
  QualityTexts texts{sides[0].build(), {}, {}};
  std::size_t next = 1;
  if (reads_source()) texts.sources = sides[next++].build();
  if (reads_reference()) texts.references = sides[next].build();
  std::vector<std::vector<float>> outputs;
  for (const float score : quality_scores(*this, texts)) outputs.push_back({score});
  return outputs;
}

QualityModel quality_model(const Checkpoint& checkpoint) {
  require_task(checkpoint, QualityModel::kTask);
  Tokenizer tokenizer = read_tokenizer(checkpoint);
  if (tokenizer.special_tokens().bos < 0)
    throw DataError(checkpoint.source + ": tokenizer: expected a token that begins texts");
  const auto length = read_options<TextLengthOptions>(checkpoint, "attend.text");
  auto config = read_options<QualityConfig>(checkpoint, "attend.config");
  config.vocab_size = tokenizer.vocab_size();
  auto network = read_network(checkpoint, config.n_encoder_layers,
                              [&] { return std::make_shared<QualityEstimator>(config); });
  QualityModel model(std::move(network), std::move(tokenizer), length);
  model.special_text = read_special_text(checkpoint);
  model.source = checkpoint.source;
  model.text_kinds = read_text_kinds(checkpoint);
  from_configuration(checkpoint, [&] {
    classifier_ids({}, model.special(), length);  // rejects a length without room for a token
    require_positions("max-length", length.max_length, config);
  });
  return model;
}

QualityModel load_quality_model(const std::filesystem::path& path) {
  return read_checkpoint(path, quality_model);
}

Variable quality_vectors(const QualityModel& model, const Ragged& texts) {
  const NoGradient guard;
  Pass pass = Pass::inference();
  return model.network->vectors(texts, pass);
}

std::vector<float> quality_scores(const QualityModel& model, const QualityVectors& vectors) {
  const NoGradient guard;
  Pass pass = Pass::inference();
  const auto& [translations, sources, references] = vectors;
  return scores_of(model, model.network->comparison(translations, sources, references), pass);
}

std::vector<float> quality_scores(const QualityModel& model, const QualityTexts& texts) {
  if (model.encodes_texts_alone()) {
    const auto vectors = [&](const Ragged& side) { return quality_vectors(model, side); };
    return quality_scores(
        model, QualityVectors{vectors(texts.translations), vectors(texts.sources),
                              model.reads_reference() ? vectors(texts.references) : Variable()});
  }
  const NoGradient guard;
  const bool has_source = model.reads_source(),
             has_reference = model.reads_reference() && texts.references.sequences() > 0;
  const Ragged &translations = texts.translations, &sources = texts.sources,
               &references = texts.references;
  if (!has_reference) return joined_scores(model, {&translations, &sources});
  if (!has_source) return joined_scores(model, {&translations, &references});
  std::vector<float> scores = joined_scores(model, {&translations, &sources});
  const std::vector<float> by_reference = joined_scores(model, {&translations, &references}),
                           by_both = joined_scores(model, {&translations, &sources, &references});
  for (std::size_t i = 0; i < scores.size(); ++i)
    scores[i] = (scores[i] + by_reference[i] + by_both[i]) / 3.0f;
  require_finite(scores, kScoresOfTranslations, model.source);  // the sum may be too large
  return scores;
}

}  // namespace attend
