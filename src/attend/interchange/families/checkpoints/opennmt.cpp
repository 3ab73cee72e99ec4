// Checkpoints of OpenNMT-py (Klein et al. 2017), versions 2 and 3, and its Transformers that
// translate.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "attend/error.h"
#include "attend/interchange/families/checkpoints/opennmt_parts.h"
#include "attend/models/make_encoder_decoder.h"
#include "attend/tasks/translation/model.h"

namespace attend {

namespace {

TransformerConfig read_opennmt_shape(ForeignConfig& opt, TensorTable& weights) {
  const nlohmann::json transformer = "transformer";
  for (const char* stack : {"encoder_type", "decoder_type"}) opt.require(stack, transformer);
  TransformerConfig shape;
  read_opennmt_stack(opt, weights, kOpennmtEncoderLayer, kOpennmtSourceWords, shape);
  StackConfig decoder;
  read_opennmt_stack(opt, weights, kOpennmtDecoderLayer, kOpennmtTargetWords, decoder);
  shape.n_encoder_layers = opennmt_layers(weights, kOpennmtEncoderLayer);
  shape.n_decoder_layers = opennmt_layers(weights, kOpennmtDecoderLayer);
  shape.output_bias = true;
  return shape;
}

}  // namespace

CheckpointModel read_opennmt_translator(const OpenedCheckpoint& checkpoint, ForeignConfig opt) {
  auto [weights, projection, bias] = open_opennmt_weights(checkpoint);
  TransformerConfig shape = read_opennmt_shape(opt, weights);
  ForeignEmbeddings embeddings =
      read_shared_tables(opt, weights, {kOpennmtSourceWords, kOpennmtTargetWords, projection});
  shape.tie_embeddings = embeddings.tied;
  embeddings.names.push_back({"output_proj.bias", bias});
  ForeignModel foreign{nullptr, NameMap(embeddings.names)};
  add_opennmt_names(opt, shape, foreign.names);
  Tokenizer source = opennmt_tokenizer(checkpoint, opt, "src", foreign.remarks),
            target = opennmt_tokenizer(checkpoint, opt, "tgt", foreign.remarks);
  if (source.bytes() == target.bytes()) source = target;
  if (shares_inputs(shape.tie_embeddings) && source.bytes() != target.bytes())
    throw DataError(checkpoint.path() +
                    ": its settings share embeddings of source and target, but the vocabularies or "
                    "what splits words differ");
  shape.src_vocab_size = source.vocab_size();
  shape.tgt_vocab_size = target.vocab_size();
  // onmt_translate searches with these options unless it is told otherwise.
  ModelDecoding decoding;
  decoding.beam_size = 5;
  decoding.length_penalty = 0.0f;
  TranslationModel model(std::shared_ptr<EncoderDecoder>(make_encoder_decoder(shape)),
                         std::move(source), std::move(target), decoding);
  const auto start = opennmt_start(checkpoint, model.special());
  if (!start)
    throw DataError(checkpoint.path() +
                    ": vocab, decoder_start_token: a model that translates needs one");
  model.format.marks = {{}, {}, {*start}};
  foreign.model = std::make_shared<TranslationModel>(std::move(model));
  foreign.ignorable = {kOpennmtSourceWords, kOpennmtTargetWords, projection};
  return {std::move(foreign), std::move(weights), "opennmt", "OpenNMT-py"};
}

CheckpointModel read_opennmt(const OpenedCheckpoint& checkpoint) {
  ForeignConfig opt = checkpoint.settings(*checkpoint.find("opt"), "opt");
  return opt.choice_or("model_task", 0, {"seq2seq", "lm"}) == 0
             ? read_opennmt_translator(checkpoint, std::move(opt))
             : read_opennmt_language(checkpoint, std::move(opt));
}

}  // namespace attend
