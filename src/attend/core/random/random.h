// Counter-based random numbers: Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as
// easy as 1, 2, 3").
//
// There is no state to save: a number is a function of (seed, stream, position). A dropout mask is
// recomputed in the backward pass instead of stored, and a resumed run draws the same numbers as an
// uninterrupted one.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace attend {

// The 10-round Philox4x32 block function.
constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                              std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

// Names one stream of random numbers. Different (seed, stream) pairs give independent numbers.
struct RandomKey {
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;

  // The four 32-bit numbers at position (block, row) of the stream.
  constexpr std::array<std::uint32_t, 4> at(std::uint32_t block, std::uint32_t row) const {
    return philox(
        {block, row, static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)},
        {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  }

  // 16 random bits for element (row, column) of a matrix: half-words of the block column/8, low
  // half first. All dropout masks use this.
  constexpr std::uint16_t bits16(std::uint32_t row, std::uint32_t column) const {
    const std::uint32_t word = at(column / 8, row)[(column % 8) / 2];
    return static_cast<std::uint16_t>(column % 2 == 0 ? word : word >> 16);
  }
};

// A 64-bit FNV-1a hash that turns a name ("encoder.layers.0...") into a stream.
constexpr std::uint64_t stream_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

// Sequential draws from one stream, for code that shuffles or samples. Copyable; equal keys give
// equal sequences.
class Random {
 public:
  explicit Random(RandomKey key) : key_(key) {}

  std::uint32_t next() {
    if (used_ == 4) {
      block_ = key_.at(static_cast<std::uint32_t>(position_),
                       static_cast<std::uint32_t>(position_ >> 32));
      ++position_;
      used_ = 0;
    }
    return block_[used_++];
  }
  // Equivalent to `count` calls of next().
  void skip(std::uint64_t count) {
    const auto left = static_cast<std::uint64_t>(4 - used_);
    if (count < left) {
      used_ += static_cast<int>(count);
      return;
    }
    position_ += (count - left) / 4;
    used_ = 4;
    for (std::uint64_t rest = (count - left) % 4; rest > 0; --rest) next();
  }
  // Uniform in [0, 1), 24 bits.
  float uniform() { return static_cast<float>(next() >> 8) * 0x1p-24f; }
  // Uniform in 0 .. bound-1. Precondition: bound > 0.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t wide = (std::uint64_t{next()} << 32) | next();
    return static_cast<std::uint64_t>(
        (__extension__ static_cast<unsigned __int128>(wide) * bound) >> 64);
  }
  // Standard normal (Box-Muller).
  float normal();

 private:
  RandomKey key_;
  std::uint64_t position_ = 0;
  std::array<std::uint32_t, 4> block_{};
  int used_ = 4;
};

// Fisher-Yates shuffle; the order depends only on `random`.
template <class Range>
void shuffle(Range& range, Random& random) {
  for (std::uint64_t i = range.size(); i > 1; --i) std::swap(range[i - 1], range[random.below(i)]);
}

}  // namespace attend
