#include "attend/interchange/foreign_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "attend/error.h"
#include "attend/interchange/families/families.h"
#include "attend/interchange/foreign_weights.h"
#include "attend/tasks/golden.h"
#include "attend/tasks/registry.h"

namespace attend {

namespace {

constexpr std::array kFamilies{
    ModelFamily{"marian", "MarianMT (OPUS-MT)", read_marian, write_marian},
    ModelFamily{"gpt2", "GPT-2", read_gpt2, write_gpt2},
    ModelFamily{"llama", "Llama", read_llama, write_llama},
    ModelFamily{"qwen2", "Qwen2", read_qwen2, write_qwen2},
    ModelFamily{"bert", "BERT", read_bert},
    ModelFamily{"distilbert", "DistilBERT", read_distilbert},
    ModelFamily{"roberta", "RoBERTa", read_roberta},
    ModelFamily{"xlm-roberta", "XLM-R", read_roberta},
    ModelFamily{"t5", "T5", read_t5},
    ModelFamily{"mt5", "mT5", read_mt5},
    ModelFamily{"opt", "OPT", read_opt},
};

const ModelFamily& family_of(ForeignConfig& config) {
  const std::string type = config.text("model_type");
  for (const ModelFamily& family : kFamilies) {
    if (family.name == type) return family;
  }
  std::vector<std::string_view> known;
  for (const ModelFamily& family : kFamilies) known.push_back(family.name);
  config.refuse("model_type", fmt::format("supported are {}", fmt::join(known, ", ")));
}

// Names as they are in this file.
void omit_base(const ForeignModel& foreign, const TensorTable& weights, ForeignName& name) {
  const std::string_view base = foreign.base;
  if (!name.name.starts_with(base) || weights.contains(name.name)) return;
  const std::string shorter = name.name.substr(base.size());
  if (weights.contains(shorter)) name.name = shorter;
}

std::vector<std::string_view> ignorable_tensors(const ForeignModel& foreign) {
  std::vector<std::string_view> patterns = foreign.ignorable;
  for (const std::string_view pattern : foreign.ignorable)
    if (!foreign.base.empty() && pattern.starts_with(foreign.base))
      patterns.push_back(pattern.substr(foreign.base.size()));
  return patterns;
}

}  // namespace

std::span<const ModelFamily> model_families() { return kFamilies; }

ImportedModel import_model(const ModelDirectory& directory) {
  ForeignConfig config =
      ForeignConfig::from_json(directory.text("config.json"), directory.path() + "/config.json");
  const ModelFamily& family = family_of(config);
  ForeignModel foreign = family.read(directory, config);
  config.require_all_known();

  ImportedModel imported{{}, std::string(family.name), std::move(foreign.remarks)};
  foreign.model->describe(imported.checkpoint);
  TensorTable weights = open_huggingface_weights(directory);
  for (const ParameterSet::Entry& entry : foreign.model->parameters().entries()) {
    ForeignName name = foreign.names.theirs(entry.name);
    omit_base(foreign, weights, name);
    imported.checkpoint.tensors.push_back({entry.name, read_parameter(weights, name, entry.shape)});
  }
  weights.require_all_used(ignorable_tensors(foreign),
                           fmt::format("a {} model", family.description));
  imported.checkpoint.source = directory.path();
  add_golden_samples(imported.checkpoint, *load_model(imported.checkpoint));
  return imported;
}

}  // namespace attend
