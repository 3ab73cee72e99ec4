#include "attend/interchange/writing/model_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "attend/checkpoint/quantization.h"
#include "attend/core/files/atomic_file.h"
#include "attend/core/files/atomic_folder.h"
#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/writing/setting_differences.h"
#include "attend/tasks/model_file/golden.h"
#include "attend/tasks/model_file/registry.h"

namespace attend {

namespace {

constexpr const char* kExportedConfig = "config.json";
constexpr const char* kExportedWeights = "model.safetensors";

// What one family makes of a model.
struct Attempt {
  const ModelFamily* family = nullptr;
  TextFiles files = {};
  Checkpoint equal = {};
  std::optional<ForeignModel> read_back = {};
  std::vector<std::string> differences = {};
};

// The settings of `model` as a checkpoint has them, without what only says where it comes from.
Metadata settings_in(const Checkpoint& checkpoint, const SavedModel& model,
                     const SavedModel& other) {
  Metadata settings;
  for (const Metadata& keys : {model.configuration(), other.configuration()})
    for (const auto& [key, value] : keys)
      if (const auto found = checkpoint.metadata.find(key); found != checkpoint.metadata.end())
        settings[key] = found->second;
  return settings;
}

bool is_parameter(const std::string& name, const ParameterSet& parameters) {
  return std::any_of(parameters.entries().begin(), parameters.entries().end(),
                     [&](const ParameterSet::Entry& entry) { return entry.name == name; });
}

// Compares the tokenizers and other tensors that are no parameters.
void compare_other_tensors(const Checkpoint& ours, const SavedModel& theirs,
                           std::vector<std::string>& differences) {
  Checkpoint other;
  theirs.describe(other);
  for (const NamedTensor& tensor : ours.tensors) {
    if (tensor.name.starts_with(kTrainingState) || is_parameter(tensor.name, theirs.parameters()))
      continue;
    const Tensor* const found = other.find(tensor.name);
    if (found == nullptr) {
      differences.push_back(fmt::format("the tensor {}", tensor.name));
    } else if (!equal_bytes(tensor.tensor, *found)) {
      differences.push_back(fmt::format("the tensor {} as it is", tensor.name));
    }
  }
}

Attempt attempt(const ModelFamily& family, const SavedModel& model, const Checkpoint& checkpoint) {
  Attempt result{&family};
  result.equal = checkpoint;
  try {
    std::optional<TextFiles> files = family.write(model, result.equal);
    if (!files) return {};
    result.files = *std::move(files);
    const std::string name = fmt::format("the {} that {} becomes", family.name, checkpoint.source);
    const ModelDirectory directory(name, result.files);
    ForeignConfig config =
        ForeignConfig::from_json(directory.text(kExportedConfig), kExportedConfig);
    config.ignore({"model_type"});
    result.read_back = family.read(directory, config);
    config.require_all_known();
  } catch (const Error& error) {
    result.differences.emplace_back(error.what());
    return result;
  }
  const SavedModel& other = *result.read_back->model;
  result.differences =
      setting_differences(settings_in(result.equal, model, other), other.configuration());
  compare_other_tensors(result.equal, other, result.differences);
  return result;
}

// All that can be exported to, the one that the model was imported from first.
std::vector<const ModelFamily*> families_for(const Checkpoint& checkpoint) {
  std::vector<const ModelFamily*> families;
  for (const ModelFamily& family : model_families())
    if (family.write != nullptr) families.push_back(&family);
  const auto recorded = checkpoint.metadata.find(kFamilyKey);
  if (recorded != checkpoint.metadata.end())
    std::stable_partition(families.begin(), families.end(), [&](const ModelFamily* family) {
      return family->name == recorded->second;
    });
  return families;
}

// An attempt that could be read back is nearer than one that could not.
bool is_nearer(const Attempt& a, const Attempt& b) {
  const auto distance = [](const Attempt& one) {
    return std::pair(!one.read_back.has_value(), one.differences.size());
  };
  return distance(a) < distance(b);
}

// The attempt that loses least. Throws ConfigError when no family has such models at all.
Attempt best_attempt(const SavedModel& model, const Checkpoint& checkpoint) {
  Attempt best;
  for (const ModelFamily* family : families_for(checkpoint)) {
    Attempt next = attempt(*family, model, checkpoint);
    if (next.family == nullptr) continue;
    if (best.family == nullptr || is_nearer(next, best)) best = std::move(next);
    if (best.differences.empty()) return best;
  }
  if (best.family == nullptr)
    throw ConfigError(
        fmt::format("{}: models for {} cannot be exported yet", checkpoint.source, model.task()));
  return best;
}

}  // namespace

void require_full_precision(const Checkpoint& checkpoint) {
  if (const int bits = weight_bits(checkpoint); bits < 32)
    throw DataError(fmt::format(
        "{}: expected a model in 32 bits, found one in {} bits; export the model that it was "
        "quantized from",
        checkpoint.source, bits));
}

bool equal_bytes(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) return false;
  const Tensor x = a.to_host(), y = b.to_host();
  const auto bytes = static_cast<std::size_t>(x.size()) * size_of(x.dtype());
  return bytes == 0 || std::memcmp(x.bytes(), y.bytes(), bytes) == 0;
}

ExportedModel export_model(const Checkpoint& checkpoint) {
  require_full_precision(checkpoint);
  const std::unique_ptr<SavedModel> model = load_model(checkpoint);
  Attempt found = best_attempt(*model, checkpoint);
  if (!found.differences.empty())
    throw ConfigError(fmt::format(
        "{}: no model of Hugging Face computes the same; {} is closest, but has no equivalent for: "
        "{}",
        checkpoint.source, found.family->description, fmt::join(found.differences, "; ")));
  ForeignTensors weights;
  ExportedModel exported{found.family->name, std::move(found.files)};
  const SavedModel& other = *found.read_back->model;
  other.describe(exported.equal);
  for (const ParameterSet::Entry& entry : other.parameters().entries()) {
    const Tensor& parameter = found.equal.tensor(entry.name);
    exported.equal.tensors.push_back({entry.name, parameter});
    weights.add(found.read_back->names.theirs(entry.name), parameter);
  }
  exported.weights = weights.finish();
  exported.names = found.read_back->names;
  return exported;
}

namespace {

// Weights with names "folder/name" go into that folder.
void write_weights(const std::vector<NamedTensor>& weights,
                   const std::filesystem::path& directory) {
  std::map<std::string, std::vector<NamedTensor>> by_folder;
  for (const NamedTensor& tensor : weights) {
    const std::size_t end = tensor.name.rfind('/');
    const bool is_here = end == tensor.name.npos;
    by_folder[is_here ? "" : tensor.name.substr(0, end)].push_back(
        {is_here ? tensor.name : tensor.name.substr(end + 1), tensor.tensor});
  }
  for (const auto& [folder, tensors] : by_folder)
    write_safetensors(directory / folder / kExportedWeights, tensors, {{"format", "pt"}});
}

}  // namespace

void write_model_directory(const ExportedModel& model, const std::filesystem::path& directory) {
  AtomicFolder folder(directory);
  for (const auto& [name, content] : model.files) {
    const std::filesystem::path path = folder.temporary() / name;
    std::filesystem::create_directories(path.parent_path());
    write_file_atomically(path, content);
  }
  write_weights(model.weights, folder.temporary());
  const Checkpoint imported = import_model(ModelDirectory(folder.temporary())).checkpoint;
  for (const NamedTensor& tensor : model.equal.tensors)
    if (!equal_bytes(tensor.tensor, imported.tensor(tensor.name)))
      throw Error(
          fmt::format("{}: {} is not read as it was written", directory.string(), tensor.name));
  for (const auto& [key, value] : model.equal.metadata)
    if (imported.text(key) != value)
      throw Error(fmt::format("{}: {} is not read as it was written", directory.string(), key));
  folder.commit();
}

}  // namespace attend
