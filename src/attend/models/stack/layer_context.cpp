#include "attend/models/stack/layer_context.h"

namespace attend {

Variable SequenceContext::mix(const SequenceMixing& mixing, int, const SelfAttentionInput& x,
                              Pass& pass) {
  return mixing.self(x, self_, positions_, pass);
}

Variable SequenceContext::attend_to_memory(const MultiHeadAttention& attention, int,
                                           const Variable& x, Pass& pass) {
  return attention.cross(x, memory_, cross_, pass);
}

CacheContext::CacheContext(KVCache& cache, const EncoderMemory& memory,
                           std::span<const CrossKeys> source)
    : cache_(cache), memory_(&memory) {
  std::vector<CacheSlot> slots;
  std::vector<std::int32_t> offsets{0};
  for (const CrossKeys& rows : source) {
    for (std::int32_t row = rows.begin; row < rows.end; ++row) slots.push_back({rows.page, row});
    offsets.push_back(static_cast<std::int32_t>(slots.size()));
  }
  slots_ = slot_ids(slots);
  offsets_ = std::move(offsets);
}

Variable CacheContext::mix(const SequenceMixing& mixing, int layer, const SelfAttentionInput& x,
                           Pass&) {
  return mixing.self_cached(x, cache_, layer);
}

Variable CacheContext::attend_to_memory(const MultiHeadAttention& attention, int layer,
                                        const Variable& x, Pass&) {
  return attention.cross_cached(
      x, {memory_->keys_values[static_cast<std::size_t>(layer)], slots_, offsets_});
}

}  // namespace attend
