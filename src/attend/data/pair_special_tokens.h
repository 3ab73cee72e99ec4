// The special tokens around a pair of texts.
#pragma once

#include <cstdint>
#include <vector>

#include "attend/text/tokenizer.h"

namespace attend {

// The tokens around a source, and those that the decoder begins with.
struct PairSpecialTokens {
  std::vector<std::int32_t> before_source, after_source;
  std::vector<std::int32_t> before_target;  // at least one; never part of a translation

  // A source as the encoder reads it.
  std::vector<std::int32_t> around(const std::vector<std::int32_t>& source) const;
  // How many tokens there are beside those of a source, or of what the decoder reads of a target.
  int of_source() const { return static_cast<int>(before_source.size() + after_source.size()); }
  int of_target() const { return static_cast<int>(before_target.size()); }
};

// The tokens around the pairs of a batch.
struct PairTokens {
  PairSpecialTokens marks;
  std::int32_t target_end = 0;

  PairTokens(PairSpecialTokens marks_, std::int32_t target_end_)
      : marks(std::move(marks_)), target_end(target_end_) {}
  // Most models have the end of sentence alone.
  PairTokens(const SpecialTokens& src, const SpecialTokens& tgt)
      : marks{{}, {src.eos}, {tgt.bos}}, target_end(tgt.eos) {}
};

}  // namespace attend
