#include "attend/interchange/families/ctranslate2/ctranslate2_language.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "attend/error.h"
#include "attend/interchange/families/ctranslate2/ctranslate2_family_texts.h"
#include "attend/interchange/families/ctranslate2/ctranslate2_names.h"
#include "attend/interchange/families/ctranslate2/ctranslate2_shape.h"
#include "attend/interchange/families/families.h"
#include "attend/interchange/families/tied_embeddings.h"
#include "attend/models/language_transformer.h"

namespace attend {

namespace {

// Where a file does not tell, because positions are computed.
constexpr int kUsualContext = 2048;

LanguageTransformerConfig read_language_shape(TensorTable& variables, float epsilon,
                                              std::size_t pieces) {
  const Ctranslate2Variables decoder(variables, "decoder");
  LanguageTransformerConfig shape;
  shape.n_layers = read_ctranslate2_stack(decoder, epsilon, shape);
  shape.vocab_size = decoder.rows("embeddings/weight", kVocabularySizes);
  if (shape.vocab_size != static_cast<std::int64_t>(pieces))
    decoder.refuse("embeddings/weight", fmt::format("its {} rows are not the {} pieces of the "
                                                    "vocabulary",
                                                    shape.vocab_size, pieces));
  if (decoder.flag("start_from_zero_embedding", false))
    decoder.refuse("start_from_zero_embedding", "it is not supported in a language model");
  shape.tied = same_tables(variables, "decoder/embeddings/weight", "decoder/projection/weight");
  return shape;
}

// What config.json of transformers would say of the tokens.
nlohmann::json token_settings(const Ctranslate2Config& config,
                              const std::vector<std::string>& pieces) {
  nlohmann::json settings = nlohmann::json::object();
  for (const auto& [key, piece] :
       {std::pair{"bos_token_id", config.bos}, {"eos_token_id", config.eos}})
    if (const auto found = std::find(pieces.begin(), pieces.end(), piece); found != pieces.end())
      settings[key] = found - pieces.begin();
  return settings;
}

}  // namespace

ForeignModel read_ctranslate2_language(TensorTable& variables, const ModelDirectory& directory,
                                       const Ctranslate2Config& config) {
  const auto pieces = read_ctranslate2_vocabulary(directory, "vocabulary");
  if (!pieces)
    throw DataError(directory.path() + ": expected vocabulary.json or vocabulary.txt, found none");
  const LanguageTransformerConfig shape =
      read_language_shape(variables, config.epsilon, pieces->size());
  split_ctranslate2_heads(variables, shape, shape.n_layers);
  TextFiles files = detail::ctranslate2_tokenizer_files(directory);
  nlohmann::json settings = token_settings(config, *pieces);
  files["config.json"] = settings.dump();
  ForeignConfig from(std::move(settings), directory.path() + "/config.json");
  ForeignModel foreign = language_model_of(
      ModelDirectory(directory.path(), std::move(files)), from, shape,
      shape.positions == PositionKind::learned ? shape.max_positions : kUsualContext,
      ctranslate2_language_names());
  detail::require_ctranslate2_pieces(dynamic_cast<const LanguageModel&>(*foreign.model).tokenizer,
                                     *pieces, directory);
  for (const std::string_view split : {"decoder/layer_*/self_attention/linear_0/weight",
                                       "decoder/layer_*/self_attention/linear_0/bias"})
    foreign.ignorable.push_back(split);
  if (shape.tied) foreign.ignorable.push_back("decoder/projection/weight");
  return foreign;
}

}  // namespace attend
