#include "attend/interchange/golden/golden_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/core/json/json.h"
#include "attend/error.h"

namespace attend::detail {

namespace {

float largest_difference(const Tensor& ours, const Tensor& theirs, const std::string& what,
                         const std::string& where) {
  if (ours.shape() != theirs.shape() || theirs.dtype() != DType::f32)
    throw DataError(fmt::format("{}: {}: expected {}, found {}", where, what,
                                to_string(ours.shape()), to_string(theirs.shape())));
  const std::vector<float> a = ours.to_vector(), b = theirs.to_vector();
  float largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const float difference = std::abs(a[i] - b[i]) / (1 + std::abs(b[i]));
    if (!(difference <= largest)) largest = difference;  // NaN, too
  }
  return largest;
}

}  // namespace

LanguagePair GoldenRecord::languages() const {
  if (!file_.metadata().contains("languages")) return {};
  const auto names = parse_json(text("languages"), where_);
  if (!names.is_array() || names.size() != 2 || !names[0].is_string() || !names[1].is_string())
    throw DataError(where_ + ": languages: expected two names");
  return {names[0].get<std::string>(), names[1].get<std::string>()};
}

std::string GoldenRecord::text(const char* key) const {
  const auto found = file_.metadata().find(key);
  if (found == file_.metadata().end()) throw DataError(fmt::format("{}: no {}", where_, key));
  return found->second;
}

std::vector<std::string> GoldenRecord::texts() const {
  std::vector<std::string> texts;
  for (const auto& one : parse_json(text("texts"), where_)) {
    if (!one.is_string()) throw DataError(where_ + ": texts: expected strings");
    texts.push_back(one.get<std::string>());
  }
  return texts;
}

Ragged GoldenRecord::sequences(const std::string& name, std::int64_t vocabulary) const {
  const std::vector<std::int32_t> ids = integers(name), offsets = integers(name + ".offsets");
  const bool fits = !offsets.empty() && offsets.front() == 0 && offsets.back() == std::ssize(ids) &&
                    std::is_sorted(offsets.begin(), offsets.end());
  const bool known = std::all_of(ids.begin(), ids.end(),
                                 [&](std::int32_t id) { return id >= 0 && id < vocabulary; });
  if (!fits || !known)
    throw DataError(
        fmt::format("{}: {}: expected sequences of ids below {}", where_, name, vocabulary));
  return Ragged::copy(ids, offsets);
}

std::vector<std::int32_t> GoldenRecord::integers(const std::string& name) const {
  const Tensor found = tensor(name);
  if (!found.defined() || found.dtype() != DType::i32 || found.shape().rank() != 1)
    throw DataError(fmt::format("{}: {}: expected a list of integers", where_, name));
  const std::span<const std::int32_t> values = found.span<std::int32_t>();
  return {values.begin(), values.end()};
}

void GoldenComparer::compare(const std::string& what, const std::string& name, const Tensor& ours) {
  const Tensor theirs = record_.tensor(name);
  if (!theirs.defined()) return;
  result.differences.push_back({what, largest_difference(ours, theirs, what, record_.where())});
}

void GoldenComparer::compare_states(const char* stack, const std::vector<Tensor>& states) {
  for (std::size_t layer = 0; layer < states.size(); ++layer)
    compare(layer == 0 ? fmt::format("input of the {}", stack)
                       : fmt::format("{} layer {}", stack, layer),
            fmt::format("{}.{}", stack, layer), states[layer].to_host());
}

void GoldenComparer::compare_ids(const Tokenizer& tokenizer, const Ragged& ids,
                                 const PairSpecialTokens& marks) {
  std::vector<std::vector<std::int32_t>> ours;
  for (const std::string& text : record_.texts())
    ours.push_back(marks.around(tokenizer.encode(text)));
  compare_ids(ids, ours);
}

void GoldenComparer::compare_ids(const Ragged& ids,
                                 const std::vector<std::vector<std::int32_t>>& ours) {
  if (std::ssize(ours) != ids.sequences())
    throw DataError(record_.where() + ": expected as many sequences as texts");
  result.texts = static_cast<int>(ours.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const auto theirs = ids[static_cast<std::int64_t>(i)];
    result.equal_ids += std::equal(ours[i].begin(), ours[i].end(), theirs.begin(), theirs.end());
  }
}

}  // namespace attend::detail
