#include "attend/models/token_tagger.h"

#include "attend/core/options/number_range.h"
#include "attend/core/options/option_fields.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/embedding.h"

namespace attend {

void validate(const TaggerConfig& c) {
  validate(static_cast<const EncoderConfig&>(c));
  check_options(c);
  require_in_range("tags", c.tags, between(2, kVocabularySizes.most));
}

TokenTagger::TokenTagger(const TaggerConfig& config)
    : EncoderNetwork(config),
      head_(parameters_, config.d_model, config.head, config.norm),
      output_(parameters_, "output", config.d_model, config.tags) {}

Variable TokenTagger::forward(const Ragged& texts, const Ids& rows, Pass& pass) const {
  const Variable tokens = head_.forward(gather_rows(encode(texts, pass), rows), pass);
  return output_.forward(dropout(tokens, pass.dropout(config_.output_dropout)), pass);
}

}  // namespace attend
