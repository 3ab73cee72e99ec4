// A saved model that scores translations: see saved_model.h, and
//
//   metadata   attend.task    "quality"
//              attend.config  the QualityConfig, as JSON
//              attend.text    the TextLengthOptions, as JSON: how each text is truncated; joined
//                             texts are cut where the positions end
//   tensors    tokenizer
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/models/quality_estimator.h"
#include "attend/tasks/model_file/encoder_model.h"
#include "attend/text/tokenizer.h"

namespace attend {

struct QualityModel final : SavedEncoder<QualityEstimator> {
  static constexpr std::string_view kTask = "quality";

  TextLengthOptions length;

  QualityModel(std::shared_ptr<QualityEstimator> network, Tokenizer tokenizer,
               TextLengthOptions length);

  // All that the vocabulary has.
  SpecialTokens special() const override { return tokenizer.special_tokens(); }
  TextLengthOptions text_length() const override { return length; }
  // The ids that the model reads of a text.
  std::vector<std::int32_t> ids(std::string_view text) const {
    return classifier_ids(tokenizer.encode(text, special_text), special(), length);
  }
  bool reads_source() const { return network->config().source; }
  bool reads_reference() const { return network->config().reference; }
  // Whether it cannot score translations without a reference.
  bool needs_reference() const;
  // Whether each text has a vector of its own.
  bool encodes_texts_alone() const { return network->config().reading == QualityReading::compared; }

  std::string_view task() const override { return kTask; }
  Metadata configuration() const override;
  GoldenFormat golden_format() const override;
  GoldenInput random_input(Random& random) const override;
  std::vector<std::vector<float>> golden_outputs(
      const std::vector<GoldenInput>& inputs) const override;
};

// Throws DataError for a damaged file or another kind of model; IoError.
QualityModel load_quality_model(const std::filesystem::path& path);
QualityModel quality_model(const Checkpoint& checkpoint);

// The ids of translations and of what they are compared with, as QualityModel::ids() gives them: B
// of each, or none of what the model does not read. A model of joined texts reads the source, the
// reference or both; of both, the score is the mean of those with the source, with the reference
// and with both.
struct QualityTexts {
  Ragged translations, sources, references;
};

// The scores of B translations. No gradients. Throws NotFiniteError if one is not finite.
std::vector<float> quality_scores(const QualityModel& model, const QualityTexts& texts);

// The same in two steps, for a model that encodes each text alone: the vectors of B texts [B, D];
// and the scores of B translations from their vectors and those of what they are compared with,
// each [B, D], or undefined references for a model that reads none.
struct QualityVectors {
  Variable translations, sources, references;
};
Variable quality_vectors(const QualityModel& model, const Ragged& texts);
std::vector<float> quality_scores(const QualityModel& model, const QualityVectors& vectors);

}  // namespace attend
