#include "attend/tasks/quality/encoded_texts.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "attend/core/threads/interruption.h"
#include "attend/core/threads/parallel.h"
#include "attend/ops/embedding.h"
#include "attend/ops/slices.h"

namespace attend {

namespace {

// Tokens of all texts of a batch. A batch of more is not faster, only larger.
constexpr std::int64_t kQualityBatchTokens = 2048;
// A thread tokenizes so many at least.
constexpr std::int64_t kTextsToTokenize = 16;

}  // namespace

std::vector<std::vector<std::int32_t>> quality_ids(const QualityModel& model,
                                                   std::span<const std::string> texts) {
  std::vector<std::vector<std::int32_t>> ids(texts.size());
  parallel_for(std::ssize(texts), kTextsToTokenize, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      ids[i] = model.ids(texts[i]);
  });
  return ids;
}

std::vector<std::span<const std::size_t>> quality_batches(std::span<const std::size_t> order,
                                                          std::span<const std::int64_t> costs) {
  std::vector<std::span<const std::size_t>> all;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    for (std::int64_t tokens = 0; end < order.size(); ++end) {
      tokens += costs[order[end]];
      if (end > begin && tokens > kQualityBatchTokens) break;
    }
    all.push_back(order.subspan(begin, end - begin));
    begin = end;
  }
  return all;
}

void EncodedTexts::add(std::span<const std::string> texts) {
  std::vector<std::string> added;
  for (const std::string& text : texts)
    if (numbers_.try_emplace(text, static_cast<std::int32_t>(numbers_.size())).second)
      added.push_back(text);
  if (added.empty()) return;
  const auto ids = quality_ids(model_, added);
  std::vector<std::int64_t> costs;
  for (const auto& one : ids) costs.push_back(std::ssize(one));
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return costs[a] > costs[b]; });
  std::vector<Variable> parts;
  for (const std::span<const std::size_t> batch : quality_batches(order, costs)) {
    look_for_interruption();
    RaggedBuilder built;
    for (const std::size_t i : batch) built.add(ids[i]);
    parts.push_back(quality_vectors(model_, built.build()));
  }
  std::vector<std::int32_t> places(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = static_cast<std::int32_t>(i);
  Variable vectors = gather_rows(concat_rows(parts), places);
  vectors_ = numbers_.size() == added.size() ? vectors : concat_rows({vectors_, vectors});
}

Variable EncodedTexts::rows(std::span<const std::string> texts) const {
  std::vector<std::int32_t> rows;
  for (const std::string& text : texts) rows.push_back(numbers_.at(text));
  return gather_rows(vectors_, rows);
}

}  // namespace attend
