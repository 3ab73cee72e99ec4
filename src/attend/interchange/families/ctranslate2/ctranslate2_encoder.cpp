#include "attend/interchange/families/ctranslate2/ctranslate2_encoder.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "attend/error.h"
#include "attend/interchange/families/ctranslate2/ctranslate2_family_texts.h"
#include "attend/interchange/families/ctranslate2/ctranslate2_names.h"
#include "attend/interchange/families/ctranslate2/ctranslate2_shape.h"
#include "attend/interchange/families/encoders/encoder_family.h"
#include "attend/tasks/embedding/model.h"

namespace attend {

namespace {

constexpr const char *kPieceTable = "embeddings_0/weight", *kTypeTable = "embeddings_1/weight",
                     *kPositionTable = "position_encodings/encodings";
constexpr NumberRange kPositions = between(3, 1e6);

// What the poolers of BERT make of the first token, which an embedding does not use.
constexpr std::array<std::string_view, 3> kPooler{"pooler_dense/weight", "pooler_dense/bias",
                                                  "pooler_activation"};

// The second table of an encoder is that of token types, which is added to the first.
int read_token_types(const Ctranslate2Variables& encoder) {
  constexpr std::int64_t kAdded = 1;
  if (encoder.has("embeddings_2/weight"))
    encoder.refuse("embeddings_2/weight", "expected two tables of embeddings at most");
  if (!encoder.has(kTypeTable)) return 0;
  if (encoder.integer("embeddings_merge", between(0, 255)).value_or(0) != kAdded)
    encoder.refuse("embeddings_merge", "expected 1: the embeddings are added");
  return encoder.rows(kTypeTable, between(1, 65536));
}

EncoderConfig read_encoder_shape(TensorTable& variables, float epsilon) {
  const Ctranslate2Variables encoder(variables, "encoder");
  if (encoder.flag("multi_query_attention", false))
    encoder.refuse("multi_query_attention", "it is not supported in an encoder");
  EncoderConfig shape;
  shape.n_encoder_layers = read_ctranslate2_stack(encoder, epsilon, shape);
  shape.vocab_size = encoder.rows(kPieceTable, kVocabularySizes);
  shape.token_types = read_token_types(encoder);
  if (encoder.has(kPositionTable)) shape.max_positions = encoder.rows(kPositionTable, kPositions);
  return shape;
}

}  // namespace

ForeignModel read_ctranslate2_encoder(TensorTable& variables, const ModelDirectory& directory,
                                      const Ctranslate2Config& config) {
  const auto pieces = read_ctranslate2_vocabulary(directory, "vocabulary");
  if (!pieces)
    throw DataError(directory.path() + ": expected vocabulary.json or vocabulary.txt, found none");
  const EncoderConfig shape = read_encoder_shape(variables, config.epsilon);
  if (shape.vocab_size != std::ssize(*pieces))
    throw DataError(fmt::format("{}: the vocabulary has {} pieces, its table {} rows",
                                directory.path(), pieces->size(), shape.vocab_size));
  ForeignConfig none(nlohmann::json::object(), directory.path());
  const std::vector<NameRule> rules = ctranslate2_encoder_rules();
  ForeignModel foreign = finish_encoder(
      directory, none, shape,
      {.prefix = "", .encoder = rules, .older_norms = {}, .head = {}, .ignorable = kPooler},
      read_tokenizer_of(directory));
  detail::require_ctranslate2_pieces(dynamic_cast<const EmbeddingModel&>(*foreign.model).tokenizer,
                                     *pieces, directory);
  return foreign;
}

}  // namespace attend
