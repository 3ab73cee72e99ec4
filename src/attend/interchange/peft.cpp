#include "attend/interchange/peft.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/checkpoint/options_json.h"
#include "attend/core/files/atomic_file.h"
#include "attend/core/files/atomic_folder.h"
#include "attend/core/json/json.h"
#include "attend/core/json/json_text.h"
#include "attend/core/strings/ascii.h"
#include "attend/error.h"
#include "attend/interchange/foreign_config.h"
#include "attend/interchange/weights/foreign_weights.h"
#include "attend/interchange/writing/model_export.h"
#include "attend/nn/low_rank.h"
#include "attend/tasks/model_file/adapter.h"
#include "attend/tasks/model_file/golden.h"

namespace attend {

namespace {

constexpr const char* kPeftConfig = "adapter_config.json";
constexpr const char* kPeftWeights = "adapter_model.safetensors";
constexpr std::string_view kPeftPrefix = "base_model.model.";
constexpr std::string_view kFirst = ".lora_A.weight", kSecond = ".lora_B.weight";
constexpr std::string_view kWeightOf = ".weight";

struct PeftSettings {
  AdapterNote note;
  // PEFT multiplies B A by alpha / rank, or by alpha / sqrt(rank) if by_root.
  float alpha = 1.0f;
  bool by_root = false;
  // Modules with another alpha, by their names or the ends of those; the first that fits counts.
  std::vector<std::pair<std::string, float>> other_alphas = {};
  float alpha_of(std::string_view module) const {
    for (const auto& [name, other] : other_alphas)
      if (module == name || module.ends_with("." + name)) return other;
    return alpha;
  }
  float factor(std::int64_t rank) const {
    const auto r = static_cast<float>(rank);
    return alpha / (by_root ? std::sqrt(r) : r);
  }
};

ForeignConfig open_config(const ModelDirectory& directory) {
  return ForeignConfig::from_json(directory.text(kPeftConfig),
                                  directory.path() + "/" + kPeftConfig);
}

bool is_plain_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return is_ascii_alphanumeric(c) || c == '_' || c == '.'; });
}

// In the order of the file.
std::vector<std::pair<std::string, float>> read_other_alphas(const ModelDirectory& directory,
                                                             ForeignConfig& config) {
  std::vector<std::pair<std::string, float>> alphas;
  if (!config.has("alpha_pattern")) return alphas;
  ForeignConfig& pattern = config.object("alpha_pattern");
  const nlohmann::ordered_json in_order = parse_json(directory.text(kPeftConfig), kPeftConfig);
  for (const auto& [name, value] : in_order.at("alpha_pattern").items()) {
    if (!is_plain_name(name))
      pattern.refuse(name, "only names of modules are supported, no regular expressions");
    alphas.emplace_back(name, static_cast<float>(pattern.number(name, above(0, 1e6))));
  }
  return alphas;
}

PeftSettings read_settings(const ModelDirectory& directory) {
  ForeignConfig config = open_config(directory);
  config.require("peft_type", "LORA");
  PeftSettings settings;
  settings.note.rank = static_cast<int>(config.integer("r", between(1, 65536)));
  settings.alpha = static_cast<float>(config.number("lora_alpha", above(0, 1e6)));
  settings.by_root = config.boolean_or("use_rslora", false);
  settings.note.alpha =
      settings.factor(settings.note.rank) * static_cast<float>(settings.note.rank);
  if (!settings.by_root) settings.note.alpha = settings.alpha;
  for (const char* other : {"use_dora", "use_qalora", "lora_bias"}) config.require(other, false);
  for (const char* none : {"layer_replication", "trainable_token_indices", "target_parameters",
                           "alora_invocation_tokens", "arrow_config", "use_bdlora"})
    config.require_one_of(none, std::vector<nlohmann::json>{nlohmann::json::array()});
  settings.other_alphas = read_other_alphas(directory, config);
  // Other ways to begin change the weights of the base. corda_config and lora_ga_config are of
  // such ways, too, and refused as unknown.
  config.require_one_of("init_lora_weights",
                        std::vector<nlohmann::json>{true, false, "gaussian", "orthogonal", "eva"});
  config.require("loftq_config", nlohmann::json::object());
  // What training knows, and what the names and shapes of the tensors say.
  config.ignore({"auto_mapping",   "base_model_name_or_path",
                 "bias",           "ensure_weight_tying",
                 "eva_config",     "exclude_modules",
                 "fan_in_fan_out", "inference_mode",
                 "layers_pattern", "layers_to_transform",
                 "lora_dropout",   "megatron_config",
                 "megatron_core",  "modules_to_save",
                 "peft_version",   "qalora_group_size",
                 "rank_pattern",   "revision",
                 "runtime_config", "target_modules",
                 "task_type"});
  config.require_all_known();
  return settings;
}

// "encoder.layer.0.attention.self.query" of "bert.encoder. ...": a model within another is a part
// of that, under one name.
bool is_same_module(std::string_view a, std::string_view b) {
  if (a.size() < b.size()) std::swap(a, b);
  if (!a.ends_with(b)) return false;
  a.remove_suffix(b.size());
  return a.empty() || (a.back() == '.' && a.find('.') == a.size() - 1);
}

// The bias of an adapted layer is that of the layer which the adapter wraps.
std::string without_wrapper(std::string name) {
  constexpr std::string_view kWrapper = ".base_layer.";
  const std::size_t at = name.find(kWrapper);
  return at == name.npos ? name : name.replace(at, kWrapper.size(), ".");
}

std::string_view without(std::string_view text, std::string_view end) {
  return text.ends_with(end) ? text.substr(0, text.size() - end.size()) : text;
}

Tensor scaled(const Tensor& x, float factor) {
  std::vector<float> values = x.to_vector();
  for (float& value : values) value *= factor;
  const Tensor result = Tensor::empty_on_host(x.shape());
  std::copy(values.begin(), values.end(), result.span().begin());
  return result;
}

class PeftReader {
 public:
  PeftReader(const ModelDirectory& directory, const Checkpoint& base)
      : settings_(read_settings(directory)),
        base_(base),
        exported_(export_model(base)),
        weights_(open_foreign_weights(directory.open(kPeftWeights))) {}

  Checkpoint read() {
    settings_.note.base = checksum_of(base_);
    for (const auto& [key, value] : base_.metadata)
      if (!key.starts_with(kTrainingState) && key != kGoldenKey) adapter_.metadata[key] = value;
    set_adapter_note(adapter_, settings_.note);
    adapter_.source = weights_.where();
    for (const NamedTensor& parameter : exported_.equal.tensors)
      if (const auto name = exported_.names.find(parameter.name); name) take(parameter, *name);
    weights_.require_all_used({}, fmt::format("an adapter of {}", base_.source));
    if (adapter_.tensors.empty())
      throw DataError(
          fmt::format("{}: expected matrices of an adapter, found none", weights_.where()));
    return std::move(adapter_);
  }

 private:
  // What the adapter has for a parameter, if anything.
  void take(const NamedTensor& parameter, const ForeignName& theirs) {
    const auto first = key_of(without(theirs.name, kWeightOf), kFirst);
    const auto second = key_of(without(theirs.name, kWeightOf), kSecond);
    if (first && second && theirs.name.ends_with(kWeightOf)) {
      const Tensor a = weights_.read(*first), b = weights_.read(*second);
      if (a.shape().rank() != 2 || b.shape().rank() != 2 || b.dim(1) != a.dim(0) ||
          b.dim(0) % (theirs.part.count * theirs.part.groups) != 0 || a.dim(0) == 0)
        throw DataError(
            fmt::format("{}: {}: expected matrices [r, in] and [out, r], found {} and "
                        "{}",
                        weights_.where(), *first, to_string(a.shape()), to_string(b.shape())));
      const std::string_view module =
          without(std::string_view(*first).substr(kPeftPrefix.size()), kFirst);
      // What the factor of the whole adapter lacks.
      const float ratio = settings_.factor(a.dim(0)) / settings_.factor(settings_.note.rank) *
                          settings_.alpha_of(module) / settings_.alpha;
      adapter_.tensors.push_back({lora_a_name(parameter.name), a});
      adapter_.tensors.push_back(
          {lora_b_name(parameter.name), scaled(rows_of_part(b, theirs), ratio)});
    } else if (const auto whole = key_of(theirs.name, "")) {
      adapter_.tensors.push_back(
          {parameter.name,
           read_parameter(weights_, {*whole, theirs.layout, theirs.part, theirs.heads},
                          parameter.tensor.shape())});
    }
  }
  // The key of a module of the base, with this end.
  std::optional<std::string> key_of(std::string_view module, std::string_view end) const {
    for (const ForeignTensor& tensor : weights_.tensors()) {
      const std::string plain = without_wrapper(tensor.name);
      std::string_view name = plain;
      if (!name.starts_with(kPeftPrefix) || !name.ends_with(end)) continue;
      name.remove_prefix(kPeftPrefix.size());
      name.remove_suffix(end.size());
      if (is_same_module(name, module)) return tensor.name;
    }
    return std::nullopt;
  }

  PeftSettings settings_;
  const Checkpoint& base_;
  ExportedModel exported_;
  TensorTable weights_;
  Checkpoint adapter_;
};

// Null for classifiers: with their type, PEFT expects a new output layer in every adapter.
nlohmann::ordered_json task_type_of(const Checkpoint& model) {
  static const std::map<std::string_view, std::string_view> kTypes{
      {"embedding", "FEATURE_EXTRACTION"},
      {"language modeling", "CAUSAL_LM"},
      {"translation", "SEQ_2_SEQ_LM"}};
  const auto found = kTypes.find(model.text("attend.task"));
  return found == kTypes.end() ? nlohmann::ordered_json() : nlohmann::ordered_json(found->second);
}

// The tensors of an adapter by the names of PEFT, and the modules that they belong to.
struct PeftTensors {
  std::vector<NamedTensor> tensors;
  std::set<std::string> adapted, saved;
  bool transposed = false;  // matrices are [in, out] there: fan_in_fan_out
};

void add_low_rank(const Checkpoint& adapter, const std::string& weight, const ExportedModel& model,
                  PeftTensors& result) {
  const ForeignName theirs = model.names.theirs(weight);
  if (theirs.part.count != 1)
    throw ConfigError(fmt::format(
        "{}: in Hugging Face {} is a part of {}, which an adapter of PEFT adapts as a whole",
        adapter.source, weight, theirs.name));
  const std::string module(without(theirs.name, kWeightOf));
  const std::string key = std::string(kPeftPrefix) + module;
  result.adapted.insert(module);
  result.transposed |= theirs.layout == ForeignLayout::transposed;
  result.tensors.push_back({key + std::string(kFirst), adapter.tensor(lora_a_name(weight))});
  result.tensors.push_back(
      {key + std::string(kSecond),
       in_their_order(adapter.tensor(lora_b_name(weight)).to_host(), theirs.heads)});
}

PeftTensors peft_tensors(const Checkpoint& adapter, const ExportedModel& model) {
  PeftTensors result;
  ForeignTensors whole;
  for (const NamedTensor& parameter : model.equal.tensors) {
    const std::string& name = parameter.name;
    if (name.ends_with(kWeightOf) && adapter.find(lora_a_name(name)) != nullptr) {
      add_low_rank(adapter, name, model, result);
    } else if (const Tensor* const own = adapter.find(name); own && model.names.find(name)) {
      whole.add(model.names.theirs(name), *own);
    }
  }
  for (NamedTensor& tensor : whole.finish()) {
    result.saved.insert(tensor.name.substr(0, tensor.name.rfind('.')));
    result.tensors.push_back({std::string(kPeftPrefix) + tensor.name, std::move(tensor.tensor)});
  }
  return result;
}

}  // namespace

bool is_peft_directory(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path / kPeftConfig, ignored);
}

std::string base_of_peft(const ModelDirectory& directory) {
  return open_config(directory).text_or("base_model_name_or_path", "");
}

Checkpoint read_peft_adapter(const ModelDirectory& directory, const Checkpoint& base) {
  return PeftReader(directory, base).read();
}

void write_peft_adapter(const Checkpoint& adapter, const Checkpoint& base,
                        const std::string& base_name, const std::filesystem::path& directory) {
  const Checkpoint merged = merge_adapter(base, adapter);
  const PeftTensors tensors = peft_tensors(adapter, export_model(merged));
  const AdapterNote note = adapter_note(adapter);
  const nlohmann::ordered_json config{{"base_model_name_or_path", base_name},
                                      {"bias", "none"},
                                      {"fan_in_fan_out", tensors.transposed},
                                      {"inference_mode", true},
                                      {"lora_alpha", note.alpha},
                                      {"lora_dropout", 0.0},
                                      {"modules_to_save", tensors.saved},
                                      {"peft_type", "LORA"},
                                      {"r", note.rank},
                                      {"target_modules", tensors.adapted},
                                      {"task_type", task_type_of(merged)}};
  AtomicFolder folder(directory);
  write_file_atomically(folder.temporary() / kPeftConfig, json_text(config, 2) + "\n");
  write_safetensors(folder.temporary() / kPeftWeights, tensors.tensors, {{"format", "pt"}});
  folder.commit();
}

}  // namespace attend
