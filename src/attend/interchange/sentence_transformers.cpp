#include "attend/interchange/sentence_transformers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "attend/core/json/json.h"
#include "attend/core/options/option_error.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/foreign_config.h"
#include "attend/tasks/embedding/model.h"

namespace attend {

namespace {

constexpr const char* kModules = "modules.json";

ForeignConfig config_of(const ModelDirectory& directory, std::string_view name) {
  return ForeignConfig::from_json(directory.text(name),
                                  fmt::format("{}/{}", directory.path(), name));
}

struct Module {
  std::string type;  // "Pooling"
  std::string path;  // its folder; empty: the directory itself
};

std::vector<Module> read_modules(const ModelDirectory& directory) {
  const std::string where = fmt::format("{}/{}", directory.path(), kModules);
  const nlohmann::json list = parse_sorted_json(directory.text(kModules), where);
  if (!list.is_array()) throw DataError(where + ": expected a list of modules");
  std::vector<Module> modules;
  for (const nlohmann::json& entry : list) {
    ForeignConfig module(entry, where);
    module.ignore({"idx", "name", "kwargs"});
    const std::string type = module.text("type");  // "sentence_transformers.models.Pooling"
    modules.push_back({type.substr(type.rfind('.') + 1), module.text_or("path", "")});
    module.require_all_known();
  }
  return modules;
}

// How newer files call a kind of pooling, and the flag of older ones, in the order in which these
// put the vectors of several kinds side by side.
struct PoolingName {
  Pooling pooling;
  const char* mode;
  const char* flag;
};
constexpr std::array kPoolingNames{
    PoolingName{Pooling::first, "cls", "pooling_mode_cls_token"},
    PoolingName{Pooling::max, "max", "pooling_mode_max_tokens"},
    PoolingName{Pooling::mean, "mean", "pooling_mode_mean_tokens"},
    PoolingName{Pooling::mean_sqrt, "mean_sqrt_len_tokens", "pooling_mode_mean_sqrt_len_tokens"},
    PoolingName{Pooling::weighted_mean, "weightedmean", "pooling_mode_weightedmean_tokens"},
    PoolingName{Pooling::last, "lasttoken", "pooling_mode_lasttoken"},
};

std::vector<Pooling> read_modes(ForeignConfig& config) {
  constexpr const char* kMode = "pooling_mode";
  std::vector<Pooling> poolings;
  for (const PoolingName& name : kPoolingNames)
    if (config.boolean_or(name.flag, false)) poolings.push_back(name.pooling);
  if (!config.has(kMode)) {
    if (poolings.empty()) config.refuse("pooling_mode_mean_tokens", "expected a kind of pooling");
    return poolings;
  }
  poolings.clear();
  for (const std::string& mode : config.text_or_texts(kMode)) {
    const auto found = std::find_if(kPoolingNames.begin(), kPoolingNames.end(),
                                    [&](const PoolingName& name) { return name.mode == mode; });
    const bool is_new = found != kPoolingNames.end() && std::find(poolings.begin(), poolings.end(),
                                                                  found->pooling) == poolings.end();
    if (!is_new)
      config.refuse(kMode,
                    "supported: cls, max, mean, mean_sqrt_len_tokens, weightedmean and lasttoken, "
                    "each once");
    poolings.push_back(found->pooling);
  }
  if (poolings.empty()) config.refuse(kMode, "expected a kind of pooling");
  return poolings;
}

void read_pooling(const ModelDirectory& directory, std::int64_t width, SentenceModules& result) {
  ForeignConfig config = config_of(directory, "config.json");
  for (const char* key : {"word_embedding_dimension", "embedding_dimension"})
    config.require(key, width);
  result.poolings = read_modes(config);
  result.pools_prompt = config.boolean_or("include_prompt", true);
  const bool counts_places = std::find(result.poolings.begin(), result.poolings.end(),
                                       Pooling::weighted_mean) != result.poolings.end();
  if (!result.pools_prompt && counts_places)
    config.refuse("include_prompt", "false is not supported beside weightedmean");
  config.require_all_known();
}

// Activations by the names of PyTorch's classes.
constexpr std::array kDenseActivations{
    std::pair{"torch.nn.modules.activation.Tanh", Activation::tanh},
    std::pair{"torch.nn.modules.linear.Identity", Activation::none},
    std::pair{"torch.nn.modules.activation.ReLU", Activation::relu},
    std::pair{"torch.nn.modules.activation.GELU", Activation::gelu},
    std::pair{"torch.nn.modules.activation.SiLU", Activation::swish},
};

Activation read_dense_activation(ForeignConfig& config) {
  constexpr const char* kKey = "activation_function";
  const std::string name = config.text_or(kKey, kDenseActivations.front().first);
  for (const auto& [theirs, activation] : kDenseActivations)
    if (name == theirs) return activation;
  config.refuse(kKey, "supported: Tanh, Identity, ReLU, GELU and SiLU of torch.nn.modules");
}

// For vectors of `width` elements.
DenseModule read_dense(const ModelDirectory& directory, const std::string& folder,
                       std::int64_t width) {
  ForeignConfig config = config_of(directory.folder(folder), "config.json");
  DenseModule dense{.folder = folder};
  config.require("in_features", width);
  dense.width = static_cast<int>(config.integer("out_features", between(1, 65536)));
  dense.bias = config.boolean_or("bias", true);
  dense.activation = read_dense_activation(config);
  for (const char* key : {"module_input_name", "module_output_name"})
    config.require(key, "sentence_embedding");
  config.require("use_residual", false);
  config.require_all_known();
  return dense;
}

// What a network is loaded for, and what its module then gives.
struct ModuleTask {
  const char *name, *output;
};
constexpr ModuleTask kEmbedding{"feature-extraction", "token_embeddings"},
    kClassification{"sequence-classification", "scores"};

// The length of texts, in a file whose name depends on the network.
int read_length(const ModelDirectory& directory, const ModuleTask& task, int otherwise) {
  for (const char* network :
       {"bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta"}) {
    const std::string name = fmt::format("sentence_{}_config.json", network);
    if (!directory.contains(name)) continue;
    ForeignConfig config = config_of(directory, name);
    config.require("do_lower_case", false);
    const auto length =
        static_cast<int>(config.integer_or("max_seq_length", otherwise, between(3, 1e6)));
    config.require("transformer_task", task.name);
    config.require("module_output_name", task.output);
    config.ignore({"modality_config"});
    config.require_all_known();
    return length;
  }
  return otherwise;
}

constexpr const char* kSentenceSettings = "config_sentence_transformers.json";

// The prompts, and how vectors are compared.
void read_settings(const ModelDirectory& directory, SentenceModules& result) {
  if (!directory.contains(kSentenceSettings)) return;
  ForeignConfig config = config_of(directory, kSentenceSettings);
  TextPrompts& prompts = result.prompts;
  config.ignore({"__version__"});
  const auto similarity = similarity_of(config.text_or("similarity_fn_name", "cosine"));
  if (!similarity)
    config.refuse("similarity_fn_name", "supported: cosine, dot, euclidean and manhattan");
  result.similarity = *similarity;
  config.require("model_type", "SentenceTransformer");
  if (config.has("prompts")) {
    ForeignConfig& texts = config.object("prompts");
    for (const std::string& name : texts.keys()) prompts.texts[name] = texts.text(name);
  }
  prompts.usual = config.text_or("default_prompt_name", "");
  if (!prompts.usual.empty() && !prompts.texts.contains(prompts.usual))
    config.refuse("default_prompt_name", "expected one of the prompts");
  config.require_all_known();
}

}  // namespace

bool is_sentence_transformer(const ModelDirectory& directory) {
  return directory.contains(kModules);
}

void read_sentence_modules(const ModelDirectory& directory, std::int64_t width,
                           SentenceModules& result) {
  const std::vector<Module> modules = read_modules(directory);
  const auto refuse = [&](const std::string& what) {
    throw DataError(fmt::format("{}/{}: {}", directory.path(), kModules, what));
  };
  result.length = read_length(directory, kEmbedding, result.length);
  read_settings(directory, result);
  if (modules.size() < 2 || modules[0].type != "Transformer" || modules[1].type != "Pooling")
    refuse("expected a Transformer, then Pooling");
  if (!modules[0].path.empty())
    refuse(fmt::format("the Transformer is in {}; only in the directory itself it is supported",
                       quote(modules[0].path)));
  read_pooling(directory.folder(modules[1].path), width, result);
  for (std::size_t i = 2; i < modules.size(); ++i) {
    if (modules[i].type == "Dense" && i == 2 + result.dense.size() &&
        result.dense.size() < kMostDense) {
      const std::int64_t before =
          result.dense.empty() ? width * std::ssize(result.poolings) : result.dense.back().width;
      result.dense.push_back(read_dense(directory, modules[i].path, before));
    } else if (modules[i].type == "Normalize" && i + 1 == modules.size()) {
      result.normalize = true;
    } else {
      refuse(
          fmt::format("{} is not supported here; Transformer, Pooling, one Dense or two and at the "
                      "end Normalize are",
                      quote(modules[i].type)));
    }
  }
  for (const DenseModule& dense : result.dense)
    if (dense.activation != result.dense.front().activation ||
        dense.bias != result.dense.front().bias)
      refuse("two Dense with other activations or biases are not supported");
}

void read_cross_encoder_modules(const ModelDirectory& directory, CrossEncoderModules& result) {
  constexpr const char* kModelType = "model_type";
  if (!is_sentence_transformer(directory) || !directory.contains(kSentenceSettings)) return;
  ForeignConfig config = config_of(directory, kSentenceSettings);
  if (config.text_or(kModelType, "") != "CrossEncoder") return;
  config.ignore({"__version__", "prompts", "keep_in_fp32_modules"});
  if (config.has("default_prompt_name"))
    config.refuse("default_prompt_name", "a prompt is not supported before pairs of texts");
  result.activation = config.text_or("activation_fn", "");
  config.require_all_known();
  const std::vector<Module> modules = read_modules(directory);
  if (modules.size() != 1 || modules[0].type != "Transformer" || !modules[0].path.empty())
    throw DataError(fmt::format("{}/{}: expected a Transformer alone, in the directory itself",
                                directory.path(), kModules));
  result.length = read_length(directory, kClassification, result.length);
}

namespace {

using ModulesJson = nlohmann::ordered_json;

ModulesJson module_json(std::size_t index, const std::string& path, const char* type) {
  return {{"idx", index},
          {"name", std::to_string(index)},
          {"path", path},
          {"type", fmt::format("sentence_transformers.models.{}", type)}};
}

// In the words of older files, which all versions read, unless the order is another.
ModulesJson pooling_json(const std::vector<Pooling>& poolings, std::int64_t width,
                         bool pools_prompt) {
  ModulesJson json{{"word_embedding_dimension", width}};
  std::vector<Pooling> in_order;
  ModulesJson modes = ModulesJson::array();
  for (const PoolingName& name : kPoolingNames) {
    const bool is_used =
        std::find(poolings.begin(), poolings.end(), name.pooling) != poolings.end();
    json[name.flag] = is_used;
    if (is_used) in_order.push_back(name.pooling);
  }
  json["include_prompt"] = pools_prompt;
  if (in_order == poolings) return json;
  for (const Pooling pooling : poolings)
    for (const PoolingName& name : kPoolingNames)
      if (name.pooling == pooling) modes.push_back(name.mode);
  return {
      {"embedding_dimension", width}, {"pooling_mode", modes}, {"include_prompt", pools_prompt}};
}

ModulesJson dense_json(const DenseModule& dense, std::int64_t width) {
  for (const auto& [theirs, activation] : kDenseActivations)
    if (activation == dense.activation)
      return {{"in_features", width},
              {"out_features", dense.width},
              {"bias", dense.bias},
              {"activation_function", theirs}};
  throw OptionError<ConfigError>("sentence-transformers has no name for the activation of {}",
                                 as_flag("dense-width"));
}

ModulesJson settings_json(const TextPrompts& prompts, Similarity similarity) {
  ModulesJson json{
      {"prompts", prompts.texts},
      {"default_prompt_name", nullptr},
      {"similarity_fn_name", enum_names(similarity)[static_cast<std::size_t>(similarity)]}};
  if (!prompts.usual.empty()) json["default_prompt_name"] = prompts.usual;
  return json;
}

}  // namespace

TextFiles write_sentence_modules(const SentenceModules& modules, std::int64_t width) {
  TextFiles files;
  ModulesJson list{module_json(0, "", "Transformer"), module_json(1, "1_Pooling", "Pooling")};
  const auto add = [&files](const char* name, const ModulesJson& json) {
    files[name] = json.dump(2) + "\n";
  };
  std::int64_t before = width * std::ssize(modules.poolings);
  for (const DenseModule& dense : modules.dense) {
    list.push_back(module_json(list.size(), dense.folder, "Dense"));
    add((dense.folder + "/config.json").c_str(), dense_json(dense, before));
    before = dense.width;
  }
  if (modules.normalize)
    list.push_back(module_json(list.size(), fmt::format("{}_Normalize", list.size()), "Normalize"));
  add(kModules, list);
  add("1_Pooling/config.json", pooling_json(modules.poolings, width, modules.pools_prompt));
  add("sentence_bert_config.json", {{"max_seq_length", modules.length}, {"do_lower_case", false}});
  add(kSentenceSettings, settings_json(modules.prompts, modules.similarity));
  return files;
}

}  // namespace attend
