#include "attend/interchange/writing/gguf_export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "attend/core/json/json.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/families/families.h"
#include "attend/interchange/families/gguf/gguf_config_writing.h"
#include "attend/interchange/families/gguf/gguf_experts.h"
#include "attend/interchange/families/gguf/gguf_gemma.h"
#include "attend/interchange/families/gguf/gguf_names.h"
#include "attend/interchange/families/gguf/gguf_rotations.h"
#include "attend/interchange/families/gguf/gguf_tokenizer_writing.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/weights/expert_tensors.h"
#include "attend/interchange/writing/equal_models.h"
#include "attend/interchange/writing/gguf_export_parts.h"
#include "attend/interchange/writing/model_export.h"
#include "attend/interchange/writing/setting_differences.h"
#include "attend/interchange/writing/tokenizer_writing.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/model_file/model_reading.h"
#include "attend/tasks/model_file/registry.h"

namespace attend {

namespace {

constexpr const char* kShapeKey = "attend.config";

// llama.cpp has embeddings as they are, but of Gemma, and tables of positions.
Checkpoint in_words_of_gguf(const Checkpoint& checkpoint, const LanguageModel& model) {
  Checkpoint equal = checkpoint;
  const LanguageTransformerConfig& shape = model.network->config();
  const std::string positions(
      enum_names(shape.positions)[static_cast<std::size_t>(shape.positions)]);
  if (positions.starts_with("sinusoidal") || positions == "none")
    tabulate_positions(equal, model.context.sequence_length);
  const bool multiplies = gemma_version(gguf_architecture(shape)) > 0;
  if (!multiplies && shape.scale_of_embeddings() != 1.0f) multiply_embeddings(equal);
  if (shape.experts > 0) use_gguf_width_of_experts(equal, shape);
  return equal;
}

// The rows of every head in pairs, as the architecture "llama" rotates them.
Tensor in_pairs(const Tensor& halves, std::int64_t heads) {
  const Tensor pairs = Tensor::empty_on_host(halves.shape());
  const std::int64_t rows = halves.shape()[0], columns = halves.size() / rows;
  for (std::int64_t row = 0; row < rows; ++row)
    std::copy_n(halves.span().data() + row * columns, columns,
                pairs.span().data() + row_of_half(row, rows / heads) * columns);
  return pairs;
}

std::vector<GgufOutput> outputs_of(const Checkpoint& equal, const LanguageTransformerConfig& shape,
                                   const ParameterSet& parameters, GgufWeights weights) {
  const bool is_rotary = shape.positions == PositionKind::rotary,
             in_pairs_of_rows = gguf_architecture(shape) == "llama";
  const NameMap names = gguf_names(!is_rotary);
  ForeignTensors foreign;
  for (const ParameterSet::Entry& entry : parameters.entries()) {
    const auto name = names.find(entry.name);
    if (!name)
      throw ConfigError(fmt::format("llama.cpp has no tensor for {} in such a model", entry.name));
    foreign.add(*name, equal.tensor(entry.name).to_host());
  }
  std::vector<GgufOutput> outputs;
  const std::int64_t keys = shape.n_key_heads > 0 ? shape.n_key_heads : shape.n_heads;
  for (const NamedTensor& tensor : with_stacked_experts(foreign.finish())) {
    GgufOutput output{tensor.name, &gguf_type_for(tensor, weights), tensor.tensor};
    for (const auto& [part, heads] :
         {std::pair{".attn_q.", std::int64_t{shape.n_heads}}, {".attn_k.", keys}})
      if (in_pairs_of_rows && tensor.name.find(part) != std::string::npos)
        output.values = in_pairs(tensor.tensor, heads);
    outputs.push_back(std::move(output));
  }
  if (is_rotary && shape.rotary.scaling == RotaryScaling::llama3) {
    const int head = shape.d_key > 0 ? shape.d_key : shape.d_model / shape.n_heads;
    outputs.push_back({kRopeFactors, &gguf_type("F32"),
                       Tensor::from(llama3_factors(shape.rotary, head), {head / 2})});
  }
  return outputs;
}

// llama.cpp has the normalizations of Gemma and experts, which other programs lack.
std::vector<std::string> options_without_equal(const LanguageModel& model) {
  std::vector<std::string> others = options_of_transformers_alone(model.configuration());
  const LanguageTransformerConfig& shape = model.network->config();
  if (shape.norm_first && gemma_version(gguf_architecture(shape)) > 1)
    std::erase(others, "norm-branch is true");
  if (shape.positions == PositionKind::rotary)
    std::erase(others, fmt::format("experts is {}", shape.experts));
  return others;
}

// What the file says otherwise than the model.
void require_equal_settings(const Checkpoint& equal, const LanguageModel& ours,
                            const LanguageModel& theirs, std::vector<std::string>& remarks) {
  std::vector<std::string> differences = setting_differences(
      {{kShapeKey, equal.text(kShapeKey)}}, {{kShapeKey, theirs.configuration().at(kShapeKey)}});
  if (ours.text.has_lines()) differences.emplace_back("its texts are lines");
  if (ours.text.prefix != theirs.text.prefix || ours.text.suffix != theirs.text.suffix)
    differences.emplace_back("the tokens around a text");
  if (ours.text.forbidden != theirs.text.forbidden)
    differences.emplace_back("tokens that are never written");
  for (const std::int32_t end : ours.text.ends)
    if (std::find(theirs.text.ends.begin(), theirs.text.ends.end(), end) == theirs.text.ends.end())
      differences.push_back(
          fmt::format("the token {} ends a text", quote(ours.tokenizer.piece(end))));
  if (ours.cache.used()) differences.emplace_back("its cache of recent tokens");
  if (!differences.empty())
    throw ConfigError(fmt::format("llama.cpp has no equal for: {}", fmt::join(differences, "; ")));
  for (const std::int32_t end : theirs.text.ends)
    if (std::find(ours.text.ends.begin(), ours.text.ends.end(), end) == ours.text.ends.end())
      remarks.push_back(
          fmt::format("llama.cpp also ends a text at {}", quote(theirs.tokenizer.piece(end))));
  if (ours.generation != GenerationDefaults{})
    remarks.emplace_back("the defaults of sampling are not in the file");
}

// The tokenizer of a model without a normalization that the file cannot have.
Tokenizer as_in_file(const Tokenizer& tokenizer) {
  nlohmann::json file = parse_sorted_json(write_tokenizer_json(tokenizer, {}), "its tokenizer");
  file["normalizer"] = nullptr;
  TextFiles files{{"tokenizer.json", file.dump()},
                  {"tokenizer_config.json", write_tokenizer_config(tokenizer)}};
  return read_tokenizer_of(ModelDirectory("its tokenizer", std::move(files))).tokenizer;
}

}  // namespace

std::span<const std::string_view> enum_names(GgufWeights) {
  static constexpr std::array<std::string_view, 3> kNames{"f32", "f16", "q8_0"};
  return kNames;
}

GgufExport write_gguf_model(const Checkpoint& checkpoint, GgufWeights weights,
                            const std::filesystem::path& path) {
  require_full_precision(checkpoint);
  const std::unique_ptr<SavedModel> saved = load_model(checkpoint);
  const auto* const model = dynamic_cast<const LanguageModel*>(saved.get());
  if (model == nullptr) return write_gguf_directory(checkpoint, *saved, weights, path);
  if (const auto others = options_without_equal(*model); !others.empty())
    throw ConfigError(fmt::format("llama.cpp has no equal for: {}", fmt::join(others, "; ")));
  const Checkpoint equal = in_words_of_gguf(checkpoint, *model);
  const auto shape = read_options<LanguageTransformerConfig>(equal, kShapeKey);
  GgufEntries entries;
  add_gguf_config(shape, model->context.sequence_length, entries);
  add_gguf_file_type(weights, entries);
  WrittenGgufTokenizer tokenizer = add_gguf_tokenizer(*model, entries);
  GgufExport result{std::string(gguf_architecture(shape)), std::move(tokenizer.remarks)};
  const std::unique_ptr<SavedModel> in_words = load_model(equal);
  const UncheckedGguf file(path);
  write_gguf(file.path(), entries, outputs_of(equal, shape, in_words->parameters(), weights));
  const Checkpoint read = import_model(file.path()).checkpoint;
  const LanguageModel theirs = language_model(read);
  require_equal_settings(equal, *model, theirs, result.remarks);
  require_same_tokens(tokenizer.lacks_normalizer ? as_in_file(model->tokenizer) : model->tokenizer,
                      theirs.tokenizer);
  require_written_tensors(equal, read, theirs, weights);
  file.keep();
  return result;
}

}  // namespace attend
