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

}  // namespace attend
