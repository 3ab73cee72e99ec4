#include "attend/checkpoint/average.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/checkpoint/training_note.h"
#include "attend/core/threads/interruption.h"
#include "attend/error.h"

namespace attend {

namespace {

bool same_bytes(const Tensor& a, const Tensor& b) {
  return std::memcmp(a.bytes(), b.bytes(),
                     static_cast<std::size_t>(a.size()) * size_of(a.dtype())) == 0;
}

// A tensor of the average must exist with the same shape in every file.
const Tensor& counterpart(const Checkpoint& checkpoint, const NamedTensor& wanted,
                          const std::string& first) {
  const Tensor* found = checkpoint.find(wanted.name);
  const bool alike = found != nullptr && found->dtype() == wanted.tensor.dtype() &&
                     found->shape() == wanted.tensor.shape();
  const bool is_averaged = wanted.tensor.dtype() == DType::f32;  // not a tokenizer or a shortlist
  if (!alike || (!is_averaged && !same_bytes(*found, wanted.tensor)))
    throw DataError(fmt::format(
        "{}: tensor {} differs from that in {}; only checkpoints of one model can be averaged",
        checkpoint.source, wanted.name, first));
  return *found;
}

void check_same_model(const Checkpoint& checkpoint, const Checkpoint& first) {
  for (const char* key : {"attend.task", "attend.config"}) {
    if (checkpoint.text(key) != first.text(key))
      throw DataError(fmt::format(
          "{}: {} differs from that of {}; only checkpoints of one model can be averaged",
          checkpoint.source, key, first.source));
  }
}

}  // namespace

Checkpoint average_checkpoints(std::span<const std::filesystem::path> paths) {
  if (paths.empty()) throw ConfigError("averaging: expected at least one checkpoint, got none");
  Checkpoint mean = load_checkpoint(paths.back());
  std::erase_if(mean.tensors,
                [](const NamedTensor& t) { return t.name.starts_with(kTrainingState); });
  std::erase_if(mean.metadata,
                [](const auto& entry) { return entry.first.starts_with(kTrainingState); });
  mean.metadata.erase(std::string(kTrainingNote));  // of one of them

  // Sums are in double, so that the order of the files makes no difference in f32.
  std::vector<std::vector<double>> sums(mean.tensors.size());
  for (const std::filesystem::path& path : paths) {
    const Checkpoint checkpoint = load_checkpoint(path);
    check_same_model(checkpoint, mean);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      look_for_interruption();
      const Tensor& tensor = counterpart(checkpoint, mean.tensors[i], mean.source);
      if (tensor.dtype() != DType::f32) continue;
      const std::span<const float> values = tensor.span<float>();
      sums[i].resize(values.size());
      for (std::size_t k = 0; k < sums[i].size(); ++k) sums[i][k] += static_cast<double>(values[k]);
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].empty()) continue;
    const Tensor tensor = Tensor::empty_on_host(mean.tensors[i].tensor.shape());
    const std::span<float> values = tensor.span<float>();
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = static_cast<float>(sums[i][k] / static_cast<double>(paths.size()));
    mean.tensors[i].tensor = tensor;
  }
  return mean;
}

Soup greedy_soup(std::span<const std::filesystem::path> paths,
                 const std::function<double(const Checkpoint&)>& score) {
  if (paths.empty()) throw ConfigError("averaging: expected at least one checkpoint, got none");
  Soup soup;
  for (const std::filesystem::path& path : paths)
    soup.ingredients.push_back({path, score(load_checkpoint(path))});
  std::stable_sort(soup.ingredients.begin(), soup.ingredients.end(),
                   [](const auto& a, const auto& b) { return a.alone > b.alone; });
  std::vector<std::filesystem::path> kept;
  for (Soup::Ingredient& one : soup.ingredients) {
    kept.push_back(one.path);
    Checkpoint average = average_checkpoints(kept);
    one.with = kept.size() == 1 ? one.alone : score(average);
    one.kept = kept.size() == 1 || one.with >= soup.score;
    if (one.kept) {
      soup.score = one.with;
      soup.average = std::move(average);
    } else {
      kept.pop_back();
    }
  }
  return soup;
}

}  // namespace attend
