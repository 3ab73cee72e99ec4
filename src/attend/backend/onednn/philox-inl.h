// Dropout masks: Philox4x32-10 on vectors of consecutive blocks. The bits equal RandomKey::bits16, element by element.
#if defined(ATTEND_BACKEND_ONEDNN_PHILOX_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_ONEDNN_PHILOX_INL_H
#undef ATTEND_BACKEND_ONEDNN_PHILOX_INL_H
#else
#define ATTEND_BACKEND_ONEDNN_PHILOX_INL_H
#endif

#include "attend/backend/backend.h"
#include "attend/backend/onednn/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// Columns whose bits are drawn in one go: a multiple of 8 (one block) times the lanes of any vector of 64-bit numbers up to 4096 bits.
constexpr std::size_t kDropoutSpan = 512;

// bits[i] = key.bits16(row, column + i) for i < count. column is a multiple of 8; count <= kDropoutSpan; bits has room for kDropoutSpan.
HWY_INLINE void random_bits16(const RandomKey& key, std::uint32_t row, std::size_t column, std::size_t count, std::uint16_t* bits) {
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t i = 0; i < count; i += 8) {
    const auto words = key.at(static_cast<std::uint32_t>((column + i) / 8), row);
    for (std::size_t j = 0; j < 8; ++j) bits[i + j] = static_cast<std::uint16_t>(words[j / 2] >> (16 * (j % 2)));
  }
#else
  // A 32-bit number of the counter lives in the low half of a 64-bit lane, where the widening product wants it. The high half may hold
  // anything: nothing below carries it into the low half.
  const hn::ScalableTag<std::uint64_t> d;
  using V = hn::Vec<decltype(d)>;
  const hn::Repartition<std::uint32_t, decltype(d)> d32;
  const std::size_t lanes = hn::Lanes(d);
  const V multiplier0 = hn::Set(d, 0xD2511F53u);
  const V multiplier1 = hn::Set(d, 0xCD9E8D57u);
  const auto widening = [&](V a, V b) HWY_ATTR { return hn::MulEven(hn::BitCast(d32, a), hn::BitCast(d32, b)); };
  auto* words = reinterpret_cast<std::uint64_t*>(bits);
  for (std::size_t i = 0; i < count; i += 8 * lanes) {
    V c0 = hn::Iota(d, static_cast<std::uint64_t>((column + i) / 8));
    V c1 = hn::Set(d, row);
    V c2 = hn::Set(d, key.stream & 0xFFFFFFFFu);
    V c3 = hn::Set(d, key.stream >> 32);
    auto k0 = static_cast<std::uint32_t>(key.seed);
    auto k1 = static_cast<std::uint32_t>(key.seed >> 32);
    for (int round = 0; round < 10; ++round) {
      const V a = widening(c0, multiplier0);
      const V b = widening(c2, multiplier1);
      c0 = hn::Xor(hn::ShiftRight<32>(b), hn::Xor(c1, hn::Set(d, k0)));
      c2 = hn::Xor(hn::ShiftRight<32>(a), hn::Xor(c3, hn::Set(d, k1)));
      c1 = b;
      c3 = a;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    const V low = hn::Set(d, 0xFFFFFFFFu);
    const V first = hn::Or(hn::And(c0, low), hn::ShiftLeft<32>(c1));
    const V second = hn::Or(hn::And(c2, low), hn::ShiftLeft<32>(c3));
    hn::StoreInterleaved2(first, second, d, words + i / 4);
  }
#endif
}

// value * scale where the element is kept, else 0; bits[0 .. lanes) belong to the lanes of value.
HWY_INLINE FloatVector drop(FloatVector value, const std::uint16_t* bits, std::uint32_t threshold, FloatVector scale) {
  const Floats d;
  const hn::RebindToSigned<Floats> d32;
  const hn::Rebind<std::uint16_t, Floats> d16;
  const auto drawn = hn::PromoteTo(d32, hn::LoadU(d16, bits));
  const auto kept = hn::Gt(drawn, hn::Set(d32, static_cast<std::int32_t>(threshold) - 1));
  return hn::IfThenElseZero(hn::RebindMask(d, kept), hn::Mul(value, scale));
}

// Calls body(column, count, bits) for successive spans of a row, with the bits of its columns (undefined bits when there is no dropout).
template <class Body>
HWY_INLINE void for_dropout_spans(const Dropout& dropout, std::uint32_t row, std::size_t columns, const Body& body) {
  HWY_ALIGN std::uint16_t bits[kDropoutSpan];
  for (std::size_t column = 0; column < columns; column += kDropoutSpan) {
    const std::size_t count = HWY_MIN(kDropoutSpan, columns - column);
    random_bits16(dropout.key, row, column, count, bits);
    body(column, count, bits);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif
