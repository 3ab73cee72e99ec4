#include "attend/interchange/families/ctranslate2/ctranslate2_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

namespace {

constexpr ForeignLayout kSame = ForeignLayout::same;
constexpr const char* kSelfInputs = "#/layer_*/self_attention/linear_0/*";
constexpr const char* kMemory = "decoder/layer_*/attention/linear_1/*";

// Queries, keys and values are one map, one after the other; of cross-attention keys and values.
constexpr std::array kCt2Names{
    NameRule{"#.layers.*.self_attn.q_proj.*", kSelfInputs, kSame, {0, 3}},
    NameRule{"#.layers.*.self_attn.k_proj.*", kSelfInputs, kSame, {1, 3}},
    NameRule{"#.layers.*.self_attn.v_proj.*", kSelfInputs, kSame, {2, 3}},
    NameRule{"#.layers.*.self_attn.out_proj.*", "#/layer_*/self_attention/linear_1/*"},
    NameRule{"decoder.layers.*.cross_attn.q_proj.*", "decoder/layer_*/attention/linear_0/*"},
    NameRule{"decoder.layers.*.cross_attn.k_proj.*", kMemory, kSame, {0, 2}},
    NameRule{"decoder.layers.*.cross_attn.v_proj.*", kMemory, kSame, {1, 2}},
    NameRule{"decoder.layers.*.cross_attn.out_proj.*", "decoder/layer_*/attention/linear_2/*"},
    NameRule{"#.layers.*.feed_forward.linear1.*", "#/layer_*/ffn/linear_0/*"},
    NameRule{"#.layers.*.feed_forward.linear_gate.*", "#/layer_*/ffn/linear_0_noact/*"},
    NameRule{"#.layers.*.feed_forward.linear2.*", "#/layer_*/ffn/linear_1/*"},
    NameRule{"#.layers.*.norm1.weight", "#/layer_*/self_attention/layer_norm/gamma"},
    NameRule{"#.layers.*.norm1.bias", "#/layer_*/self_attention/layer_norm/beta"},
    NameRule{"encoder.layers.*.norm2.weight", "encoder/layer_*/ffn/layer_norm/gamma"},
    NameRule{"encoder.layers.*.norm2.bias", "encoder/layer_*/ffn/layer_norm/beta"},
    NameRule{"decoder.layers.*.norm2.weight", "decoder/layer_*/attention/layer_norm/gamma"},
    NameRule{"decoder.layers.*.norm2.bias", "decoder/layer_*/attention/layer_norm/beta"},
    NameRule{"decoder.layers.*.norm3.weight", "decoder/layer_*/ffn/layer_norm/gamma"},
    NameRule{"decoder.layers.*.norm3.bias", "decoder/layer_*/ffn/layer_norm/beta"},
    NameRule{"#.norm.weight", "#/layer_norm/gamma"},
    NameRule{"#.norm.bias", "#/layer_norm/beta"},
    NameRule{"src_norm.weight", "encoder/layernorm_embedding/gamma"},
    NameRule{"src_norm.bias", "encoder/layernorm_embedding/beta"},
    NameRule{"tgt_norm.weight", "decoder/layernorm_embedding/gamma"},
    NameRule{"tgt_norm.bias", "decoder/layernorm_embedding/beta"},
    NameRule{"src_positions.weight", "encoder/position_encodings/encodings"},
    NameRule{"tgt_positions.weight", "decoder/position_encodings/encodings"},
    NameRule{"#.relative_positions.weight", "#/layer_0/self_attention/relative_attention_bias"},
    NameRule{"#.layers.*.self_attn.relative_positions.weight",
             "#/layer_*/self_attention/relative_attention_bias"},
};

// What differs in a language model.
constexpr std::array kCt2LanguageNames{
    NameRule{"embedding.weight", "decoder/embeddings/weight"},
    NameRule{"positions.weight", "decoder/position_encodings/encodings"},
    NameRule{"norm.weight", "decoder/layernorm_embedding/gamma"},
    NameRule{"norm.bias", "decoder/layernorm_embedding/beta"},
    NameRule{"output_proj.weight", "decoder/projection/weight"},
    NameRule{"decoder.layers.*.self_attn.q_proj.*", "decoder/layer_*/self_attention/q/*"},
    NameRule{"decoder.layers.*.self_attn.k_proj.*", "decoder/layer_*/self_attention/k/*"},
    NameRule{"decoder.layers.*.self_attn.v_proj.*", "decoder/layer_*/self_attention/v/*"},
    NameRule{"decoder.layers.*.self_attn.q_norm.weight",
             "decoder/layer_*/self_attention/q_norm/gamma"},
    NameRule{"decoder.layers.*.self_attn.k_norm.weight",
             "decoder/layer_*/self_attention/k_norm/gamma"},
    NameRule{"decoder.layers.*.norm2.weight", "decoder/layer_*/ffn/layer_norm/gamma"},
    NameRule{"decoder.layers.*.norm2.bias", "decoder/layer_*/ffn/layer_norm/beta"},
};

// What differs in an encoder. Its table may have rows that no token has.
constexpr std::array kCt2EncoderNames{
    NameRule{"embedding.weight", "encoder/embeddings_0/weight", ForeignLayout::first_rows},
    NameRule{"positions.weight", "encoder/position_encodings/encodings"},
    NameRule{"token_types.weight", "encoder/embeddings_1/weight"},
    NameRule{"norm.weight", "encoder/layernorm_embedding/gamma"},
    NameRule{"norm.bias", "encoder/layernorm_embedding/beta"},
};

// The rows of a tensor after the first `skipped` ones.
ForeignTensor rows_of(const ForeignTensor& whole, std::string name, std::int64_t skipped,
                      std::int64_t rows) {
  ForeignTensor part = whole;
  part.name = std::move(name);
  part.shape.front() = rows;
  const auto begin =
      static_cast<std::size_t>(whole.bytes() / static_cast<std::uint64_t>(whole.shape.front()) *
                               static_cast<std::uint64_t>(skipped));
  part.read = [read = whole.read, size = static_cast<std::size_t>(whole.bytes()),
               begin](std::span<std::byte> to) {
    std::vector<std::byte> all(size);
    read(all);
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(begin), to.size(), to.begin());
  };
  return part;
}

void split_heads(TensorTable& variables, const std::string& attention, const char* what,
                 const std::array<std::pair<const char*, std::int64_t>, 3>& parts) {
  const std::string name = fmt::format("{}/linear_0/{}", attention, what);
  const ForeignTensor* const found = variables.find(name);
  if (found == nullptr) return;
  std::int64_t rows = 0;
  for (const auto& [part, own] : parts) rows += own;
  const ForeignTensor whole = *found;  // adding moves it
  if (whole.shape.empty() || whole.shape.front() != rows)
    throw DataError(fmt::format("{}: variable {}: expected {} rows, found [{}]", whole.file,
                                quote(name, 120), rows, fmt::join(whole.shape, ", ")));
  std::int64_t done = 0;
  for (const auto& [part, own] : parts) {
    variables.add(rows_of(whole, fmt::format("{}/{}/{}", attention, part, what), done, own));
    done += own;
  }
}

}  // namespace

EmbeddingTensors ctranslate2_embeddings(const TensorTable& variables) {
  constexpr std::string_view kNewer = "encoder/embeddings_0/weight",
                             kOlder = "encoder/embeddings/weight";
  const std::string_view encoder = variables.contains(kNewer) ? kNewer : kOlder;
  return {encoder, encoder, "decoder/embeddings/weight", "decoder/projection/weight"};
}

NameMap ctranslate2_names(const TransformerConfig& shape, const ForeignEmbeddings& embeddings,
                          bool from_zero) {
  std::vector<NameRule> first(embeddings.names);
  for (NameRule& rule : first)
    if (from_zero && rule.ours != "src_embedding.weight") rule.layout = ForeignLayout::but_one;
  if (shape.output_bias)
    first.push_back({"output_proj.bias", "decoder/projection/bias",
                     from_zero ? ForeignLayout::but_one_entry : kSame});
  NameMap names(first);
  names.add(kCt2Names);
  return names;
}

NameMap ctranslate2_language_names() {
  NameMap names(kCt2LanguageNames);
  names.add(kCt2Names);
  return names;
}

std::vector<NameRule> ctranslate2_encoder_rules() {
  std::vector<NameRule> rules(kCt2EncoderNames.begin(), kCt2EncoderNames.end());
  rules.insert(rules.end(), kCt2Names.begin(), kCt2Names.end());
  return rules;
}

void split_ctranslate2_heads(TensorTable& variables, const StackConfig& shape, int layers) {
  const std::int64_t width = shape.d_key > 0 ? shape.d_key : shape.d_model / shape.n_heads,
                     keys = width * (shape.n_key_heads > 0 ? shape.n_key_heads : shape.n_heads);
  for (int layer = 0; layer < layers; ++layer)
    for (const char* what : {"weight", "bias"})
      split_heads(variables, fmt::format("decoder/layer_{}/self_attention", layer), what,
                  {{{"q", width * shape.n_heads}, {"k", keys}, {"v", keys}}});
}

namespace {

Tensor rows_joined(const std::array<Tensor, 3>& parts) {
  std::int64_t rows = 0;
  for (const Tensor& part : parts) rows += part.dim(0);
  const Tensor whole = Tensor::empty_on_host(
      parts[0].shape().rank() == 1 ? Shape{rows} : Shape{rows, parts[0].dim(1)});
  rows = 0;
  for (const Tensor& part : parts) {
    whole.slice_rows(rows, rows + part.dim(0)).copy_from(part);
    rows += part.dim(0);
  }
  return whole;
}

}  // namespace

void join_ctranslate2_heads(std::vector<NamedTensor>& weights) {
  constexpr std::string_view kQueries = "/self_attention/q/";
  std::vector<NamedTensor> joined;
  const auto named = [&](std::string name, std::size_t place, char part) {
    name[place] = part;
    return std::find_if(weights.begin(), weights.end(),
                        [&](const NamedTensor& weight) { return weight.name == name; })
        ->tensor;
  };
  for (const NamedTensor& weight : weights) {
    const std::size_t begin = weight.name.find(kQueries), place = begin + kQueries.size() - 2;
    if (begin != weight.name.npos) {
      std::string name = weight.name;
      name.replace(place, 1, "linear_0");
      joined.push_back({name, rows_joined({weight.tensor, named(weight.name, place, 'k'),
                                           named(weight.name, place, 'v')})});
    } else if (weight.name.find("/self_attention/k/") == weight.name.npos &&
               weight.name.find("/self_attention/v/") == weight.name.npos) {
      joined.push_back(weight);
    }
  }
  weights = std::move(joined);
}

}  // namespace attend
