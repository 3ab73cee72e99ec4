#include "attend/interchange/writing/equal_models.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "attend/checkpoint/options_json.h"
#include "attend/error.h"
#include "attend/models/architecture.h"
#include "attend/models/language_transformer.h"
#include "attend/tasks/model_file/model_reading.h"

namespace attend {

namespace {

const std::string kConfigKey = "attend.config";

template <class Config>
Config config_of(const Checkpoint& model) {
  return read_options<Config>(model, kConfigKey);
}

template <class Config>
void set_config(Checkpoint& model, const Config& config) {
  model.metadata[kConfigKey] = options_to_json(config);
}

Tensor& tensor_named(Checkpoint& model, std::string_view name) {
  for (NamedTensor& tensor : model.tensors)
    if (tensor.name == name) return tensor.tensor;
  throw DataError(model.source + ": expected a tensor " + std::string(name));
}

// Row r of the result is row order[r] of `x`, [R, C] or [R].
Tensor rows_in_order(const Tensor& x, const std::vector<std::int64_t>& order) {
  const Tensor result = Tensor::empty_on_host(x.shape());
  for (std::size_t r = 0; r < order.size(); ++r) {
    const auto row = static_cast<std::int64_t>(r);
    result.slice_rows(row, row + 1).copy_from(x.slice_rows(order[r], order[r] + 1));
  }
  return result;
}

Tensor columns_in_order(const Tensor& x, const std::vector<std::int64_t>& order) {
  const Tensor result = Tensor::empty_on_host(x.shape());
  for (std::int64_t r = 0; r < x.rows(); ++r)
    for (std::size_t c = 0; c < order.size(); ++c) result.row(r)[c] = x.row(r)[order[c]];
  return result;
}

bool ends_with_any(std::string_view name, std::initializer_list<std::string_view> ends) {
  return std::any_of(ends.begin(), ends.end(),
                     [&](std::string_view end) { return name.ends_with(end); });
}

// Which extent of a parameter of a translation model is the model dimension.
enum class ModelDimension { rows, columns, none };

// A logit that has no share in a sum of exponentials, and no infinity.
constexpr float kNoShare = -1e9f;

ModelDimension model_dimension_of(const std::string& name) {
  if (name == "output_proj.bias") return ModelDimension::none;
  if (ends_with_any(name,
                    {"embedding.weight", "output_proj.weight", "q_proj.weight", "k_proj.weight",
                     "v_proj.weight", "linear1.weight", "linear_gate.weight"}))
    return ModelDimension::columns;
  const bool is_norm = name.find("norm") != name.npos;
  if (is_norm ||
      ends_with_any(name, {"out_proj.weight", "out_proj.bias", "linear2.weight", "linear2.bias"}))
    return ModelDimension::rows;
  return ModelDimension::none;
}

Tensor scaled(const Tensor& x, float factor) {
  const Tensor result = Tensor::empty_on_host(x.shape());
  std::transform(x.span().begin(), x.span().end(), result.data(),
                 [factor](float value) { return value * factor; });
  return result;
}

}  // namespace

void separate_sines_from_cosines(Checkpoint& model) {
  auto config = config_of<TransformerConfig>(model);
  std::vector<std::int64_t> order;
  for (const std::int64_t first : {0, 1})
    for (std::int64_t column = first; column < config.d_model; column += 2) order.push_back(column);
  for (NamedTensor& tensor : model.tensors) {
    const ModelDimension dimension = model_dimension_of(tensor.name);
    if (dimension == ModelDimension::rows) tensor.tensor = rows_in_order(tensor.tensor, order);
    if (dimension == ModelDimension::columns)
      tensor.tensor = columns_in_order(tensor.tensor, order);
  }
  config.positions = PositionKind::sinusoidal_halves;
  set_config(model, config);
}

void add_output_bias(Checkpoint& model, std::int64_t vocabulary) {
  auto config = config_of<TransformerConfig>(model);
  const Tensor bias = Tensor::empty_on_host({vocabulary});
  std::fill_n(bias.data(), vocabulary, 0.0f);
  model.tensors.push_back({"output_proj.bias", bias});
  config.output_bias = true;
  set_config(model, config);
}

void silence_tokens(Checkpoint& model, std::span<const std::int32_t> tokens,
                    std::int64_t vocabulary) {
  if (!config_of<TransformerConfig>(model).output_bias) add_output_bias(model, vocabulary);
  Tensor& bias = tensor_named(model, "output_proj.bias");
  bias = bias.to_host().clone();
  for (const std::int32_t id : tokens) bias.data()[id] = kNoShare;
}

namespace {

// Sinusoids without a factor, [length, D].
Tensor table_of_positions(const StackConfig& config, std::int64_t length) {
  const Tensor table = Tensor::empty_on_host({length, config.d_model});
  table.copy_from(sinusoids(config.positions, config.first_position + length, config.d_model)
                      .to_host()
                      .slice_rows(config.first_position, config.first_position + length));
  return table;
}

}  // namespace

void tabulate_positions_of_pairs(Checkpoint& model, std::int64_t length) {
  auto config = config_of<TransformerConfig>(model);
  for (const char* name : {"src_positions.weight", "tgt_positions.weight"})
    model.tensors.push_back({name, table_of_positions(config, length)});
  config.positions = PositionKind::learned;
  config.max_positions = static_cast<int>(length);
  config.first_position = 0;
  set_config(model, config);
}

void use_usual_epsilon(Checkpoint& model) {
  auto config = config_of<TransformerConfig>(model);
  config.norm.epsilon = NormOptions{}.epsilon;
  set_config(model, config);
}

namespace {

// Whether the rows of a parameter are the pieces of the target.
bool is_of_target(const std::string& name, bool joint) {
  if (name == "src_embedding.weight") return joint;
  return ends_with_any(name, {"embedding.weight", "output_proj.weight", "output_proj.bias"});
}

}  // namespace

void begin_with_zeros(Checkpoint& model, std::int64_t start, std::int64_t place) {
  const auto config = config_of<TransformerConfig>(model);
  const bool shared = shares_inputs(config.tie_embeddings);
  const Tensor table =
      tensor_named(model, shared ? "embedding.weight" : "tgt_embedding.weight").to_host();
  Tensor& positions = tensor_named(model, "tgt_positions.weight");
  const Tensor moved = Tensor::empty_on_host(positions.shape());
  moved.copy_from(positions);
  for (std::int64_t column = 0; column < table.cols(); ++column)
    moved.row(0)[column] += config.scale_of_embeddings() * table.row(start)[column];
  positions = moved;
  std::vector<std::int64_t> order;
  for (std::int64_t id = 0; id < table.rows(); ++id)
    if (id != start) order.push_back(id);
  order.insert(order.begin() + place, start);
  const bool joint = model.find("tokenizer") != nullptr;
  for (NamedTensor& tensor : model.tensors) {
    if (!is_of_target(tensor.name, joint)) continue;
    tensor.tensor = rows_in_order(tensor.tensor, order);
    const Tensor row = tensor.tensor.slice_rows(place, place + 1);
    std::fill_n(row.data(), row.size(), tensor.name == "output_proj.bias" ? kNoShare : 0.0f);
  }
}

void add_source_piece(Checkpoint& model) {
  Tensor& table = tensor_named(model, "src_embedding.weight");
  const Tensor more = Tensor::empty_on_host({table.rows() + 1, table.cols()});
  more.slice_rows(0, table.rows()).copy_from(table);
  std::fill_n(more.row(table.rows()), table.cols(), 0.0f);
  table = more;
}

void multiply_embeddings(Checkpoint& model) {
  auto config = config_of<LanguageTransformerConfig>(model);
  Tensor& table = tensor_named(model, "embedding.weight");
  const Tensor plain = table;
  table = scaled(plain, config.scale_of_embeddings());
  if (config.tied) model.tensors.push_back({"output_proj.weight", plain});
  config.tied = false;
  config.embedding_scale = 1.0f;
  set_config(model, config);
}

void tabulate_positions(Checkpoint& model, std::int64_t length) {
  auto config = config_of<LanguageTransformerConfig>(model);
  Tensor table = Tensor::empty_on_host({length, config.d_model});
  std::fill_n(table.data(), table.size(), 0.0f);
  if (is_added(config.positions)) table = table_of_positions(config, length);
  model.tensors.push_back({"positions.weight", table});
  config.positions = PositionKind::learned;
  config.max_positions = static_cast<int>(length);
  config.first_position = 0;
  set_config(model, config);
}

void use_one_width(Checkpoint& model) {
  auto config = config_of<LanguageTransformerConfig>(model);
  if (config.expert_width > 0) config.d_ff = config.expert_width;
  config.expert_width = 0;
  set_config(model, config);
}

void use_width_of_experts(Checkpoint& model) {
  auto config = config_of<LanguageTransformerConfig>(model);
  if (config.expert_width == 0) config.expert_width = config.d_ff;
  set_config(model, config);
}

}  // namespace attend
