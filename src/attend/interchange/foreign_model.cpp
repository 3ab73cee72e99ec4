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
    ModelFamily{"marian", "MarianMT (OPUS-MT)", read_marian},
    ModelFamily{"gpt2", "GPT-2", read_gpt2},
    ModelFamily{"llama", "Llama", read_llama},
    ModelFamily{"qwen2", "Qwen2", read_qwen2},
    ModelFamily{"bert", "BERT", read_bert},
    ModelFamily{"distilbert", "DistilBERT", read_distilbert},
    ModelFamily{"roberta", "RoBERTa", read_roberta},
    ModelFamily{"xlm-roberta", "XLM-R", read_roberta},
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
  for (const ParameterSet::Entry& entry : foreign.model->parameters().entries())
    imported.checkpoint.tensors.push_back(
        {entry.name, read_parameter(weights, foreign.names.theirs(entry.name), entry.shape)});
  weights.require_all_used(foreign.ignorable, fmt::format("a {} model", family.description));
  imported.checkpoint.source = directory.path();
  add_golden_samples(imported.checkpoint, *load_model(imported.checkpoint));
  return imported;
}

}  // namespace attend
