#include "attend/decode/scorers/shortlist.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/error.h"

namespace attend {

std::vector<std::int32_t> Shortlist::allowed(std::span<const std::int32_t> src) const {
  std::vector<std::int32_t> all = always;
  for (const std::int32_t id : src) {
    if (id < 0 || id >= translations.sequences())
      throw DataError(
          fmt::format("shortlist: expected ids below {}, got {}", translations.sequences(), id));
    const std::span<const std::int32_t> more = translations[id];
    all.insert(all.end(), more.begin(), more.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (const std::int32_t token : never) std::erase(all, token);
  return all;
}

Shortlist Shortlist::without(std::span<const std::int32_t> tokens) const {
  Shortlist rest = *this;
  rest.never.insert(rest.never.end(), tokens.begin(), tokens.end());
  return rest;
}

}  // namespace attend
