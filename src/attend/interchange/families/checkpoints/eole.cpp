// Models of eole, the successor of OpenNMT-py: config.json, vocab.json and shards of weights; here
// those that translate.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "attend/error.h"
#include "attend/interchange/families/checkpoints/eole_parts.h"
#include "attend/interchange/families/checkpoints/opennmt_parts.h"
#include "attend/interchange/families/two_stacks.h"
#include "attend/models/make_encoder_decoder.h"
#include "attend/tasks/translation/model.h"

namespace attend {

namespace {

constexpr const char* kEoleConfig = "config.json";

// What the whole model is, beside its stacks.
void refuse_other_eole_models(ForeignConfig& model) {
  const std::array<nlohmann::json, 3> architectures{"transformer", "transformer_lm", "custom"};
  model.require_one_of("architecture", architectures);
  model.require("generator_function", "softmax");
  model.require("add_estimator", false);
  model.ignore({"estimator_type", "left_pad", "huggingface_model", "eole_version", "input_feed",
                "adapter_bias", "projector_activation_fn", "spatial_merge_size"});
}

void require_transformer(ForeignConfig& model, const char* part, const char* type) {
  if (model.has(part)) model.object(part).require(type, "transformer");
}

// A model with a decoder alone is a language model.
bool has_encoder(ForeignConfig& model) {
  const bool is_custom = model.text_or("architecture", "custom") == "custom",
             is_language = model.text_or("architecture", "") == "transformer_lm";
  return !is_language && (!is_custom || model.has("encoder"));
}

EoleFiles read_eole_files(const ModelDirectory& directory, ForeignConfig& config) {
  const std::string where = directory.path() + "/vocab.json";
  ForeignConfig vocabulary = ForeignConfig::from_json(directory.text("vocab.json"), where);
  EoleFiles files{directory,
                  config,
                  vocabulary.texts("src"),
                  vocabulary.texts("tgt"),
                  {"<s>", "</s>", "<blank>", "<unk>"},
                  vocabulary.text_or("decoder_start_token", "<s>")};
  if (!vocabulary.has("specials")) return files;
  ForeignConfig& special = vocabulary.object("specials");
  files.special.bos = special.text_or("bos_token", files.special.bos);
  files.special.eos = special.text_or("eos_token", files.special.eos);
  files.special.pad = special.text_or("pad_token", files.special.pad);
  // Whatever the file calls it, eole looks unknown words up as this.
  special.require("unk_token", files.special.unk);
  return files;
}

TransformerConfig read_eole_shape(const EoleFiles& files) {
  ForeignConfig& model = files.model();
  TransformerConfig shape;
  read_eole_input(model, shape);
  StackConfig decoder = shape;
  shape.n_encoder_layers = read_eole_stack({model, "encoder"}, EoleStack::translator, shape);
  shape.n_decoder_layers = read_eole_stack({model, "decoder"}, EoleStack::translator, decoder);
  set_decoder(shape, decoder, files.directory.path() + "/" + kEoleConfig);
  shape.output_bias = model.boolean_or("generator_bias", true);
  return shape;
}

}  // namespace

CheckpointModel read_eole_translator(const EoleFiles& files) {
  ForeignConfig& model = files.model();
  TensorTable weights = open_eole_weights(files.directory);
  TransformerConfig shape = read_eole_shape(files);
  // A table that both sides share has the name of the source's.
  const bool is_shared = model.boolean_or("share_embeddings", false);
  ForeignEmbeddings embeddings = read_shared_tables(
      model, weights,
      is_shared ? OpennmtTables{kEoleTargetWords, kEoleSourceWords, kEoleProjection}
                : OpennmtTables{kEoleSourceWords, kEoleTargetWords, kEoleProjection});
  shape.tie_embeddings = embeddings.tied;
  for (const NameRule rule : {NameRule{"output_proj.bias", kEoleProjectionBias},
                              NameRule{"src_positions.weight", "src_emb.pe.weight"},
                              NameRule{"tgt_positions.weight", "tgt_emb.pe.weight"}})
    embeddings.names.push_back(rule);
  ForeignModel foreign{nullptr, NameMap(embeddings.names)};
  if (adds_sinusoids(shape))
    for (const char* name : {"src_emb.pe.pe", "tgt_emb.pe.pe"})
      require_sinusoids(weights, name, shape);
  for (const char* part : {"encoder", "decoder"})
    add_eole_names({model, part}, EoleStack::translator, shape, part, foreign.names);
  Tokenizer source = eole_tokenizer(files, "src", foreign.remarks),
            target = eole_tokenizer(files, "tgt", foreign.remarks);
  if (source.bytes() == target.bytes()) source = target;
  if (is_shared && source.bytes() != target.bytes())
    throw DataError(files.directory.path() +
                    ": its settings share embeddings of source and target, but the vocabularies or "
                    "what splits words differ");
  shape.src_vocab_size = source.vocab_size();
  shape.tgt_vocab_size = target.vocab_size();
  // eole searches with these options, unless it is told otherwise, and counts one token more.
  ModelDecoding decoding;
  decoding.beam_size = 5;
  decoding.length_penalty = 1.0f;
  TranslationModel translation(std::shared_ptr<EncoderDecoder>(make_encoder_decoder(shape)),
                               std::move(source), std::move(target), decoding);
  translation.format.marks = {{}, {}, {eole_start(files)}};
  foreign.model = std::make_shared<TranslationModel>(std::move(translation));
  foreign.ignorable = {kEoleSourceWords, kEoleTargetWords, kEoleProjection};
  model.require_all_known();
  return {std::move(foreign), std::move(weights), "eole", "eole"};
}

CheckpointModel read_eole(const ModelDirectory& directory) {
  ForeignConfig config =
      ForeignConfig::from_json(directory.text(kEoleConfig), directory.path() + "/" + kEoleConfig);
  const EoleFiles files = read_eole_files(directory, config);
  ForeignConfig& model = files.model();
  refuse_other_eole_models(model);
  require_transformer(model, "encoder", "encoder_type");
  require_transformer(model, "decoder", "decoder_type");
  return has_encoder(model) ? read_eole_translator(files) : read_eole_language(files);
}

}  // namespace attend
