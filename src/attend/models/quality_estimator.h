// A model that tells how good a translation is, from the source, a reference or both (COMET, Rei et
// al. 2020): the vectors of texts are a mix of the layers of an encoder, pooled, and a small
// network, the estimator, makes a score of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/models/encoder_transformer.h"
#include "attend/models/layer_mix.h"
#include "attend/models/text_pooling.h"
#include "attend/nn/layers.h"

namespace attend {

// How the texts meet. compared: each is encoded alone, and the estimator reads their vectors with
// their products and differences. joined: the encoder reads the translation and the others as one
// text (Wan et al. 2022, "UniTE").
enum class QualityReading { compared, joined };
inline std::span<const std::string_view> enum_names(QualityReading) {
  static constexpr std::array<std::string_view, 2> kNames{"compared", "joined"};
  return kNames;
}

// What becomes of the output of the estimator.
enum class EstimatorOutput { none, sigmoid, tanh };
inline std::span<const std::string_view> enum_names(EstimatorOutput) {
  static constexpr std::array<std::string_view, 3> kNames{"none", "sigmoid", "tanh"};
  return kNames;
}

struct QualityConfig : EncoderConfig {
  QualityReading reading = QualityReading::compared;
  bool source = true;
  bool reference = true;
  LayerMixOptions mix;
  Pooling pooling = Pooling::mean;
  int separators = 2;
  std::vector<std::string> estimator_widths;
  Activation estimator_activation = Activation::tanh;
  EstimatorOutput output = EstimatorOutput::none;

  // estimator_widths as numbers. Throws ConfigError for what is none.
  std::vector<int> widths() const;
  // The elements that the estimator reads of a translation.
  int estimated_width() const;
};

template <class Visitor>
void fields(QualityConfig& c, Visitor&& visit) {
  encoder_fields(c, visit);
  visit("reading", c.reading,
        "how the texts meet: compared (each has its vector) or joined (the encoder reads them as "
        "one text)");
  visit("source", c.source, "the model reads the source of a translation");
  visit("reference", c.reference, "the model reads a reference translation");
  layer_mix_fields(c.mix, visit);
  visit("pooling", c.pooling, kPoolingHelp);
  visit("separators", c.separators, between(1, 2),
        "eos tokens between joined texts: 1 (BERT) or 2 (RoBERTa)");
  visit("estimator-widths", c.estimator_widths, "widths of the layers before the score");
  visit("estimator-activation", c.estimator_activation, "activation after these layers");
  visit("estimator-output", c.output, "what the score goes through: none, sigmoid or tanh");
}

// Throws ConfigError naming the invalid option.
void validate(const QualityConfig& config);

class QualityEstimator : public EncoderNetwork<QualityConfig> {
 public:
  // For inference: without gradients.
  explicit QualityEstimator(const QualityConfig& config);

  // B texts -> their vectors [B, D], of the mixed layers. An uncounted token in a text (RoBERTa's
  // padding) has no part in its vector, but counts in the length that a mean is divided by, as in
  // COMET.
  Variable vectors(const Ragged& texts, Pass& pass) const;
  // The vectors of B translations, sources and references, each [B, D] or undefined -> what the
  // estimator reads of compared texts [B, W].
  Variable comparison(const Variable& translations, const Variable& sources,
                      const Variable& references) const;
  // [B, W] -> scores [B, 1], before EstimatorOutput.
  Variable estimate(const Variable& features, Pass& pass) const;

 private:
  Variable pooled(const Variable& tokens, const Ragged& texts) const;

  LayerMix mix_;
  std::vector<Linear> estimator_;
};

}  // namespace attend
