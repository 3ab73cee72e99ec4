// Byte-level BPE -> text. Private to text/.
#pragma once

#include "attend/text/byte_bpe/byte_bpe.h"
#include "attend/text/waiting_bytes.h"

namespace attend::detail {

class ByteBpeDecoder final : public TextDecoder {
 public:
  // The engine must outlive this.
  explicit ByteBpeDecoder(const ByteBpe& engine) : engine_(&engine) {}

  std::string add(std::int32_t id) override;
  std::string finish() override;

 private:
  const ByteBpe* engine_;
  WaitingBytes bytes_{BrokenBytes::parts};
  bool at_start_ = true;  // a space here is the one put before the text
};

}  // namespace attend::detail
