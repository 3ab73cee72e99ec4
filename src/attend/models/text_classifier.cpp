#include "attend/models/text_classifier.h"

#include <fmt/format.h>

#include "attend/core/options/number_range.h"
#include "attend/core/options/option_fields.h"
#include "attend/error.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/pooling.h"

namespace attend {

void validate(const ClassifierConfig& c) {
  validate(static_cast<const EncoderConfig&>(c));
  check_options(c);
  const int least = c.problem_type == ProblemType::single_label ? 2 : 1;
  require_in_range("classes", c.classes, between(least, kVocabularySizes.most));
  if (c.problem_type == ProblemType::regression && c.classes != 1)
    throw ConfigError(
        fmt::format("classes: expected one output of a regression, got {}", c.classes));
}

TextClassifier::TextClassifier(const ClassifierConfig& config)
    : EncoderNetwork(config),
      head_(parameters_, config.d_model, config.head, config.norm),
      output_(parameters_, "output", config.d_model, config.classes) {}

Variable TextClassifier::features(const Ragged& texts, Pass& pass, const Ids& types) const {
  const Variable text = pass.keep("pooling", "output",
                                  pool(encode(texts, pass, types), texts.offsets, config_.pooling));
  return dropout(head_.forward(text, pass), pass.dropout(config_.output_dropout));
}

Variable TextClassifier::forward(const Ragged& texts, Pass& pass, const Ids& types) const {
  return pass.keep("output", "logits", output_.forward(features(texts, pass, types), pass));
}

}  // namespace attend
