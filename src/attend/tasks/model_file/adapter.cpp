#include "attend/tasks/model_file/adapter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "attend/checkpoint/options_json.h"
#include "attend/core/json/json.h"
#include "attend/core/options/option_error.h"
#include "attend/core/strings/counted.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/tasks/model_file/golden.h"
#include "attend/tasks/model_file/model_reading.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/train/low_rank_objective.h"

namespace attend {

namespace {

const std::string kAdapterKey = "attend.adapter";

// FNV-1a (Fowler, Noll, Vo) over 64 bits.
class Fnv1a {
 public:
  void add(std::uint32_t value) { hash_ = (hash_ ^ value) * 0x100000001b3u; }
  std::string text() const { return fmt::format("{:016x}", hash_); }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

// The names of parameters whose values are not those of `base`.
std::set<std::string> changed_since(const Checkpoint& base, const ParameterSet& parameters) {
  std::set<std::string> changed;
  for (const ParameterSet::Entry& entry : parameters.entries()) {
    const Tensor* const before = base.find(entry.name);
    const bool same =
        before != nullptr && before->shape() == entry.shape &&
        std::ranges::equal(before->to_host().span(), parameters.value(entry).to_host().span());
    if (!same) changed.insert(entry.name);
  }
  return changed;
}

// A tensor of a file where kernels find it.
Variable on_device(const Checkpoint& checkpoint, const std::string& name) {
  const Tensor tensor = Tensor::empty(checkpoint.tensor(name).shape());
  checkpoint.copy_to(name, tensor);
  return Variable(tensor);
}

bool is_of_adapter(const std::string& name) {
  return name.ends_with(".lora_a") || name.ends_with(".lora_b");
}

// Throws DataError for shapes that do not fit.
Tensor merged(const Checkpoint& base, const Checkpoint& adapter, const std::string& weight,
              const AdapterNote& note) {
  const NoGradient guard;
  try {
    return adapted_weight(on_device(base, weight), on_device(adapter, lora_a_name(weight)),
                          on_device(adapter, lora_b_name(weight)),
                          note.alpha / static_cast<float>(note.rank))
        .value()
        .to_host();
  } catch (const ShapeError& error) {
    throw DataError(fmt::format("{}: {}: {}", adapter.source, weight, error.what()));
  }
}

void require_base(const Checkpoint& base, const std::string& checksum, const Checkpoint& adapter,
                  const AdapterNote& note) {
  if (checksum != note.base)
    throw DataError(
        fmt::format("{}: expected the model that it adapts, with the checksum {}; {} has {}",
                    adapter.source, note.base, base.source, checksum));
}

// The tensors of the base, with those of the adapter in their places.
void add_merged_tensors(const Checkpoint& base, const Checkpoint& adapter, const AdapterNote& note,
                        AdaptedModel& result) {
  std::set<std::string> used;
  std::vector<NamedTensor>& tensors = result.checkpoint.tensors;
  for (const NamedTensor& tensor : base.tensors) {
    const std::string& name = tensor.name;
    if (name.starts_with(kTrainingState)) continue;
    const bool is_weight = name.ends_with(".weight");
    if (is_weight && adapter.find(lora_a_name(name)) != nullptr) {
      tensors.push_back({name, merged(base, adapter, name, note)});
      used.insert({lora_a_name(name), lora_b_name(name)});
      result.changed.insert(name);
    } else if (const Tensor* const own = adapter.find(name)) {
      tensors.push_back({name, *own});
      used.insert(name);
      result.changed.insert(name);
    } else {
      tensors.push_back(tensor);
    }
  }
  for (const NamedTensor& tensor : adapter.tensors) {
    if (tensor.name.starts_with(kTrainingState) || used.contains(tensor.name)) continue;
    if (is_of_adapter(tensor.name))
      throw DataError(
          fmt::format("{}: {}: {} has no such matrix", adapter.source, tensor.name, base.source));
    tensors.push_back(tensor);
    result.changed.insert(tensor.name);
  }
}

// Drops tensors of a head that the base has and the adapted model does not.
void drop_unused_tensors(const SavedModel& model, Checkpoint& checkpoint) {
  Checkpoint described;
  model.describe(described);
  std::set<std::string_view> used;
  for (const NamedTensor& tensor : described.tensors) used.insert(tensor.name);
  for (const ParameterSet::Entry& entry : model.parameters().entries()) used.insert(entry.name);
  std::erase_if(checkpoint.tensors,
                [&](const NamedTensor& tensor) { return !used.contains(tensor.name); });
}

}  // namespace

bool is_adapter(const Checkpoint& checkpoint) { return checkpoint.metadata.contains(kAdapterKey); }

AdapterNote adapter_note(const Checkpoint& adapter) {
  return read_options<AdapterNote>(adapter, kAdapterKey);
}

void set_adapter_note(Checkpoint& adapter, const AdapterNote& note) {
  adapter.metadata[kAdapterKey] = options_to_json(note);
}

std::string checksum_of(const Checkpoint& model) {
  std::map<std::string, Shape> tensors;
  for (const NamedTensor& tensor : model.tensors)
    if (tensor.tensor.dtype() == DType::f32 && !tensor.name.starts_with(kTrainingState))
      tensors[tensor.name] = tensor.tensor.shape();
  Fnv1a checksum;
  for (const auto& [name, shape] : tensors) {
    for (const char c : name) checksum.add(static_cast<unsigned char>(c));
    const Tensor values = Tensor::empty_on_host(shape);
    model.copy_to(name, values);
    for (const float value : values.span()) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      checksum.add(bits);
    }
  }
  return checksum.text();
}

void require_same_kind(const Checkpoint* resumed, const LowRankOptions& options) {
  if (resumed != nullptr && is_adapter(*resumed) != (options.rank > 0))
    throw OptionError<ConfigError>("{}: {} was saved {} adapters; resume with the same setting",
                                   as_key("lora-rank"), resumed->source,
                                   options.rank > 0 ? "without" : "with");
}

namespace {

using Json = nlohmann::ordered_json;

// The stored options in the form of `now`. Those that are newer than the file have not changed.
std::string in_form_of(const Json& now, const Json& stored) {
  Json all = now;
  for (auto& [name, value] : all.items())
    if (const auto found = stored.find(name); found != stored.end()) value = *found;
  return all.dump();
}

// What the first run fixed: configuration, labels, how texts are cut.
void require_same_task(const Checkpoint& resumed, const SavedModel& model) {
  const Metadata now = model.configuration();
  for (const char* key : {"attend.config", "attend.text"}) {
    if (!now.contains(key)) continue;
    const Json is = parse_json(now.at(key), key);
    const Json was = parse_json(resumed.text(key), resumed.source);
    require_same_model(resumed, in_form_of(is, was), is.dump());
  }
  for (const char* key : {"attend.labels", "attend.pairs"}) {
    const auto value = [key](const Metadata& metadata) {
      const auto found = metadata.find(key);
      return found == metadata.end() ? std::string("none") : found->second;
    };
    if (value(resumed.metadata) != value(now))
      throw OptionError<ConfigError>(
          "{}: {} was {}, is {}; the adapters of {} can only continue with their own",
          as_flag("resume"), key, printable(value(resumed.metadata), 300),
          printable(value(now), 300), resumed.source);
  }
}

}  // namespace

void train_adapters(TrainingTask& task, const TrainerOptions& options, const Checkpoint& base,
                    const Checkpoint* resumed) {
  const AdapterNote note{options.low_rank.rank, options.low_rank.alpha, checksum_of(base)};
  if (resumed != nullptr) {
    const AdapterNote before = adapter_note(*resumed);
    if (before.base != note.base)
      throw OptionError<ConfigError>("{}: {} adapts another model than {}", as_flag("init-from"),
                                     resumed->source, base.source);
    if (before.rank != note.rank || before.alpha != note.alpha)
      throw OptionError<ConfigError>(
          "{}, {}: {} was saved with {} and {}; resume with the same settings", as_key("lora-rank"),
          as_key("lora-alpha"), resumed->source, before.rank, before.alpha);
    require_same_task(*resumed, *task.model);
  }
  ParameterSet& parameters = task.objective->parameters();
  const std::set<std::string> whole = changed_since(base, parameters);
  auto objective = std::make_unique<LowRankObjective>(std::move(task.objective), options.low_rank,
                                                      whole, options.seed);
  task.notes.push_back(fmt::format("adapters: {} of {} are trained",
                                   readable_count(objective->parameters().size()),
                                   counted(parameters.size(), "parameter")));
  task.objective = std::move(objective);
  task.describe = [model = task.model, note](Checkpoint& checkpoint) {
    Checkpoint of_model;
    model->describe(of_model);
    checkpoint.metadata.merge(of_model.metadata);
    set_adapter_note(checkpoint, note);
  };
}

AdaptedModel adapted_model(const Checkpoint& base, const std::string& base_checksum,
                           const Checkpoint& adapter) {
  if (!is_adapter(adapter))
    throw OptionError<DataError>(
        "{}: expected an adapter, as training with {} saves it; found a model", adapter.source,
        as_flag("lora-rank"));
  const AdapterNote note = adapter_note(adapter);
  require_base(base, base_checksum, adapter, note);
  AdaptedModel result;
  result.checkpoint.source = adapter.source;
  result.checkpoint.file = base.file;
  for (const auto& [key, value] : adapter.metadata)
    if (key != kAdapterKey && !key.starts_with(kTrainingState))
      result.checkpoint.metadata[key] = value;
  add_merged_tensors(base, adapter, note, result);
  return result;
}

Checkpoint merge_adapter(const Checkpoint& base, const Checkpoint& adapter) {
  Checkpoint result = adapted_model(base, checksum_of(base), adapter).checkpoint;
  const std::unique_ptr<SavedModel> model = load_model(result);
  drop_unused_tensors(*model, result);
  add_golden_samples(result, *model);
  return result;
}

}  // namespace attend
