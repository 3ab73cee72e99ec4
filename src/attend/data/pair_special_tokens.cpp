#include "attend/data/pair_special_tokens.h"

namespace attend {

std::vector<std::int32_t> PairSpecialTokens::around(const std::vector<std::int32_t>& source) const {
  std::vector<std::int32_t> ids;
  ids.reserve(source.size() + before_source.size() + after_source.size());
  for (const auto* part : {&before_source, &source, &after_source})
    ids.insert(ids.end(), part->begin(), part->end());
  return ids;
}

}  // namespace attend
