// The CRC-32 by carry-less multiplication: Gopal et al. 2009, "Fast CRC Computation for Generic
// Polynomials Using PCLMULQDQ Instruction". A message is a polynomial over GF(2), and its CRC is
// the remainder of a division by another. A block of 16 bytes can be moved later in the message:
// its two halves are multiplied by the remainders of powers of x, which gives 16 bytes of the same
// remainder. Four blocks are moved together, by 64 bytes each time, and added to what is there; at
// the end they are joined, and zlib divides what is left. CPUs that multiply four blocks at once
// move sixteen together.
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
constexpr std::size_t kCrcBlock = 16, kCrcTogether = 4 * kCrcBlock;

// Each block moved by the distance of `powers`, plus what is there.
HWY_INLINE CrcVector fold_crc_blocks(CrcVector blocks, CrcVector powers, CrcVector there) {
  return hn::Xor(hn::Xor(hn::CLMulLower(blocks, powers), hn::CLMulUpper(blocks, powers)), there);
}

template <class D>
HWY_INLINE hn::Vec<D> load_crc_blocks(D d, const std::uint8_t* from) {
  return hn::BitCast(d, hn::LoadU(hn::Repartition<std::uint8_t, D>(), from));
}

template <class D>
HWY_INLINE void store_crc_blocks(hn::Vec<D> blocks, D d, std::uint8_t* to) {
  const hn::Repartition<std::uint8_t, D> bytes;
  hn::StoreU(hn::BitCast(bytes, blocks), bytes, to);
}

// x^(512 + 32), x^(512 - 32) and the same of 128, reflected
HWY_ALIGN constexpr std::uint64_t kMoveByFour[] = {0x0154442bd4, 0x01c6e41596},
                                  kMoveByOne[] = {0x01751997d0, 0x00ccaa009e},
                                  kCrcBegin[] = {0xffffffff, 0};  // the CRC of no bytes

#if HWY_TARGET == HWY_AVX3
using FourCrcBlocks = hn::FixedTag<std::uint64_t, 8>;
using FourCrcVector = hn::Vec<FourCrcBlocks>;

// Written as assembly, because compilers accept the intrinsics only in functions that target CPUs
// with VPCLMULQDQ.
HWY_INLINE FourCrcVector fold_crc_blocks(FourCrcVector blocks, FourCrcVector powers,
                                         FourCrcVector there) {
  FourCrcVector lower, upper;
  asm("vpclmulqdq $0x00, %2, %1, %0" : "=v"(lower.raw) : "v"(blocks.raw), "v"(powers.raw));
  asm("vpclmulqdq $0x11, %2, %1, %0" : "=v"(upper.raw) : "v"(blocks.raw), "v"(powers.raw));
  return hn::Xor(hn::Xor(lower, upper), there);
}

// Replaces the first bytes of a message by four blocks of the same remainder, with vectors of four
// blocks. Returns how many, 0 if there are too few.
std::size_t fold_crc_wide(const std::uint8_t* from, std::size_t size, std::uint8_t* to) {
  constexpr std::size_t kTogether = 4 * kCrcTogether;
  if (size < kTogether || !cpu_extensions().vpclmulqdq) return 0;
  // x^(2048 + 32), x^(2048 - 32), reflected
  HWY_ALIGN constexpr std::uint64_t kBySixteen[] = {0x011542778a, 0x01322d1430};
  HWY_ALIGN constexpr std::uint64_t kBegin[8] = {kCrcBegin[0]};
  const FourCrcBlocks d;
  const auto by_sixteen = hn::LoadDup128(d, kBySixteen), by_four = hn::LoadDup128(d, kMoveByFour);
  auto a = hn::Xor(load_crc_blocks(d, from), hn::Load(d, kBegin)),
       b = load_crc_blocks(d, from + kCrcTogether), c = load_crc_blocks(d, from + 2 * kCrcTogether),
       e = load_crc_blocks(d, from + 3 * kCrcTogether);
  std::size_t at = kTogether;
  for (; at + kTogether <= size; at += kTogether) {
    a = fold_crc_blocks(a, by_sixteen, load_crc_blocks(d, from + at));
    b = fold_crc_blocks(b, by_sixteen, load_crc_blocks(d, from + at + kCrcTogether));
    c = fold_crc_blocks(c, by_sixteen, load_crc_blocks(d, from + at + 2 * kCrcTogether));
    e = fold_crc_blocks(e, by_sixteen, load_crc_blocks(d, from + at + 3 * kCrcTogether));
  }
  store_crc_blocks(
      fold_crc_blocks(fold_crc_blocks(fold_crc_blocks(a, by_four, b), by_four, c), by_four, e), d,
      to);
  return at;
}
#else
std::size_t fold_crc_wide(const std::uint8_t*, std::size_t, std::uint8_t*) { return 0; }
#endif

// Replaces the first bytes of a message, a multiple of 16, by 16 bytes of the same remainder.
// Returns how many, 0 if there are too few, or if the CPU lacks such products.
std::size_t fold_crc(const std::uint8_t* from, std::size_t size, std::uint8_t* to) {
  if (size < kCrcTogether) return 0;
#if HWY_TARGET == HWY_NEON
  if (!cpu_extensions().pmull) return 0;
#endif
  const CrcBlock d;
  const CrcVector by_four = hn::Load(d, kMoveByFour), by_one = hn::Load(d, kMoveByOne);
  std::uint8_t begin[kCrcTogether];
  std::size_t at = fold_crc_wide(from, size, begin);
  const std::uint8_t* const first = at > 0 ? begin : from;
  CrcVector a = load_crc_blocks(d, first), b = load_crc_blocks(d, first + kCrcBlock),
            c = load_crc_blocks(d, first + 2 * kCrcBlock),
            e = load_crc_blocks(d, first + 3 * kCrcBlock);
  if (at == 0) {
    a = hn::Xor(a, hn::Load(d, kCrcBegin));
    at = kCrcTogether;
  }
  for (; at + kCrcTogether <= size; at += kCrcTogether) {
    a = fold_crc_blocks(a, by_four, load_crc_blocks(d, from + at));
    b = fold_crc_blocks(b, by_four, load_crc_blocks(d, from + at + kCrcBlock));
    c = fold_crc_blocks(c, by_four, load_crc_blocks(d, from + at + 2 * kCrcBlock));
    e = fold_crc_blocks(e, by_four, load_crc_blocks(d, from + at + 3 * kCrcBlock));
  }
  store_crc_blocks(
      fold_crc_blocks(fold_crc_blocks(fold_crc_blocks(a, by_one, b), by_one, c), by_one, e), d, to);
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
