// Batches of token ids without padding: all sequences laid end to end, and where each begins.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace attend {

// B sequences of N ids in all. Sequence i is ids[offsets[i] .. offsets[i+1]).
struct Ragged {
  std::vector<std::int32_t> ids;         // N
  std::vector<std::int32_t> offsets{0};  // B+1, from 0 to N

  // Throws DataError past 2^31 - 1 ids.
  void add(std::span<const std::int32_t> sequence);
  // Ends the sequence that was appended to `ids` by hand. Throws as add() does.
  void close_sequence();
  // Empties it and keeps the memory.
  void clear();

  std::int64_t sequences() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::int64_t tokens() const { return static_cast<std::int64_t>(ids.size()); }
  std::int32_t length(std::int64_t i) const { return offsets[i + 1] - offsets[i]; }
  std::span<const std::int32_t> operator[](std::int64_t i) const { return std::span(ids).subspan(offsets[i], length(i)); }
};

// B sentence pairs. The only place that knows how targets are shifted:
//   src      source  + eos
//   tgt_in   bos     + target
//   tgt_out  target  + eos     what the decoder should say at each position of tgt_in; the offsets are those of tgt_in
struct TranslationBatch {
  Ragged src;
  Ragged tgt_in;
  std::vector<std::int32_t> tgt_out;
};

}  // namespace attend
