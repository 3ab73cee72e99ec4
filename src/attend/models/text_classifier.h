// The encoder-only classifier: a Transformer encoder, pooling, one logit per class (or the number
// of a regression).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "attend/classifier.h"
#include "attend/models/encoder_head.h"
#include "attend/models/encoder_transformer.h"
#include "attend/models/text_pooling.h"
#include "attend/nn/layers.h"

namespace attend {

inline std::span<const std::string_view> enum_names(ProblemType) {
  static constexpr std::array<std::string_view, 3> kNames{"single_label", "multi_label",
                                                          "regression"};
  return kNames;
}

// The configuration of a classifier: an encoder, and its pooling and output.
struct ClassifierConfig : EncoderConfig {
  Pooling pooling = Pooling::max;
  bool bos = false;
  HeadOptions head;
  float output_dropout = 0.0f;
  ProblemType problem_type = ProblemType::single_label;
  int separators = 1;
  int classes = 0;  // set from the labels
};

template <class Visitor>
void fields(ClassifierConfig& c, Visitor&& visit) {
  encoder_fields(c, visit);
  visit("pooling", c.pooling, kPoolingHelp);
  visit("bos", c.bos, "begin every text with a bos token, as pooling first always does");
  head_fields(c.head, visit);
  visit("output-dropout", c.output_dropout, dropout_shares(),
        "dropout on the input of the output layer");
  visit("problem-type", c.problem_type,
        "what a text gets: single_label (one label), multi_label (any number of labels), or "
        "regression (a number)");
  visit("separators", c.separators, between(0, 2),
        "eos tokens between the two texts of a pair: 1 (BERT) or 2 (RoBERTa); 0: the model reads "
        "no pairs");
}

// Throws ConfigError naming the invalid option.
void validate(const ClassifierConfig& config);

class TextClassifier : public EncoderNetwork<ClassifierConfig> {
 public:
  // For inference, or for training: as all networks.
  explicit TextClassifier(const ClassifierConfig& config);
  TextClassifier(const ClassifierConfig& config, std::uint64_t seed) : TextClassifier(config) {
    parameters_.allocate(seed);
  }

  // B texts -> what the output layer reads [B, D].
  Variable features(const Ragged& texts, Pass& pass, const Ids& types = {}) const;
  // -> logits [B, C].
  Variable forward(const Ragged& texts, Pass& pass, const Ids& types = {}) const;
  // From features to logits, for a loss that projects by itself.
  AffineMap output_map() const { return output_.map(); }
  // The output layer, whose weights may be packed or in 8 bits, and what is between the vector of a
  // text and it.
  OutputProjection output() const {
    return {output_.map().weight.value(), output_.map().bias.value()};
  }
  const EncoderHead& head() const { return head_; }

 private:
  EncoderHead head_;
  Linear output_;
};

}  // namespace attend
