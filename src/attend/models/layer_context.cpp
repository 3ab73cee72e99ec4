#include "attend/models/layer_context.h"

namespace attend {

Variable FullContext::attend_to_self(const MultiHeadAttention& attention, int, const SelfInput& x,
                                     Pass& pass) {
  return attention.self(x, self_, pass);
}

Variable FullContext::attend_to_memory(const MultiHeadAttention& attention, int, const Variable& x,
                                       Pass& pass) {
  return attention.cross(x, memory_, cross_, pass);
}

CachedContext::CachedContext(KVCache& cache, const SourceMemory& memory,
                             std::span<const SourceRows> source)
    : cache_(cache), memory_(&memory) {
  std::vector<KeySlot> slots;
  std::vector<std::int32_t> offsets{0};
  for (const SourceRows& rows : source) {
    for (std::int32_t row = rows.begin; row < rows.end; ++row) slots.push_back({rows.slab, row});
    offsets.push_back(static_cast<std::int32_t>(slots.size()));
  }
  slots_ = slot_ids(slots);
  offsets_ = std::move(offsets);
}

Variable CachedContext::attend_to_self(const MultiHeadAttention& attention, int layer,
                                       const SelfInput& x, Pass&) {
  return attention.self_cached(x, cache_, layer);
}

Variable CachedContext::attend_to_memory(const MultiHeadAttention& attention, int layer,
                                         const Variable& x, Pass&) {
  return attention.cross_cached(
      x, {memory_->keys_values[static_cast<std::size_t>(layer)], slots_, offsets_});
}

}  // namespace attend
