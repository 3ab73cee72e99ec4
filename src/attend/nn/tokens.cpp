#include "attend/nn/tokens.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/core/error.h"

namespace attend {

Tokens Tokens::copy(std::span<const std::int32_t> ids, std::span<const std::int32_t> offsets) {
  const bool whole = !offsets.empty() && offsets.front() == 0 && offsets.back() == static_cast<std::int32_t>(ids.size());
  if (!whole || !std::is_sorted(offsets.begin(), offsets.end()))
    throw ShapeError(fmt::format("[tokens] expected offsets rising from 0 to {}, got {} of them", ids.size(), offsets.size()));
  return {std::make_shared<const std::vector<std::int32_t>>(ids.begin(), ids.end()),
          std::make_shared<const std::vector<std::int32_t>>(offsets.begin(), offsets.end())};
}

Tokens Tokens::twice() const {
  auto all = std::make_shared<std::vector<std::int32_t>>(*ids);
  all->insert(all->end(), ids->begin(), ids->end());
  auto ends = std::make_shared<std::vector<std::int32_t>>(*offsets);
  for (std::size_t i = 1; i < offsets->size(); ++i) ends->push_back(offsets->back() + (*offsets)[i]);
  return {std::move(all), std::move(ends)};
}

Tokens Tokens::slice(std::int64_t begin, std::int64_t end) const {
  if (begin < 0 || begin > end || end > sequences())
    throw ShapeError(fmt::format("[tokens] expected some of {} sequences, counted from 0, got {} to {}", sequences(), begin, end));
  const std::int32_t first = (*offsets)[static_cast<std::size_t>(begin)], last = (*offsets)[static_cast<std::size_t>(end)];
  auto some = std::make_shared<std::vector<std::int32_t>>(ids->begin() + first, ids->begin() + last);
  auto ends = std::make_shared<std::vector<std::int32_t>>(offsets->begin() + begin, offsets->begin() + end + 1);
  for (std::int32_t& offset : *ends) offset -= first;
  return {std::move(some), std::move(ends)};
}

}  // namespace attend
