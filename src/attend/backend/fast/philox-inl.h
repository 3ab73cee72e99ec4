// Dropout masks: Philox4x32-10 on vectors of consecutive blocks. The bits equal RandomKey::bits16,
// element by element.
#if defined(ATTEND_BACKEND_FAST_PHILOX_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_PHILOX_INL_H
#undef ATTEND_BACKEND_FAST_PHILOX_INL_H
#else
#define ATTEND_BACKEND_FAST_PHILOX_INL_H
#endif

#include "attend/backend/backend.h"
#include "attend/backend/fast/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// The number of columns drawn at once: a multiple of the 16 columns (two blocks) per 64-bit lane.
constexpr std::size_t kDropoutSpan = 512;

#if HWY_TARGET == HWY_SCALAR
class Philox {
 public:
  explicit Philox(const RandomKey& key) : key_(key) {}

  static constexpr std::size_t columns_per_draw() { return 8; }

  void draw(std::uint32_t row, std::size_t column, std::uint16_t* bits) const {
    const auto words = key_.at(static_cast<std::uint32_t>(column / 8), row);
    for (std::size_t i = 0; i < 8; ++i)
      bits[i] = static_cast<std::uint16_t>(words[i / 2] >> (16 * (i % 2)));
  }

 private:
  RandomKey key_;
};
#else
// Philox on vectors of blocks. A 32-bit word of the counter is in the low half of a 64-bit lane, as
// the widening multiplication expects. The high half is arbitrary and never carries into the low
// half.
class Philox {
 public:
  explicit Philox(const RandomKey& key)
      : stream_low_(key.stream & 0xFFFFFFFFu), stream_high_(key.stream >> 32) {
    auto k0 = static_cast<std::uint32_t>(key.seed);
    auto k1 = static_cast<std::uint32_t>(key.seed >> 32);
    for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
      hn::Store(hn::Set(D(), k0), D(), keys_[2 * round]);
      hn::Store(hn::Set(D(), k1), D(), keys_[2 * round + 1]);
    }
  }

  static constexpr std::size_t columns_per_draw() { return 16 * kLanes64; }

  // bits[i] = key.bits16(row, column + i) for i < columns_per_draw(); column is a multiple of 8.
  // Works on two vectors of counters at once to hide latency.
  HWY_INLINE void draw(std::uint32_t row, std::size_t column, std::uint16_t* bits) const {
    const D d;
    Counter a = start(row, column / 8), b = start(row, column / 8 + kLanes64);
    for (int round = 0; round < 10; ++round) {
      const V k0 = hn::Load(d, keys_[2 * round]), k1 = hn::Load(d, keys_[2 * round + 1]);
      step(a, k0, k1);
      step(b, k0, k1);
    }
    auto* words = reinterpret_cast<std::uint64_t*>(bits);
    store(a, words);
    store(b, words + 2 * kLanes64);
  }

 private:
  using D = hn::ScalableTag<std::uint64_t>;
  using V = hn::Vec<D>;
  static constexpr std::size_t kLanes64 = hn::MaxLanes(D());

  struct Counter {
    V c0, c1, c2, c3;
  };

  HWY_INLINE Counter start(std::uint32_t row, std::uint64_t block) const {
    const D d;
    return {hn::Iota(d, block), hn::Set(d, row), hn::Set(d, stream_low_), hn::Set(d, stream_high_)};
  }

  static HWY_INLINE V widening(V value, std::uint32_t factor) {
    const hn::Repartition<std::uint32_t, D> d32;
    return hn::MulEven(hn::BitCast(d32, value), hn::BitCast(d32, hn::Set(D(), factor)));
  }

  static HWY_INLINE void step(Counter& c, V k0, V k1) {
    const V a = widening(c.c0, 0xD2511F53u);
    const V b = widening(c.c2, 0xCD9E8D57u);
    c.c0 = hn::Xor(hn::ShiftRight<32>(b), hn::Xor(c.c1, k0));
    c.c2 = hn::Xor(hn::ShiftRight<32>(a), hn::Xor(c.c3, k1));
    c.c1 = b;
    c.c3 = a;
  }

  static HWY_INLINE void store(const Counter& c, std::uint64_t* words) {
    const D d;
    const V low = hn::Set(d, 0xFFFFFFFFu);
    const V first = hn::Or(hn::And(c.c0, low), hn::ShiftLeft<32>(c.c1));
    const V second = hn::Or(hn::And(c.c2, low), hn::ShiftLeft<32>(c.c3));
    hn::StoreInterleaved2(first, second, d, words);
  }

  std::uint64_t stream_low_, stream_high_;
  HWY_ALIGN std::uint64_t keys_[20][kLanes64];
};
#endif

// value * scale if the element is kept, else 0; bits[0 .. lanes) belong to the lanes of value.
HWY_INLINE FloatVector drop(FloatVector value, const std::uint16_t* bits, std::uint32_t threshold,
                            FloatVector scale) {
  const Floats d;
  const hn::RebindToSigned<Floats> d32;
  const hn::Rebind<std::uint16_t, Floats> d16;
  const auto drawn = hn::PromoteTo(d32, hn::LoadU(d16, bits));
  const auto kept = hn::Gt(drawn, hn::Set(d32, static_cast<std::int32_t>(threshold) - 1));
  return hn::IfThenElseZero(hn::RebindMask(d, kept), hn::Mul(value, scale));
}

// Calls body(column, count, bits) for successive spans of a row, with the bits of its columns.
template <class Body>
HWY_INLINE void for_dropout_spans(const Philox& philox, std::uint32_t row, std::size_t columns,
                                  const Body& body) {
  HWY_ALIGN std::uint16_t bits[kDropoutSpan];
  for (std::size_t column = 0; column < columns; column += kDropoutSpan) {
    const std::size_t count = HWY_MIN(kDropoutSpan, columns - column);
    for (std::size_t i = 0; i < count; i += Philox::columns_per_draw())
      philox.draw(row, column + i, bits + i);
    body(column, count, static_cast<const std::uint16_t*>(bits));
  }
}

// y = dropout(x) for one row; y may be x.
HWY_INLINE void drop_row(const Philox& philox, const Dropout& dropout, std::uint32_t row,
                         const float* x, float* y, std::size_t columns) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  const std::uint32_t threshold = dropout.threshold();
  const auto scale = hn::Set(d, dropout.scale());
  for_dropout_spans(
      philox, row, columns,
      [&](std::size_t column, std::size_t count, const std::uint16_t* bits) HWY_ATTR {
        const float* from = x + column;
        float* to = y + column;
        std::size_t i = 0;
        for (; i + lanes <= count; i += lanes)
          hn::StoreU(drop(hn::LoadU(d, from + i), bits + i, threshold, scale), d, to + i);
        if (i < count)
          store_part(drop(load_part(d, from + i, count - i), bits + i, threshold, scale), d, to + i,
                     count - i);
      });
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif
