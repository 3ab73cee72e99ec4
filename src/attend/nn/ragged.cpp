#include "attend/nn/ragged.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "attend/error.h"

namespace attend {

Ragged::Ragged() : Ragged(std::vector<std::int32_t>(), Ids{0}) {}

Ragged Ragged::copy(std::span<const std::int32_t> ids, std::span<const std::int32_t> offsets) {
  const bool whole = !offsets.empty() && offsets.front() == 0 &&
                     offsets.back() == static_cast<std::int32_t>(ids.size());
  if (!whole || !std::is_sorted(offsets.begin(), offsets.end()))
    throw ShapeError(
        fmt::format("[ragged] expected offsets increasing from 0 to {}, got {} of them", ids.size(),
                    offsets.size()));
  return {std::vector(ids.begin(), ids.end()), std::vector(offsets.begin(), offsets.end())};
}

Ragged Ragged::one(std::span<const std::int32_t> sequence) {
  RaggedBuilder builder;
  builder.add(sequence);
  return builder.build();
}

Ragged Ragged::one_each(std::span<const std::int32_t> ids) {
  std::vector<std::int32_t> ends(ids.size() + 1);
  std::iota(ends.begin(), ends.end(), 0);
  return {std::vector(ids.begin(), ids.end()), std::move(ends)};
}

Ids Ragged::positions() const {
  std::vector<std::int32_t> positions(static_cast<std::size_t>(offsets->back()));
  for (std::int64_t b = 0; b < sequences(); ++b)
    std::iota(positions.begin() + begin_of(b), positions.begin() + begin_of(b + 1), 0);
  return positions;
}

Ragged Ragged::twice() const {
  std::vector<std::int32_t> all(ids->begin(), ids->end()), ends(offsets->begin(), offsets->end());
  all.insert(all.end(), ids->begin(), ids->end());
  for (std::size_t i = 1; i < offsets->size(); ++i) ends.push_back(offsets->back() + (*offsets)[i]);
  return {std::move(all), std::move(ends)};
}

Ragged Ragged::slice(std::int64_t begin, std::int64_t end) const {
  if (begin < 0 || begin > end || end > sequences())
    throw ShapeError(
        fmt::format("[ragged] expected some of {} sequences, counted from 0, got {} to {}",
                    sequences(), begin, end));
  const std::int32_t first = begin_of(begin), last = begin_of(end);
  std::vector<std::int32_t> ends(offsets->begin() + begin, offsets->begin() + end + 1);
  for (std::int32_t& offset : ends) offset -= first;
  return {ids.slice(first, last), std::move(ends)};
}

void RaggedBuilder::reserve(std::size_t tokens, std::size_t sequences) {
  ids_.reserve(tokens);
  offsets_.reserve(sequences + 1);
}

void RaggedBuilder::add(std::span<const std::int32_t> sequence) {
  append(sequence);
  end_sequence();
}

void RaggedBuilder::end_sequence() {
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
  if (ids_.size() > kMost)
    throw DataError(
        fmt::format("expected at most {} tokens in memory, found more; split the corpus", kMost));
  offsets_.push_back(static_cast<std::int32_t>(ids_.size()));
}

Ragged RaggedBuilder::build() { return {std::exchange(ids_, {}), std::exchange(offsets_, {0})}; }

}  // namespace attend
