#include "attend/models/text_classifier.h"

#include "attend/core/number_range.h"
#include "attend/core/option_fields.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/pooling.h"

namespace attend {

namespace {

const ClassifierConfig& validated(const ClassifierConfig& config) {
  validate(config);
  return config;
}

}  // namespace

void validate(const ClassifierConfig& c) {
  validate(static_cast<const EncoderConfig&>(c));
  check_options(c);
  require_in_range("classes", c.classes, between(2, kVocabularySizes.most));
}

TextClassifier::TextClassifier(const ClassifierConfig& config)
    : config_(validated(config)),
      encoder_(parameters_, config),
      head_(config.head == Activation::none
                ? std::nullopt
                : std::optional<Linear>(std::in_place, parameters_, "head", config.d_model,
                                        config.d_model)),
      output_(parameters_, "output", config.d_model, config.classes) {}

TextClassifier::TextClassifier(const ClassifierConfig& config, std::uint64_t seed)
    : TextClassifier(config) {
  parameters_.allocate(seed);
}

TextClassifier::TextClassifier(const ClassifierConfig& config, Purpose) : TextClassifier(config) {}

Variable TextClassifier::forward(const Ragged& texts, Pass& pass) const {
  Variable text = pool(encode(texts, pass), texts.offsets, config_.pooling);
  if (head_) text = head_->forward(text, pass, config_.head);
  return output_.forward(dropout(text, pass.dropout(config_.output_dropout)), pass);
}

}  // namespace attend
