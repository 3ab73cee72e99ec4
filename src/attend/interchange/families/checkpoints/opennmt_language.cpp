// Language models of OpenNMT-py: the decoder transformer_lm.
#include <memory>
#include <utility>

#include "attend/error.h"
#include "attend/interchange/families/checkpoints/opennmt_parts.h"
#include "attend/models/language_transformer.h"
#include "attend/tasks/language/model.h"

namespace attend {

namespace {

// Rotary positions and sinusoids have no last position.
constexpr int kOpennmtContext = 2048;

LanguageTransformerConfig read_opennmt_decoder(ForeignConfig& opt, const OpennmtWeights& weights,
                                               TensorTable& table) {
  opt.require("decoder_type", "transformer_lm");
  LanguageTransformerConfig shape;
  read_opennmt_stack(opt, table, kOpennmtDecoderLayer, kOpennmtTargetWords, shape);
  shape.n_layers = opennmt_layers(table, kOpennmtDecoderLayer);
  shape.tied = opt.boolean_or("share_decoder_embeddings", false);
  if (shape.tied) require_one_table(table, weights.projection, kOpennmtTargetWords);
  shape.output_bias = true;
  return shape;
}

}  // namespace

CheckpointModel read_opennmt_language(const OpenedCheckpoint& checkpoint, ForeignConfig opt) {
  OpennmtWeights weights = open_opennmt_weights(checkpoint);
  LanguageTransformerConfig shape = read_opennmt_decoder(opt, weights, weights.table);
  // A language model has no encoder, and its stack no attention to one.
  const std::vector<NameRule> first{
      {"embedding.weight", kOpennmtTargetWords},
      {"output_proj.weight", weights.projection},
      {"output_proj.bias", weights.bias},
      {"decoder.layers.*.norm2.*", "decoder.transformer_layers.*.feed_forward.layer_norm.*"}};
  ForeignModel foreign{nullptr, NameMap(first)};
  add_opennmt_names(opt, shape, foreign.names);
  Tokenizer tokenizer = opennmt_tokenizer(checkpoint, opt, "tgt", foreign.remarks);
  if (opennmt_tokenizer(checkpoint, opt, "src", foreign.remarks).bytes() != tokenizer.bytes())
    throw DataError(checkpoint.path() +
                    ": a language model has one vocabulary, but those of its input and output "
                    "differ");
  shape.vocab_size = tokenizer.vocab_size();
  LanguageOptions context;
  context.sequence_length = kOpennmtContext;
  LanguageModel model(std::make_shared<LanguageTransformer>(shape), std::move(tokenizer), context);
  const SpecialTokens special = model.tokenizer.special_tokens();
  // A line is a text of its own.
  model.text = {.unit = TextUnit::documents, .ends = {special.eos}};
  if (const auto start = opennmt_start(checkpoint, special)) {
    model.text.prefix = {*start};
    model.text.start = *start;
  }
  foreign.model = std::make_shared<LanguageModel>(std::move(model));
  if (shape.tied) foreign.ignorable.push_back(weights.projection);
  return {std::move(foreign), std::move(weights.table), "opennmt", "OpenNMT-py"};
}

}  // namespace attend
