// BART (Lewis et al. 2020) and Pegasus (Zhang et al. 2020), which write summaries, as transformers
// has them.
#include <fmt/format.h>

#include "attend/core/quote.h"
#include "attend/error.h"
#include "attend/interchange/families/bart_type.h"
#include "attend/tasks/translation/model.h"
#include "attend/text/sentencepiece_writing.h"

namespace attend {

namespace {

// The end that the tokenizer has must be the one of the model.
void require_end(ForeignConfig& config, const Tokenizer& tokenizer) {
  if (config.integer_or("eos_token_id", tokenizer.eos_id(), kVocabularySizes) != tokenizer.eos_id())
    config.refuse("eos_token_id", fmt::format("the tokenizer has {}", tokenizer.eos_id()));
}

ForeignModel summarizer(const TransformerConfig& shape, const ForeignTokenizer& read,
                        const GenerationSettings& generation, ForeignConfig& config) {
  require_end(config, read.tokenizer);
  PairFormat format{.marks = {read.prefix, read.suffix, {}}};
  if (!generation.start) config.refuse("decoder_start_token_id", "expected a token");
  format.marks.before_target = {*generation.start};
  if (generation.first) format.marks.before_target.push_back(*generation.first);
  return bart_type_model(shape, read.tokenizer, generation, std::move(format));
}

// <pad> </s> <mask_1> <mask_2> <unk_2> ... <unk_102>, then the pieces of the SentencePiece model
// after its own <pad> and </s>.
ForeignTokenizer read_pegasus_tokenizer(const ModelDirectory& directory, int embeddings) {
  if (directory.contains("tokenizer.json")) return read_tokenizer_of(directory, embeddings);
  constexpr int kFirstUnknown = 2, kOwnPieces = 2;
  const int offset = read_tokenizer_setting(directory, "offset", 103, between(3, 1000));
  VocabularyOrder order{.pieces = {"<pad>", "</s>", "<mask_1>", "<mask_2>"},
                        .special = {.eos = "</s>", .pad = "<pad>", .unk = "<unk>"}};
  for (int i = kFirstUnknown; i < offset; ++i) order.pieces.push_back(fmt::format("<unk_{}>", i));
  order.controls = order.pieces;
  const std::string bytes = directory.text("spiece.model");
  const std::vector<std::string> own = sentencepiece_pieces(bytes);
  for (std::size_t i = kOwnPieces; i < own.size(); ++i) order.pieces.push_back(own[i]);
  for (const std::string& filler : fill_up(order.pieces, embeddings, directory))
    order.controls.push_back(filler);
  Tokenizer tokenizer = Tokenizer::from_bytes(reorder_sentencepiece(bytes, order));
  const std::int32_t end = tokenizer.eos_id();
  return {std::move(tokenizer), {}, {end}};
}

}  // namespace

ForeignModel read_bart(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  const TransformerConfig shape = read_bart_type(config, {.norm_embedding = true});
  GenerationSettings generation = read_generation(directory, config, shape.src_vocab_size);
  // The older way to force the first token.
  if (config.boolean_or("force_bos_token_to_be_generated", false))
    generation.first = read_int(config, "bos_token_id", between(0, shape.src_vocab_size - 1));
  config.require("tie_word_embeddings", true);
  config.ignore(
      {"save_step", "replacing_rate", "student_encoder_layers", "student_decoder_layers"});
  const ForeignTokenizer tokenizer = read_tokenizer_of(directory, shape.src_vocab_size);
  ForeignModel foreign = summarizer(shape, tokenizer, generation, config);
  if (const std::string prefix = config.text_or("prefix", ""); !prefix.empty())
    foreign.remarks.push_back(fmt::format(
        "pipelines of transformers put {} before every text; attend does not", quote(prefix)));
  return foreign;
}

ForeignModel read_pegasus(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  const TransformerConfig shape =
      read_bart_type(config, {.norm_first = true, .positions = PositionKind::sinusoidal_halves});
  const GenerationSettings generation = read_generation(directory, config, shape.src_vocab_size);
  config.require("tie_word_embeddings", true);
  config.require("force_bos_token_to_be_generated", false);
  const ForeignTokenizer tokenizer = read_pegasus_tokenizer(directory, shape.src_vocab_size);
  return summarizer(shape, tokenizer, generation, config);
}

}  // namespace attend
