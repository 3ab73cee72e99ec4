// The innermost part of the GEMM: a tile of c in registers.
#if defined(ATTEND_BACKEND_FAST_GEMM_KERNEL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_GEMM_KERNEL_INL_H
#undef ATTEND_BACKEND_FAST_GEMM_KERNEL_INL_H
#else
#define ATTEND_BACKEND_FAST_GEMM_KERNEL_INL_H
#endif

#include "attend/backend/fast/activation-inl.h"
#include "attend/backend/fast/gemm/gemm.h"
#include "attend/backend/fast/gemm/gemm_bf16-inl.h"
#include "hwy/cache_control.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// A tile is kTileRows x kTileColumns: two vectors wide, and as tall as the registers allow (of 16:
// 12 sums, 2 of b, 1 of a).
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON  // 32 registers
constexpr int kTileRows = 12;
#else
constexpr int kTileRows = 6;
#endif
constexpr std::size_t kLanes = hn::MaxLanes(Floats());
constexpr std::size_t kTileColumns = 2 * kLanes;

// The destination of a tile and its epilogue.
struct TileOutput {
  float* c;
  std::size_t stride;
  std::size_t columns;  // of the tile, <= kTileColumns
  float beta;           // 0: c is not read
  const float* bias;    // null: none
  Activation activation;

  // Whether the epilogue fits in registers: whole vectors, only additions.
  bool simple() const {
    return columns == kTileColumns && (beta == 0.0f || beta == 1.0f) &&
           activation == Activation::none;
  }
};

// c = function(tile + beta c + bias) for a tile of sums, [rows][kTileColumns].
template <class Function>
HWY_INLINE void write_tile(const float* tile, std::size_t rows, const TileOutput& out,
                           const Function& function) {
  const Floats d;
  const auto beta = hn::Set(d, out.beta);
  for (std::size_t first = 0; first < out.columns; first += kLanes) {
    const std::size_t count = HWY_MIN(out.columns - first, kLanes);
    const auto load = [&](const float* from) HWY_ATTR {
      return count == kLanes ? hn::LoadU(d, from) : load_part(d, from, count);
    };
    const auto bias = out.bias == nullptr ? hn::Zero(d) : load(out.bias + first);
    const float* from = tile + first;
    float* to = out.c + first;
    for (std::size_t row = 0; row < rows; ++row, from += kTileColumns, to += out.stride) {
      auto sum = hn::Load(d, from);
      if (out.beta != 0.0f) sum = hn::MulAdd(beta, load(to), sum);
      const auto value = function(hn::Add(sum, bias));
      if (HWY_LIKELY(count == kLanes)) {
        hn::StoreU(value, d, to);
      } else {
        store_part(value, d, to, count);
      }
    }
  }
}

HWY_NOINLINE void finish_tile(const float* tile, std::size_t rows, const TileOutput& out) {
  with_activation(out.activation,
                  [&](const auto& function) HWY_ATTR { write_tile(tile, rows, out, function); });
}

// kTileColumns columns of b, floats or bf16: two vectors per k, `second` elements apart; the next k
// is `step` elements later. Meanwhile the columns needed later come nearer: `ahead_step` elements
// per k from `ahead`.
template <class Element>
struct TileInput {
  const Element* first;
  std::size_t second;
  std::size_t step;
  const Element* ahead = first;
  std::size_t ahead_step = 0;
};

HWY_INLINE FloatVector load_floats(const float* from) { return hn::LoadU(Floats(), from); }
HWY_INLINE FloatVector load_floats(const std::uint16_t* bf16) {
  const hn::RebindToUnsigned<Floats> bits;
  const hn::Rebind<std::uint16_t, Floats> halves;
  return hn::BitCast(Floats(), hn::ShiftLeft<16>(hn::PromoteTo(bits, hn::LoadU(halves, bf16))));
}

// Adds the product of lanes of a and b to a sum.
#if HWY_TARGET == HWY_NEON
// The instruction takes one lane of a, which compilers would load into all: as costly as a product.
struct AddProduct {
  static HWY_INLINE float factor(const float* a) { return *a; }
  static HWY_INLINE FloatVector to(FloatVector sum, float a, FloatVector b) {
    asm("fmla %0.4s, %1.4s, %2.s[0]" : "+w"(sum.raw) : "w"(b.raw), "w"(a));
    return sum;
  }
};
#else
struct AddProduct {
  static HWY_INLINE FloatVector factor(const float* a) { return hn::Set(Floats(), *a); }
  static HWY_INLINE FloatVector to(FloatVector sum, FloatVector a, FloatVector b) {
    return hn::MulAdd(a, b, sum);
  }
};
#endif
#if HWY_TARGET == HWY_AVX3
struct AddPairOfProducts {
  static HWY_INLINE FloatVector factor(const float* a) { return hn::Set(Floats(), *a); }
  static HWY_INLINE FloatVector to(FloatVector sum, FloatVector a, FloatVector b) {
    return multiply_pairs(a, b, sum);
  }
};
#endif

// `rows` rows of a (element (r, k) at a[r * row_step + k * k_step]) times columns of b.
template <int rows, class Add, class Element>
HWY_NOINLINE void multiply_tile(const float* a, std::size_t row_step, std::size_t k_step,
                                const TileInput<Element>& b, std::size_t depth,
                                const TileOutput& out) {
  const Floats d;
  FloatVector left[rows];
  FloatVector right[rows];
#pragma GCC unroll 12
  for (int r = 0; r < rows; ++r) {
    left[r] = hn::Zero(d);
    right[r] = hn::Zero(d);
    hwy::Prefetch(out.c + static_cast<std::size_t>(r) * out.stride);
    hwy::Prefetch(out.c + static_cast<std::size_t>(r) * out.stride + kLanes);
  }
  // A pointer for every three rows, because one for each would not fit in the registers.
  constexpr std::size_t kTogether = 3;
  constexpr int kPointers = (rows + 2) / 3;
  const float* from[kPointers];
#pragma GCC unroll 4
  for (int p = 0; p < kPointers; ++p)
    from[p] = a + static_cast<std::size_t>(p) * kTogether * row_step;
  const Element *next = b.first, *ahead = b.ahead;
  const std::size_t second = b.second, step = b.step, ahead_step = b.ahead_step;
  for (std::size_t k = 0; k < depth; ++k) {
    const auto b0 = load_floats(next);
    const auto b1 = load_floats(next + second);
    next += step;
    prefetch_to_l2(ahead);
    prefetch_to_l2(ahead + second);
    ahead += ahead_step;
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r) {
      const std::size_t row = static_cast<std::size_t>(r);
      const auto value = Add::factor(from[row / kTogether] + row % kTogether * row_step);
      left[r] = Add::to(left[r], value, b0);
      right[r] = Add::to(right[r], value, b1);
    }
#pragma GCC unroll 4
    for (int p = 0; p < kPointers; ++p) from[p] += k_step;
  }
  const bool simple = out.simple();
  if (simple && out.beta != 0.0f) {  // a later block of the depth
    const float* sums = out.c;
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r, sums += out.stride) {
      left[r] = hn::Add(hn::LoadU(d, sums), left[r]);
      right[r] = hn::Add(hn::LoadU(d, sums + kLanes), right[r]);
    }
  }
  if (simple && out.bias != nullptr) {
    const auto bias0 = hn::LoadU(d, out.bias), bias1 = hn::LoadU(d, out.bias + kLanes);
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r) {
      left[r] = hn::Add(left[r], bias0);
      right[r] = hn::Add(right[r], bias1);
    }
  }
  HWY_ALIGN float tile[rows * kTileColumns];
  float* to = simple ? out.c : tile;
  const std::size_t stride = simple ? out.stride : kTileColumns;
#pragma GCC unroll 12
  for (int r = 0; r < rows; ++r, to += stride) {
    hn::StoreU(left[r], d, to);
    hn::StoreU(right[r], d, to + kLanes);
  }
  if (!simple) finish_tile(tile, rows, out);
}

template <class Element>
using MultiplyTile = void (*)(const float*, std::size_t, std::size_t, const TileInput<Element>&,
                              std::size_t, const TileOutput&);

template <class Add, class Element, int... counts>
struct TileTable {
  static constexpr MultiplyTile<Element> kernels[] = {multiply_tile<counts, Add, Element>...};
};
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
template <class Add, class Element>
using Tiles = TileTable<Add, Element, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12>;
#else
template <class Add, class Element>
using Tiles = TileTable<Add, Element, 1, 2, 3, 4, 5, 6>;
#endif

// The kernels for tiles of 1, 2, ... rows.
template <class Element>
HWY_INLINE const MultiplyTile<Element>* tile_kernels([[maybe_unused]] Packing packing) {
#if HWY_TARGET == HWY_AVX3
  if constexpr (sizeof(Element) == sizeof(float)) {
    if (packing == Packing::bf16_pairs) return Tiles<AddPairOfProducts, Element>::kernels;
  }
#endif
  return Tiles<AddProduct, Element>::kernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif
