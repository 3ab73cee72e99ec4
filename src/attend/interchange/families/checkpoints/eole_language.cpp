// Language models of eole: a decoder alone.
#include <algorithm>
#include <memory>
#include <utility>

#include "attend/error.h"
#include "attend/interchange/families/checkpoints/eole_parts.h"
#include "attend/interchange/families/checkpoints/opennmt_parts.h"
#include "attend/models/language_transformer.h"
#include "attend/tasks/language/model.h"

namespace attend {

namespace {

// The length of a text in training, where positions have no last one.
constexpr std::int64_t kEoleContext = 2048;

LanguageTransformerConfig read_eole_decoder(ForeignConfig& model) {
  LanguageTransformerConfig shape;
  read_eole_input(model, shape);
  shape.n_layers = read_eole_stack({model, "decoder"}, EoleStack::language, shape);
  shape.tied = model.boolean_or("share_decoder_embeddings", false);
  model.require("share_embeddings", false);
  shape.output_bias = model.boolean_or("generator_bias", true);
  return shape;
}

}  // namespace

CheckpointModel read_eole_language(const EoleFiles& files) {
  ForeignConfig& model = files.model();
  TensorTable weights = open_eole_weights(files.directory);
  LanguageTransformerConfig shape = read_eole_decoder(model);
  if (shape.tied) require_one_table(weights, kEoleProjection, kEoleTargetWords);
  const std::vector<NameRule> first{{"embedding.weight", kEoleTargetWords},
                                    {"positions.weight", "tgt_emb.pe.weight"},
                                    {"output_proj.weight", kEoleProjection},
                                    {"output_proj.bias", kEoleProjectionBias}};
  ForeignModel foreign{nullptr, NameMap(first)};
  if (adds_sinusoids(shape)) require_sinusoids(weights, "tgt_emb.pe.pe", shape);
  add_eole_names({model, "decoder"}, EoleStack::language, shape, "decoder", foreign.names);
  if (files.source != files.target)
    throw DataError(files.directory.path() +
                    ": a language model has one vocabulary, but those of its input and output "
                    "differ");
  Tokenizer tokenizer = eole_tokenizer(files, "src", foreign.remarks);
  if (eole_tokenizer(files, "tgt", foreign.remarks).bytes() != tokenizer.bytes())
    throw DataError(files.directory.path() +
                    ": a language model has one way to split words, but those of its input and "
                    "output differ");
  shape.vocab_size = tokenizer.vocab_size();
  LanguageOptions context;
  const std::int64_t longest =
      EoleSettings(model, "decoder").size("max_position_embeddings", 8192, between(1, 1e9));
  context.sequence_length = static_cast<int>(
      shape.learned_positions() > 0 ? shape.learned_positions() : std::min(longest, kEoleContext));
  LanguageModel language(std::make_shared<LanguageTransformer>(shape), std::move(tokenizer),
                         context);
  const std::int32_t start = eole_start(files);
  // A line is a text of its own.
  language.text = {.unit = TextUnit::documents, .ends = {language.tokenizer.special_tokens().eos}};
  language.text.prefix = {start};
  language.text.start = start;
  foreign.model = std::make_shared<LanguageModel>(std::move(language));
  if (shape.tied) foreign.ignorable.push_back(kEoleProjection);
  model.require_all_known();
  return {std::move(foreign), std::move(weights), "eole", "eole"};
}

}  // namespace attend
