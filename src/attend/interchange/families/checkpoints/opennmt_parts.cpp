#include "attend/interchange/families/checkpoints/opennmt_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <utility>

#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/families/families.h"

namespace attend {

namespace {

constexpr NumberRange kInnerSizes = between(1, 1e6);
// Where a file has the sinusoids that are added to words.
constexpr std::string_view kSourceSinusoids = "encoder.embeddings.make_embedding.pe.pe",
                           kTargetSinusoids = "decoder.embeddings.make_embedding.pe.pe";

// The sizes of a tensor of two dimensions.
struct MatrixSize {
  int rows, columns;
};
MatrixSize size_of_matrix(const TensorTable& weights, std::string_view name) {
  const ForeignTensor* const found = weights.find(name);
  if (found == nullptr || found->shape.size() != 2 || !kInnerSizes.contains(found->shape[0]) ||
      !kWidths.contains(found->shape[1]))
    throw DataError(fmt::format("{}: expected a matrix {}, found none", weights.where(), name));
  return {static_cast<int>(found->shape[0]), static_cast<int>(found->shape[1])};
}

void read_opennmt_positions(ForeignConfig& opt, TensorTable& weights, StackConfig& shape) {
  constexpr int kRotary = -1;
  const auto kind = opt.integer_or("max_relative_positions", 0, between(-2, 1e6));
  if (kind != 0 && kind != kRotary)
    opt.refuse("max_relative_positions", "only 0 (none) and -1 (rotary) are supported");
  if (opt.boolean_or("position_encoding", false)) {
    if (kind == kRotary) opt.refuse("position_encoding", "rotary positions are added to it");
    shape.positions = opt.choice_or("position_encoding_type", 0,
                                    {"SinusoidalInterleaved", "SinusoidalConcat"}) == 0
                          ? PositionKind::sinusoidal
                          : PositionKind::sinusoidal_t2t;
    require_sinusoids(weights, kSourceSinusoids, shape);
    require_sinusoids(weights, kTargetSinusoids, shape);
    return;
  }
  opt.ignore({"position_encoding_type"});
  shape.embedding_scale = 1.0f;
  shape.positions = PositionKind::none;
  if (kind != kRotary) return;
  shape.positions = PositionKind::rotary;
  shape.rotary.theta = static_cast<float>(opt.number_or("rotary_theta", 10000, between(1, 1e9)));
  const std::array<nlohmann::json, 2> widths{0, shape.d_model / shape.n_heads};
  opt.require_one_of("rotary_dim", widths);
}

void refuse_other_opennmt_parts(ForeignConfig& opt) {
  for (const auto& [key, value] : {std::pair<const char*, nlohmann::json>{"model_type", "text"},
                                   {"generator_function", "softmax"},
                                   {"copy_attn", false},
                                   {"coverage_attn", false},
                                   {"parallel_residual", false},
                                   {"shared_layer_norm", false},
                                   {"aan_useffn", false},
                                   {"lora_embedding", false},
                                   {"relative_positions_buckets", 0},
                                   {"sliding_window", 0},
                                   {"num_experts", 0},
                                   {"n_src_feats", 0}})
    opt.require(key, value);
  for (const char* list : {"lora_layers", "quant_layers"})
    opt.require(list, nlohmann::json::array());
  const std::array<nlohmann::json, 2> kinds{"scaled-dot", "scaled-dot-flash"};
  opt.require_one_of("self_attn_type", kinds);
}

Activation read_opennmt_activation(ForeignConfig& opt, bool is_gated) {
  constexpr Activation kActivations[] = {Activation::relu, Activation::gelu, Activation::swish,
                                         Activation::gelu};
  const std::size_t kind =
      opt.choice_or("pos_ffn_activation_fn", 0, {"relu", "gelu", "silu", "gated-gelu"});
  if (is_gated != (kind >= 2))
    opt.refuse("pos_ffn_activation_fn", is_gated ? "expected silu or gated-gelu, which have a w_3"
                                                 : "expected relu or gelu, which have no w_3");
  return kActivations[kind];
}

constexpr std::array kOpennmtNames{
    NameRule{"encoder.layers.*.self_attn.v_proj.*",
             "encoder.transformer.*.self_attn.linear_values.*"},
    NameRule{"encoder.layers.*.self_attn.out_proj.*",
             "encoder.transformer.*.self_attn.final_linear.*"},
    NameRule{"encoder.layers.*.norm1.*", "encoder.transformer.*.layer_norm.*"},
    NameRule{"encoder.layers.*.norm2.*", "encoder.transformer.*.feed_forward.layer_norm.*"},
    NameRule{"encoder.layers.*.feed_forward.linear1.*", "encoder.transformer.*.feed_forward.w_1.*"},
    NameRule{"encoder.layers.*.feed_forward.linear2.*", "encoder.transformer.*.feed_forward.w_2.*"},
    NameRule{"encoder.layers.*.feed_forward.linear_gate.*",
             "encoder.transformer.*.feed_forward.w_3.*"},
    NameRule{"decoder.layers.*.self_attn.v_proj.*",
             "decoder.transformer_layers.*.self_attn.linear_values.*"},
    NameRule{"decoder.layers.*.self_attn.out_proj.*",
             "decoder.transformer_layers.*.self_attn.final_linear.*"},
    NameRule{"decoder.layers.*.cross_attn.q_proj.*",
             "decoder.transformer_layers.*.context_attn.linear_query.*"},
    NameRule{"decoder.layers.*.cross_attn.k_proj.*",
             "decoder.transformer_layers.*.context_attn.linear_keys.*"},
    NameRule{"decoder.layers.*.cross_attn.v_proj.*",
             "decoder.transformer_layers.*.context_attn.linear_values.*"},
    NameRule{"decoder.layers.*.cross_attn.out_proj.*",
             "decoder.transformer_layers.*.context_attn.final_linear.*"},
    NameRule{"decoder.layers.*.norm1.*", "decoder.transformer_layers.*.layer_norm_1.*"},
    NameRule{"decoder.layers.*.norm2.*", "decoder.transformer_layers.*.layer_norm_2.*"},
    NameRule{"decoder.layers.*.norm3.*", "decoder.transformer_layers.*.feed_forward.layer_norm.*"},
    NameRule{"decoder.layers.*.feed_forward.linear1.*",
             "decoder.transformer_layers.*.feed_forward.w_1.*"},
    NameRule{"decoder.layers.*.feed_forward.linear2.*",
             "decoder.transformer_layers.*.feed_forward.w_2.*"},
    NameRule{"decoder.layers.*.feed_forward.linear_gate.*",
             "decoder.transformer_layers.*.feed_forward.w_3.*"},
    NameRule{"#.norm.*", "#.layer_norm.*"},
};

// Queries and keys, whose rows may be rotated in another order.
void add_rotated(NameMap& names, const ForeignHeads& heads) {
  for (const auto& [ours, theirs] :
       {std::pair{"encoder", "encoder.transformer"}, {"decoder", "decoder.transformer_layers"}})
    for (const auto& [part, name] :
         {std::pair{"q_proj", "linear_query"}, {"k_proj", "linear_keys"}}) {
      const std::string rule = fmt::format("{}.layers.*.self_attn.{}.*", ours, part),
                        source = fmt::format("{}.*.self_attn.{}.*", theirs, name);
      names.add(std::array{NameRule{rule, source, ForeignLayout::same, {}, heads}});
    }
}

// The entries of a vocabulary: a list or, in version 2, attributes of objects of torchtext.
std::vector<std::string> read_opennmt_vocabulary(const OpenedCheckpoint& checkpoint,
                                                 std::string_view side) {
  const Pickle& pickle = checkpoint.file.pickle();
  const PickleValue* entries = pickle.find(*checkpoint.find("vocab"), side);
  const auto attribute = [&](const PickleValue* of, std::string_view key) {
    const bool has_any = of != nullptr && of->kind == PickleKind::call && of->items.size() > 2;
    return has_any ? pickle.find(pickle[of->items[2]], key) : nullptr;
  };
  if (entries != nullptr && entries->kind == PickleKind::call) {
    const PickleValue* const fields = attribute(entries, "fields");
    const bool has_one = fields != nullptr && fields->kind == PickleKind::list &&
                         fields->items.size() == 1 && pickle[fields->items[0]].items.size() == 2;
    const PickleValue* const field = has_one ? &pickle[pickle[fields->items[0]].items[1]] : entries;
    entries = attribute(attribute(field, "vocab"), "itos");
  }
  if (entries == nullptr || entries->kind != PickleKind::list)
    throw DataError(fmt::format("{}: expected a list of entries in vocab, {}, found none",
                                checkpoint.path(), side));
  std::vector<std::string> list;
  for (const PickleRef entry : entries->items) {
    if (pickle[entry].kind != PickleKind::text)
      throw DataError(fmt::format("{}: expected strings in vocab, {}, found {}", checkpoint.path(),
                                  side, name_of(pickle[entry].kind)));
    list.emplace_back(pickle[entry].text);
  }
  return list;
}

// The file that splits the texts of a side: one that the settings name, or one that is there.
SubwordFile read_opennmt_subwords(const ModelDirectory& directory, ForeignConfig& opt,
                                  const std::string& side) {
  std::vector<std::string> transforms;
  if (opt.has("transforms")) transforms = opt.texts("transforms");
  const auto has = [&](const char* one) {
    return std::find(transforms.begin(), transforms.end(), one) != transforms.end();
  };
  if (has("onmt_tokenize"))
    opt.refuse("transforms", "the tokenizer pyonmttok (onmt_tokenize) is not supported");
  if (has("bpe")) opt.require(side + "_subword_vocab", "");
  const std::string named =
      std::filesystem::path(opt.text_or(side + "_subword_model", "")).filename().string();
  SubwordFile file =
      directory.contains(named) && !named.empty()
          ? SubwordFile{has("bpe") ? SubwordFile::Kind::codes : SubwordFile::Kind::sentencepiece,
                        named}
          : find_subwords(directory);
  if ((has("bpe") || has("sentencepiece")) && file.kind == SubwordFile::Kind::none)
    throw DataError(
        fmt::format("{}: expected the file {}, which splits words, beside the checkpoint",
                    directory.path(), quote(named)));
  return file;
}

}  // namespace

OpennmtWeights open_opennmt_weights(const OpenedCheckpoint& checkpoint) {
  TensorTable table(checkpoint.path());
  checkpoint.file.add_tensors(*checkpoint.find("model"), "", table);
  checkpoint.file.add_tensors(*checkpoint.find("generator"), "generator.", table);
  const bool is_older = table.contains("generator.0.weight");
  return {std::move(table), is_older ? "generator.0.weight" : "generator.weight",
          is_older ? "generator.0.bias" : "generator.bias"};
}

int opennmt_layers(const TensorTable& weights, const char* layer) {
  int layers = 0;
  while (
      layers < static_cast<int>(kLayerCounts.most) &&
      weights.contains(fmt::format(fmt::runtime(layer), layers, "self_attn.linear_query.weight")))
    ++layers;
  if (layers == 0)
    throw DataError(
        fmt::format("{}: expected layers of a Transformer, found no {}", weights.where(),
                    fmt::format(fmt::runtime(layer), 0, "self_attn.linear_query.weight")));
  return layers;
}

void read_opennmt_stack(ForeignConfig& opt, TensorTable& weights, const char* layer,
                        std::string_view words, StackConfig& shape) {
  refuse_other_opennmt_parts(opt);
  const auto first = [&](std::string_view part) {
    return fmt::format(fmt::runtime(layer), 0, part);
  };
  const int width = size_of_matrix(weights, words).columns;
  shape.d_model = size_of_matrix(weights, first("self_attn.linear_query.weight")).columns;
  if (width != shape.d_model)
    throw DataError(
        fmt::format("{}: its embeddings have the width {}, its layers {}; only equal "
                    "ones are supported",
                    weights.where(), width, shape.d_model));
  shape.d_ff = size_of_matrix(weights, first("feed_forward.w_1.weight")).rows;
  shape.n_heads = read_int(opt, "heads", kHeadCounts);
  if (shape.d_model % shape.n_heads != 0)
    opt.refuse("heads", fmt::format("expected a divisor of {}", shape.d_model));
  const std::array<nlohmann::json, 2> key_heads{0, shape.n_heads};
  opt.require_one_of("num_kv", key_heads);
  shape.gated_ffn = weights.contains(first("feed_forward.w_3.weight"));
  shape.ffn_bias = weights.contains(first("feed_forward.w_1.bias"));
  shape.attention_biases = weights.contains(first("self_attn.linear_query.bias"))
                               ? AttentionBiases::all
                               : AttentionBiases::none;
  shape.activation = read_opennmt_activation(opt, shape.gated_ffn);
  shape.norm_first = true;
  shape.norm.kind =
      opt.choice_or("layer_norm", 0, {"standard", "rms"}) == 0 ? NormKind::layer : NormKind::rms;
  shape.norm.epsilon = static_cast<float>(opt.number_or("norm_eps", 1e-6, between(1e-12, 1)));
  read_opennmt_positions(opt, weights, shape);
}

void add_opennmt_names(ForeignConfig& opt, const StackConfig& shape, NameMap& names) {
  ForeignHeads heads;
  if (opt.boolean_or("rotary_interleave", true) && shape.positions == PositionKind::rotary)
    heads = {shape.n_heads, shape.d_model / shape.n_heads, true};
  add_rotated(names, heads);
  names.add(kOpennmtNames);
}

void require_one_table(TensorTable& weights, std::string_view copy, std::string_view table) {
  if (weights.contains(copy) && !same_tables(weights, copy, table))
    throw DataError(fmt::format("{}: {} and {} are one table by the settings, but differ",
                                weights.where(), copy, table));
}

void require_sinusoids(TensorTable& weights, std::string_view name, const StackConfig& shape) {
  const ForeignTensor* const found = weights.find(name);
  if (found == nullptr) return;
  const bool fits = found->shape.size() == 3 && found->shape[1] == 1 &&
                    found->shape[2] == shape.d_model && found->shape[0] <= (1 << 20);
  const auto stored = fits ? weights.read(name) : Tensor();
  const Tensor ours = fits ? sinusoids(shape.positions, stored.dim(0), shape.d_model) : Tensor();
  const auto is_near = [](float a, float b) { return std::abs(a - b) <= 5e-3f; };
  if (!fits ||
      !std::equal(stored.span().begin(), stored.span().end(), ours.span().begin(), is_near))
    throw DataError(
        fmt::format("{}: {}: expected the sinusoids of position_encoding_type, found "
                    "other positions",
                    weights.where(), name));
}

ForeignEmbeddings read_shared_tables(ForeignConfig& opt, TensorTable& weights,
                                     const OpennmtTables& tables) {
  const bool inputs = opt.boolean_or("share_embeddings", false),
             target = opt.boolean_or("share_decoder_embeddings", false);
  if (inputs) require_one_table(weights, tables.source, tables.target);
  if (target) require_one_table(weights, tables.projection, tables.target);
  const TiedEmbeddings tied = inputs ? (target ? TiedEmbeddings::all : TiedEmbeddings::inputs)
                                     : (target ? TiedEmbeddings::target : TiedEmbeddings::none);
  return named_embeddings(tied, inputs ? tables.target : tables.source, tables.target,
                          target ? tables.target : tables.projection);
}

Tokenizer opennmt_tokenizer(const OpenedCheckpoint& checkpoint, ForeignConfig& opt,
                            const std::string& side, std::vector<std::string>& remarks) {
  const SubwordFile file = read_opennmt_subwords(checkpoint.directory, opt, side);
  if (side == "tgt") remark_subwords(file, remarks);
  return subword_tokenizer(checkpoint.directory, file,
                           {.pieces = read_opennmt_vocabulary(checkpoint, side),
                            .controls = {},
                            .special = {"<s>", "</s>", "<blank>", "<unk>"}});
}

std::optional<std::int32_t> opennmt_start(const OpenedCheckpoint& checkpoint,
                                          const SpecialTokens& special) {
  const PickleValue* const start =
      checkpoint.file.pickle().find(*checkpoint.find("vocab"), "decoder_start_token");
  if (start == nullptr || start->text == "<s>") return special.bos;
  if (start->text == "</s>") return special.eos;
  if (start->kind == PickleKind::text && start->text.empty()) return std::nullopt;
  throw DataError(
      fmt::format("{}: vocab, decoder_start_token: expected <s>, </s> or nothing, "
                  "found {}",
                  checkpoint.path(), quote(start->text)));
}

}  // namespace attend
