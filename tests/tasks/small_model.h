// A small translation model with random parameters, and the tokenizer of a few sentences: enough to
// look into.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "attend/models/transformer.h"
#include "attend/tasks/translation/model.h"
#include "tasks/model_checkpoint.h"

namespace attend {

inline Tokenizer small_tokenizer(const std::vector<std::string>& sentences) {
  TokenizerOptions options;
  options.type = TokenizerType::bpe;
  options.vocab_size = 60;
  options.byte_fallback = false;
  return Tokenizer::train(sentences, options);
}

inline TransformerConfig small_config(const Tokenizer& src, const Tokenizer& tgt) {
  TransformerConfig config;
  config.d_model = 16;
  config.n_heads = 4;
  config.d_ff = 32;
  config.n_encoder_layers = 3;
  config.n_decoder_layers = 2;
  config.tie_embeddings = TiedEmbeddings::target;
  config.src_vocab_size = src.vocab_size();
  config.tgt_vocab_size = tgt.vocab_size();
  return config;
}

inline TranslationModel small_model() {
  const Tokenizer src =
      small_tokenizer({"the old dog sees the small cat", "a cat eats the fish & chips",
                       "<b>\"</script>'`\\", "dogs catch fish"});
  const Tokenizer tgt =
      small_tokenizer({"der alte hund sieht die kleine katze", "eine katze frisst den fisch",
                       "<i>\"</script>'&{{data}}", "ü"});
  return {std::make_shared<Transformer>(small_config(src, tgt), 7), src, tgt};
}

// Ends with eos, as sources do.
inline std::vector<std::int32_t> source_ids(const TranslationModel& model,
                                            const std::string& text) {
  std::vector<std::int32_t> ids = model.src_tokenizer.encode(text);
  ids.push_back(model.src_tokenizer.eos_id());
  return ids;
}

}  // namespace attend
