// The CRC-32 by carry-less multiplication: Gopal et al. 2009, "Fast CRC Computation for Generic
// Polynomials Using PCLMULQDQ Instruction". A message is a polynomial over GF(2), and its CRC is
// the remainder of a division by another. A block of 16 bytes can be moved later in the message:
// its two halves are multiplied by the remainders of powers of x, which gives 16 bytes of the same
// remainder. Four blocks are moved together, by 64 bytes each time, and added to what is there; at
// the end they are joined, and zlib divides what is left.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/rows/bytes.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/cpu_extensions.h"
#include "attend/backend/fast/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR
// Without vectors the callers do all of it.
std::size_t fold_crc(const std::uint8_t*, std::size_t, std::uint8_t*) { return 0; }
std::size_t look_for_not_finite(const std::uint8_t*, std::size_t, bool*) { return 0; }
#else
using CrcBlock = hn::FixedTag<std::uint64_t, 2>;
using CrcVector = hn::Vec<CrcBlock>;

HWY_INLINE CrcVector load_crc_block(const std::uint8_t* from) {
  const hn::Repartition<std::uint8_t, CrcBlock> d;
  return hn::BitCast(CrcBlock(), hn::LoadU(d, from));
}

// `block`, moved by the distance of `powers`, plus what is there.
HWY_INLINE CrcVector fold_crc_block(CrcVector block, CrcVector powers, CrcVector there) {
  return hn::Xor(hn::Xor(hn::CLMulLower(block, powers), hn::CLMulUpper(block, powers)), there);
}

// Replaces the first bytes of a message, a multiple of 16, by 16 bytes of the same remainder.
// Returns how many, 0 if there are too few, or if the CPU lacks such products.
std::size_t fold_crc(const std::uint8_t* from, std::size_t size, std::uint8_t* to) {
  constexpr std::size_t kBlock = 16, kTogether = 4 * kBlock;
  if (size < kTogether) return 0;
#if HWY_TARGET == HWY_NEON
  if (!cpu_extensions().pmull) return 0;
#endif
  // x^(512 + 32), x^(512 - 32); x^(128 + 32), x^(128 - 32), reflected
  HWY_ALIGN constexpr std::uint64_t kByFour[] = {0x0154442bd4, 0x01c6e41596},
                                    kByOne[] = {0x01751997d0, 0x00ccaa009e},
                                    kBegin[] = {0xffffffff, 0};  // the CRC of no bytes
  const CrcBlock d;
  const CrcVector by_four = hn::Load(d, kByFour), by_one = hn::Load(d, kByOne);
  CrcVector a = hn::Xor(load_crc_block(from), hn::Load(d, kBegin)),
            b = load_crc_block(from + kBlock), c = load_crc_block(from + 2 * kBlock),
            e = load_crc_block(from + 3 * kBlock);
  std::size_t at = kTogether;
  for (; at + kTogether <= size; at += kTogether) {
    a = fold_crc_block(a, by_four, load_crc_block(from + at));
    b = fold_crc_block(b, by_four, load_crc_block(from + at + kBlock));
    c = fold_crc_block(c, by_four, load_crc_block(from + at + 2 * kBlock));
    e = fold_crc_block(e, by_four, load_crc_block(from + at + 3 * kBlock));
  }
  const CrcVector joined =
      fold_crc_block(fold_crc_block(fold_crc_block(a, by_one, b), by_one, c), by_one, e);
  const hn::Repartition<std::uint8_t, CrcBlock> bytes;
  hn::StoreU(hn::BitCast(bytes, joined), bytes, to);
  return at;
}

// Returns how many values from the first on were looked at: all but a part of a vector.
std::size_t look_for_not_finite(const std::uint8_t* from, std::size_t count, bool* found) {
  const hn::ScalableTag<std::uint32_t> d;
  const hn::Repartition<std::uint8_t, decltype(d)> bytes;
  const auto exponent = hn::Set(d, 0x7f800000u);
  const std::size_t lanes = hn::Lanes(d);
  auto any = hn::MaskFromVec(hn::Zero(d));
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto bits = hn::BitCast(d, hn::LoadU(bytes, from + 4 * i));
    any = hn::Or(any, hn::Eq(hn::And(bits, exponent), exponent));
  }
  *found = !hn::AllFalse(d, any);
  return i;
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <zlib.h>

#include <array>
#include <cmath>
#include <cstring>

#include "attend/backend/bytes.h"

namespace attend {

HWY_EXPORT(fold_crc);
HWY_EXPORT(look_for_not_finite);

std::uint32_t crc32_of(std::span<const std::byte> bytes) {
  constexpr uLong kNothing = 0, kNoBegin = 0xffffffff;  // zlib inverts what it is given
  const auto* const from = reinterpret_cast<const std::uint8_t*>(bytes.data());
  std::array<std::uint8_t, 16> folded;
  const std::size_t count = HWY_DYNAMIC_DISPATCH(fold_crc)(from, bytes.size(), folded.data());
  uLong crc = kNothing;
  if (count > 0) crc = crc32_z(kNoBegin, folded.data(), folded.size());
  return static_cast<std::uint32_t>(crc32_z(crc, from + count, bytes.size() - count));
}

bool all_finite(std::span<const std::byte> numbers) {
  const auto* const from = reinterpret_cast<const std::uint8_t*>(numbers.data());
  bool found = false;
  std::size_t i = HWY_DYNAMIC_DISPATCH(look_for_not_finite)(from, numbers.size() / 4, &found);
  for (; i < numbers.size() / 4 && !found; ++i) {
    float number = 0;
    std::memcpy(&number, from + 4 * i, sizeof number);
    found = !std::isfinite(number);
  }
  return !found;
}

}  // namespace attend
#endif
