#include "attend/interchange/sentence_transformers.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "attend/core/json.h"
#include "attend/core/quote.h"
#include "attend/error.h"
#include "attend/interchange/foreign_config.h"

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

// Newer files name the mode, older ones have a flag for each.
Pooling read_mode(ForeignConfig& config) {
  constexpr std::array<std::pair<const char*, std::optional<Pooling>>, 6> kFlags{{
      {"pooling_mode_cls_token", Pooling::first},
      {"pooling_mode_mean_tokens", Pooling::mean},
      {"pooling_mode_max_tokens", Pooling::max},
      {"pooling_mode_mean_sqrt_len_tokens", std::nullopt},
      {"pooling_mode_weightedmean_tokens", std::nullopt},
      {"pooling_mode_lasttoken", std::nullopt},
  }};
  constexpr std::array kModes{Pooling::first, Pooling::mean, Pooling::max};
  if (config.has("pooling_mode"))
    return kModes.at(config.choice("pooling_mode", {"cls", "mean", "max"}));
  std::optional<Pooling> found;
  for (const auto& [flag, pooling] : kFlags) {
    if (!config.boolean_or(flag, false)) continue;
    if (!pooling) config.refuse(flag, "supported are cls_token, mean_tokens and max_tokens");
    if (found) config.refuse(flag, "one kind of pooling at a time is supported");
    found = pooling;
  }
  if (!found) config.refuse("pooling_mode_mean_tokens", "expected one kind of pooling");
  return *found;
}

Pooling read_pooling(const ModelDirectory& directory, std::int64_t width, bool has_prompts) {
  ForeignConfig config = config_of(directory, "config.json");
  for (const char* key : {"word_embedding_dimension", "embedding_dimension"})
    config.require(key, width);
  if (has_prompts) config.require("include_prompt", true);
  config.ignore({"include_prompt"});
  const Pooling pooling = read_mode(config);
  config.require_all_known();
  return pooling;
}

// The length of texts, in a file whose name depends on the network.
int read_length(const ModelDirectory& directory, int otherwise) {
  for (const char* network : {"bert", "roberta", "distilbert", "xlm-roberta", "camembert"}) {
    const std::string name = fmt::format("sentence_{}_config.json", network);
    if (!directory.contains(name)) continue;
    ForeignConfig config = config_of(directory, name);
    config.require("do_lower_case", false);
    const auto length =
        static_cast<int>(config.integer_or("max_seq_length", otherwise, between(3, 1e6)));
    config.require("transformer_task", "feature-extraction");
    config.require("module_output_name", "token_embeddings");
    config.ignore({"modality_config"});
    config.require_all_known();
    return length;
  }
  return otherwise;
}

TextPrompts read_prompts_of(const ModelDirectory& directory) {
  constexpr const char* kFile = "config_sentence_transformers.json";
  TextPrompts prompts;
  if (!directory.contains(kFile)) return prompts;
  ForeignConfig config = config_of(directory, kFile);
  config.ignore({"__version__", "similarity_fn_name"});
  config.require("model_type", "SentenceTransformer");
  if (config.has("prompts")) {
    ForeignConfig& texts = config.object("prompts");
    for (const std::string& name : texts.keys()) prompts.texts[name] = texts.text(name);
  }
  prompts.usual = config.text_or("default_prompt_name", "");
  if (!prompts.usual.empty() && !prompts.texts.contains(prompts.usual))
    config.refuse("default_prompt_name", "expected one of the prompts");
  config.require_all_known();
  return prompts;
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
  result.length = read_length(directory, result.length);
  result.prompts = read_prompts_of(directory);
  if (modules.size() < 2 || modules[0].type != "Transformer" || modules[1].type != "Pooling")
    refuse("expected a Transformer, then Pooling");
  if (!modules[0].path.empty())
    refuse(fmt::format("the Transformer is in {}; only in the directory itself it is supported",
                       quote(modules[0].path)));
  result.pooling =
      read_pooling(directory.folder(modules[1].path), width, !result.prompts.texts.empty());
  for (std::size_t i = 2; i < modules.size(); ++i) {
    if (modules[i].type != "Normalize" || i + 1 < modules.size())
      refuse(fmt::format("{} is not supported; Transformer, Pooling and at the end Normalize are",
                         quote(modules[i].type)));
    result.normalize = true;
  }
}

namespace {

using ModulesJson = nlohmann::ordered_json;

ModulesJson module_json(int index, const char* path, const char* type) {
  return {{"idx", index},
          {"name", std::to_string(index)},
          {"path", path},
          {"type", fmt::format("sentence_transformers.models.{}", type)}};
}

ModulesJson pooling_json(Pooling pooling, std::int64_t width) {
  ModulesJson json{{"word_embedding_dimension", width},
                   {"pooling_mode_cls_token", pooling == Pooling::first},
                   {"pooling_mode_mean_tokens", pooling == Pooling::mean},
                   {"pooling_mode_max_tokens", pooling == Pooling::max}};
  for (const char* other : {"mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken"})
    json[fmt::format("pooling_mode_{}", other)] = false;
  json["include_prompt"] = true;
  return json;
}

ModulesJson prompts_json(const TextPrompts& prompts) {
  ModulesJson json{{"prompts", prompts.texts}, {"default_prompt_name", nullptr}};
  if (!prompts.usual.empty()) json["default_prompt_name"] = prompts.usual;
  return json;
}

}  // namespace

TextFiles write_sentence_modules(const SentenceModules& modules, std::int64_t width) {
  ModulesJson list{module_json(0, "", "Transformer"), module_json(1, "1_Pooling", "Pooling")};
  if (modules.normalize) list.push_back(module_json(2, "2_Normalize", "Normalize"));
  TextFiles files;
  const auto add = [&files](const char* name, const ModulesJson& json) {
    files[name] = json.dump(2) + "\n";
  };
  add(kModules, list);
  add("1_Pooling/config.json", pooling_json(modules.pooling, width));
  add("sentence_bert_config.json", {{"max_seq_length", modules.length}, {"do_lower_case", false}});
  if (!modules.prompts.texts.empty())
    add("config_sentence_transformers.json", prompts_json(modules.prompts));
  return files;
}

}  // namespace attend
