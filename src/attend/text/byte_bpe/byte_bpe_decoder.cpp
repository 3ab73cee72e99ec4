#include "attend/text/byte_bpe/byte_bpe_decoder.h"

#include <utility>

namespace attend::detail {

std::string ByteBpeDecoder::add(std::int32_t id) {
  const bool unknown = engine_->is_unknown(id);
  if (!unknown && engine_->is_control(id)) return "";
  const bool at_start = std::exchange(at_start_, false);
  if (unknown) return bytes_.finish() + "⁇";
  std::string_view bytes = engine_->bytes_of(id);
  if (at_start && engine_->has_prefix_space() && bytes.starts_with(' ')) bytes.remove_prefix(1);
  return bytes_.add(bytes);
}

std::string ByteBpeDecoder::finish() {
  at_start_ = true;
  return bytes_.finish();
}

}  // namespace attend::detail
