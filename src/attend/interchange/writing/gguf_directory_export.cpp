// Embedding models and T5 as GGUF files, by way of the words of a directory of Hugging Face.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "attend/core/json/json.h"
#include "attend/error.h"
#include "attend/interchange/families/gguf/gguf_directory.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/writing/gguf_export_parts.h"
#include "attend/interchange/writing/model_export.h"
#include "attend/interchange/writing/setting_differences.h"
#include "attend/interchange/writing/tokenizer_writing.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/translation/model.h"

namespace attend {

UncheckedGguf::~UncheckedGguf() {
  std::error_code ignored;
  std::filesystem::remove(unchecked_, ignored);
}

void UncheckedGguf::keep() const {
  std::error_code error;
  std::filesystem::rename(unchecked_, path_, error);
  if (error) throw IoError(fmt::format("{}: cannot write: {}", path_.string(), error.message()));
}

const GgufType& gguf_type_for(const NamedTensor& tensor, GgufWeights weights) {
  const GgufType &f32 = gguf_type("F32"),
                 &wanted = gguf_type(weights == GgufWeights::f32   ? "F32"
                                     : weights == GgufWeights::f16 ? "F16"
                                                                   : "Q8_0");
  // Rows of these are added to others, for which llama.cpp has no other type; routers of experts
  // are small, and their choices are sensitive.
  const bool is_exact = tensor.name == "position_embd.weight" ||
                        tensor.name == "token_types.weight" ||
                        tensor.name.ends_with("attn_rel_b.weight") ||
                        tensor.name.find(".ffn_gate_inp") != std::string::npos;
  const Shape& shape = tensor.tensor.shape();
  const bool is_matrix = shape.rank() >= 2 && !is_exact;
  return is_matrix && shape[shape.rank() - 1] % static_cast<std::int64_t>(wanted.block) == 0
             ? wanted
             : f32;
}

void add_gguf_file_type(GgufWeights weights, GgufEntries& entries) {
  constexpr std::array kFileTypes{0, 1, 7};  // in the order of GgufWeights
  constexpr int kQuantizationVersion = 2;
  entries.add_count("general.file_type", kFileTypes[static_cast<std::size_t>(weights)]);
  if (weights == GgufWeights::q8_0)
    entries.add_count("general.quantization_version", kQuantizationVersion);
}

void require_written_tensors(const Checkpoint& equal, const Checkpoint& read,
                             const SavedModel& theirs, GgufWeights weights) {
  if (weights != GgufWeights::f32) return;
  for (const ParameterSet::Entry& entry : theirs.parameters().entries())
    if (!equal_bytes(equal.tensor(entry.name).to_host(), read.tensor(entry.name).to_host()))
      throw Error(fmt::format("{}: {} is not read as it was written", read.source, entry.name));
}

namespace {

bool is_t5(const SavedModel& model) {
  const auto* const translator = dynamic_cast<const TranslationModel*>(&model);
  if (translator == nullptr) return false;
  const ArchitectureConfig architecture = translator->network->architecture();
  const auto* const shape = std::get_if<TransformerConfig>(&architecture);
  return shape != nullptr && shape->positions == PositionKind::relative;
}

// What embedding models have and files do not, as remarks; the settings without it.
Metadata settings_for_gguf(const SavedModel& model, std::vector<std::string>& remarks) {
  const auto* const embedder = dynamic_cast<const EmbeddingModel*>(&model);
  if (embedder == nullptr) return model.configuration();
  EmbeddingModel plain = *embedder;
  if (!plain.prompts.texts.empty())
    remarks.emplace_back("the prompts before texts are not in the file");
  if (!plain.network->config().normalize)
    remarks.emplace_back("programs of llama.cpp scale vectors to length 1, the model does not");
  const int positions = plain.network->config().max_positions;
  if (plain.length.max_length < positions)
    remarks.push_back(fmt::format("the model reads {} tokens of a text, llama.cpp up to {}",
                                  plain.length.max_length, positions));
  plain.prompts = {};
  plain.pools_prompt = true;
  plain.similarity = Similarity::cosine;
  plain.special_text = SpecialText::as_tokens;
  plain.length = {.max_length = positions};
  return plain.configuration();
}

}  // namespace

GgufExport write_gguf_directory(const Checkpoint& checkpoint, const SavedModel& model,
                                GgufWeights weights, const std::filesystem::path& path) {
  const bool is_embedder = dynamic_cast<const EmbeddingModel*>(&model) != nullptr;
  const GgufDirectoryKind& kind = *gguf_directory_kind(is_embedder ? "bert" : "t5");
  Checkpoint equal = checkpoint;
  std::optional<TextFiles> files;
  if (is_embedder || is_t5(model)) files = kind.write_family(model, equal);
  if (!files)
    throw ConfigError(fmt::format(
        "{}: expected a language model, an embedding model or a T5, found another model for {}",
        checkpoint.source, model.task()));
  const nlohmann::json config = parse_sorted_json(files->at("config.json"), "config.json");
  GgufEntries entries;
  kind.write(config, model, entries);
  add_gguf_file_type(weights, entries);
  const NameMap names = kind.names(config);
  ForeignTensors foreign;
  for (const ParameterSet::Entry& entry : model.parameters().entries()) {
    const auto name = names.find(entry.name);
    if (!name)
      throw ConfigError(fmt::format("llama.cpp has no tensor for {} in such a model", entry.name));
    foreign.add(*name, equal.tensor(entry.name).to_host());
  }
  std::vector<GgufOutput> outputs;
  for (const NamedTensor& tensor : foreign.finish())
    outputs.push_back({tensor.name, &gguf_type_for(tensor, weights), tensor.tensor});
  const UncheckedGguf file(path);
  write_gguf(file.path(), entries, outputs);
  const Checkpoint read = import_model(file.path()).checkpoint;
  const std::unique_ptr<SavedModel> theirs = load_model(read);
  GgufExport result{std::string(kind.architecture), {}};
  std::vector<std::string> differences =
      setting_differences(settings_for_gguf(model, result.remarks), theirs->configuration());
  if (is_embedder)
    std::erase_if(differences, [](const std::string& one) { return one.starts_with("normalize"); });
  if (!differences.empty())
    throw ConfigError(fmt::format("llama.cpp has no equal for: {}", fmt::join(differences, "; ")));
  require_same_tokens(model.tokenizers().front().tokenizer, theirs->tokenizers().front().tokenizer);
  require_written_tensors(equal, read, *theirs, weights);
  file.keep();
  return result;
}

}  // namespace attend
