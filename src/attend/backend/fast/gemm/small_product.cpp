#include "attend/backend/fast/gemm/small_product.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/gemm/small_product.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/gemm/gemm_bf16-inl.h"
#include "attend/backend/fast/gemm/small_product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {
namespace {

// A part of C.
struct Part {
  std::ptrdiff_t m, m_end;  // rows
  std::ptrdiff_t n, n_end;  // columns
};

// The relevant part of K for a part of C. Masked elements of A that share a pair with others are
// zeros.
struct Depth {
  std::ptrdiff_t begin, end;
  bool skip;
};

HWY_INLINE Depth depth_of(const SmallProduct& p, const Part& c) {
  const std::ptrdiff_t together = p.pairs ? 2 : 1;
  const auto place = [&](std::ptrdiff_t k) {
    return HWY_MIN(HWY_MAX(std::ptrdiff_t{0}, k) / together, p.depth);
  };
  const auto between = [&](std::ptrdiff_t first, std::ptrdiff_t end) {
    const std::ptrdiff_t begin = place(first);
    return Depth{begin, HWY_MAX(begin, place(end + together - 1)), false};
  };
  switch (p.triangle) {
    case Triangle::scores:
      return {0, p.depth, c.m >= c.n_end + p.diagonal || c.m_end <= c.n + p.lower_diagonal};
    case Triangle::queries_by_keys:
      return between(c.m + p.lower_diagonal, c.m_end + p.diagonal);
    case Triangle::keys_by_queries:
      return between(c.m - p.diagonal, c.m_end - p.lower_diagonal);
    case Triangle::none:
      break;
  }
  return {0, p.depth, false};
}

// a * b + c, rounded as hn::MulAdd rounds it.
HWY_INLINE float multiply_add(float a, float b, float c) {
#if HWY_NATIVE_FMA
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

// Products of floats, of lanes and of single elements.
struct FloatProducts {
  template <class V>
  static HWY_INLINE V add(V a, V b, V sum) {
    return hn::MulAdd(a, b, sum);
  }
  static HWY_INLINE float add_element(float a, float b, float sum, bool zeros_hide) {
    return zeros_hide && a == 0.0f ? sum : multiply_add(a, b, sum);
  }
};

#if HWY_TARGET == HWY_AVX3
// Products of pairs of bf16.
struct PairProducts {
  template <class V>
  static HWY_INLINE V add(V a, V b, V sum) {
    return multiply_pairs(a, b, sum);
  }
  static HWY_INLINE float add_element(float a, float b, float sum, bool zeros_hide) {
    const hn::CappedTag<float, 1> d;
    const hn::Repartition<std::uint16_t, decltype(d)> halves;
    const auto factor = hn::BitCast(halves, hn::Set(d, a));
    auto other = hn::BitCast(halves, hn::Set(d, b));
    if (zeros_hide) {
      const auto magnitude = hn::And(factor, hn::Set(halves, 0x7FFF));
      other = hn::IfThenZeroElse(hn::Eq(magnitude, hn::Zero(halves)), other);
    }
    return hn::GetLane(multiply_pairs(hn::Set(d, a), hn::BitCast(d, other), hn::Set(d, sum)));
  }
};
#endif

// The same element by element: for remainder columns, and for zeros that must skip NaN or infinity.
template <class Products>
HWY_NOINLINE void small_product_elements(const SmallProduct& p, std::ptrdiff_t m,
                                         std::ptrdiff_t m_end, std::ptrdiff_t n,
                                         std::ptrdiff_t n_end, Depth depth) {
  for (std::ptrdiff_t r = m; r < m_end; ++r) {
    for (std::ptrdiff_t c = n; c < n_end; ++c) {
      float total = 0.0f;
      for (std::ptrdiff_t k = depth.begin; k < depth.end; ++k) {
        total = Products::add_element(p.a[r * p.a_row + k * p.a_depth], p.b[k * p.b_row + c], total,
                                      p.zeros_hide);
      }
      float& to = p.c[r * p.c_row + c];
      if (p.accumulate) total = p.keep != nullptr ? multiply_add(p.keep[r], to, total) : to + total;
      to = p.factor != nullptr ? p.factor[r] * total : total;
    }
  }
}

// kRows x kVectors vectors of C at (m, n), held in registers.
template <class Products, int kRows, int kVectors, class D>
HWY_INLINE void small_product_tile(D d, const SmallProduct& p, std::ptrdiff_t m, std::ptrdiff_t n,
                                   Depth depth) {
  using V = hn::Vec<D>;
  const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(d));
  const float* HWY_RESTRICT a = p.a + m * p.a_row + depth.begin * p.a_depth;
  const float* HWY_RESTRICT b = p.b + n + depth.begin * p.b_row;
  const std::ptrdiff_t a_row = p.a_row;
  const std::ptrdiff_t a_depth = p.a_depth;
  const std::ptrdiff_t b_row = p.b_row;
  // The pragmas keep the accumulators in registers, at most 6 by 2.
  V total[kRows][kVectors];
  HWY_UNROLL(6) for (int r = 0; r < kRows; ++r) {
    HWY_UNROLL(2) for (int v = 0; v < kVectors; ++v) total[r][v] = hn::Zero(d);
  }
  for (std::ptrdiff_t k = depth.begin; k < depth.end; ++k) {
    V x[kVectors];
    HWY_UNROLL(2) for (int v = 0; v < kVectors; ++v) x[v] = hn::LoadU(d, b + v * lanes);
    HWY_UNROLL(6) for (int r = 0; r < kRows; ++r) {
      const V y = hn::Set(d, a[r * a_row]);
      HWY_UNROLL(2)
      for (int v = 0; v < kVectors; ++v) total[r][v] = Products::add(y, x[v], total[r][v]);
    }
    a += a_depth;
    b += b_row;
  }
  if (p.zeros_hide) {
    V all = total[0][0];
    HWY_UNROLL(6) for (int r = 0; r < kRows; ++r) {
      HWY_UNROLL(2) for (int v = 0; v < kVectors; ++v) all = hn::Add(all, total[r][v]);
    }
    if (HWY_UNLIKELY(!hn::AllTrue(d, hn::IsFinite(all)))) {
      small_product_elements<Products>(p, m, m + kRows, n, n + kVectors * lanes, depth);
      return;
    }
  }
  float* const c = p.c + m * p.c_row + n;
  const std::ptrdiff_t c_row = p.c_row;
  if (p.accumulate) {
    HWY_UNROLL(6) for (int r = 0; r < kRows; ++r) {
      const V keep = hn::Set(d, p.keep != nullptr ? p.keep[m + r] : 1.0f);
      HWY_UNROLL(2) for (int v = 0; v < kVectors; ++v) {
        total[r][v] = hn::MulAdd(keep, hn::LoadU(d, c + r * c_row + v * lanes), total[r][v]);
      }
    }
  }
  if (p.factor != nullptr) {
    HWY_UNROLL(6) for (int r = 0; r < kRows; ++r) {
      const V factor = hn::Set(d, p.factor[m + r]);
      HWY_UNROLL(2) for (int v = 0; v < kVectors; ++v) total[r][v] = hn::Mul(factor, total[r][v]);
    }
  }
  HWY_UNROLL(6) for (int r = 0; r < kRows; ++r) {
    HWY_UNROLL(2)
    for (int v = 0; v < kVectors; ++v) hn::StoreU(total[r][v], d, c + r * c_row + v * lanes);
  }
}

// 6 x 2 accumulators, 2 vectors of B and 1 element of A: 15 of the 16 registers of AVX2. 12 rows
// were no faster with 32.
constexpr int kProductRows = 6;

// All rows of kVectors vectors of columns.
template <class Products, int kVectors, class D>
HWY_INLINE void small_product_columns(D d, const SmallProduct& p, std::ptrdiff_t n) {
  const std::ptrdiff_t columns = kVectors * static_cast<std::ptrdiff_t>(hn::Lanes(d));
  // Rows are distributed evenly: 14 as 5 + 5 + 4, because a tile of 2 would stall on FMA latency.
  const std::ptrdiff_t tiles = (p.rows + kProductRows - 1) / kProductRows;
  for (std::ptrdiff_t t = 0, m = 0; t < tiles; ++t) {
    const std::ptrdiff_t m_begin = m;
    m += (p.rows - m) / (tiles - t) + ((p.rows - m) % (tiles - t) != 0 ? 1 : 0);
    const Depth depth = depth_of(p, {m_begin, m, n, n + columns});
    if (depth.skip) continue;
    switch (m - m_begin) {
      case 1:
        small_product_tile<Products, 1, kVectors>(d, p, m_begin, n, depth);
        break;
      case 2:
        small_product_tile<Products, 2, kVectors>(d, p, m_begin, n, depth);
        break;
      case 3:
        small_product_tile<Products, 3, kVectors>(d, p, m_begin, n, depth);
        break;
      case 4:
        small_product_tile<Products, 4, kVectors>(d, p, m_begin, n, depth);
        break;
      case 5:
        small_product_tile<Products, 5, kVectors>(d, p, m_begin, n, depth);
        break;
      default:
        small_product_tile<Products, kProductRows, kVectors>(d, p, m_begin, n, depth);
    }
  }
}

template <class Products>
HWY_INLINE void multiply(const SmallProduct& p) {
  const Floats d;
  const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(d));
  std::ptrdiff_t n = 0;
  for (; n + 2 * lanes <= p.columns; n += 2 * lanes) small_product_columns<Products, 2>(d, p, n);
  for (; n + lanes <= p.columns; n += lanes) small_product_columns<Products, 1>(d, p, n);
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<float, 4> d4;
  if (lanes > 4) {
    for (; n + 4 <= p.columns; n += 4) small_product_columns<Products, 1>(d4, p, n);
  }
#endif
  if (n == p.columns) return;
  for (std::ptrdiff_t m = 0; m < p.rows; ++m) {
    const Depth depth = depth_of(p, {m, m + 1, n, p.columns});
    if (!depth.skip) small_product_elements<Products>(p, m, m + 1, n, p.columns, depth);
  }
}

}  // namespace

void small_product(const SmallProduct& p) {
#if HWY_TARGET == HWY_AVX3
  if (p.pairs) return multiply<PairProducts>(p);
#endif
  multiply<FloatProducts>(p);
}

// Rows past the end are copies of the last, to fill vectors with harmless values.
void small_transpose(const StridedRows& from, std::ptrdiff_t rows, std::ptrdiff_t width,
                     float factor, float* to, std::ptrdiff_t stride) {
  const std::ptrdiff_t last = rows - 1;
  std::ptrdiff_t whole = 0;  // columns of `from` processed as vectors
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<float, 4> d;
  const hn::RepartitionToWide<decltype(d)> wide;
  const auto scale = hn::Set(d, factor);
  const auto pairs = [wide](auto x) HWY_ATTR { return hn::BitCast(wide, x); };
  whole = width / 4 * 4;
  for (std::ptrdiff_t r = 0; r < stride; r += 4) {
    const float* HWY_RESTRICT row0 = from.at(HWY_MIN(r, last), 0);
    const float* HWY_RESTRICT row1 = from.at(HWY_MIN(r + 1, last), 0);
    const float* HWY_RESTRICT row2 = from.at(HWY_MIN(r + 2, last), 0);
    const float* HWY_RESTRICT row3 = from.at(HWY_MIN(r + 3, last), 0);
    float* HWY_RESTRICT corner = to + r;
    for (std::ptrdiff_t i = 0; i < whole; i += 4, corner += 4 * stride) {
      const auto x0 = hn::Mul(scale, hn::LoadU(d, row0 + i));
      const auto x1 = hn::Mul(scale, hn::LoadU(d, row1 + i));
      const auto x2 = hn::Mul(scale, hn::LoadU(d, row2 + i));
      const auto x3 = hn::Mul(scale, hn::LoadU(d, row3 + i));
      const auto low01 = pairs(hn::InterleaveLower(d, x0, x1));
      const auto low23 = pairs(hn::InterleaveLower(d, x2, x3));
      const auto high01 = pairs(hn::InterleaveUpper(d, x0, x1));
      const auto high23 = pairs(hn::InterleaveUpper(d, x2, x3));
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, low01, low23)), d, corner);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, low01, low23)), d, corner + stride);
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, high01, high23)), d, corner + 2 * stride);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, high01, high23)), d, corner + 3 * stride);
    }
  }
#endif
  for (std::ptrdiff_t i = whole; i < width; ++i) {
    for (std::ptrdiff_t r = 0; r < stride; ++r)
      to[i * stride + r] = factor * *from.at(HWY_MIN(r, last), i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();
