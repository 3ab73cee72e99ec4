#include "attend/interchange/weights/element_type.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "attend/core/threads/interruption.h"
#include "attend/core/threads/parallel.h"
#include "attend/tensor/bf16.h"

namespace attend {

static_assert(std::endian::native == std::endian::little, "elements are read as they lie in files");

namespace {

struct ElementTraits {
  std::string_view name;
  std::size_t size;
};

// In the order of ElementType.
constexpr std::array<ElementTraits, 10> kElementTypes = {{{"F64", 8},
                                                          {"F32", 4},
                                                          {"F16", 2},
                                                          {"BF16", 2},
                                                          {"I64", 8},
                                                          {"I32", 4},
                                                          {"I16", 2},
                                                          {"I8", 1},
                                                          {"U8", 1},
                                                          {"BOOL", 1}}};

template <class Element, class To, class Convert>
void convert_each(std::span<const std::byte> from, std::span<To> to, const Convert& convert) {
  constexpr std::int64_t kGrain = 1 << 16;
  look_for_interruption();
  parallel_for(std::ssize(to), kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      Element element;  // at any address
      std::memcpy(&element, from.data() + i * sizeof(Element), sizeof(Element));
      to[i] = convert(element);
    }
  });
}

template <class Element, class To>
void cast_each(std::span<const std::byte> from, std::span<To> to) {
  convert_each<Element>(from, to, [](Element element) { return static_cast<To>(element); });
}

template <class To>
void convert_integers(ElementType type, std::span<const std::byte> from, std::span<To> to) {
  switch (type) {
    case ElementType::i64:
      return cast_each<std::int64_t>(from, to);
    case ElementType::i32:
      return cast_each<std::int32_t>(from, to);
    case ElementType::i16:
      return cast_each<std::int16_t>(from, to);
    case ElementType::i8:
      return cast_each<std::int8_t>(from, to);
    case ElementType::u8:
      return cast_each<std::uint8_t>(from, to);
    default:
      return convert_each<std::uint8_t>(from, to,
                                        [](std::uint8_t b) { return static_cast<To>(b != 0); });
  }
}

}  // namespace

// 1 sign, 5 exponent (bias 15) and 10 fraction bits. A subnormal f16 is a normal f32.
float f16_to_f32(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1fu, fraction = half & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
}

std::uint16_t f32_to_f16(float x) {
  constexpr std::uint32_t kInfinity = 0x7f800000u, kFirstTooLarge = 0x477ff000u,
                          kLeastNormal = 0x38800000u;  // bits of infinity, 65520 and 2^-14
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  const auto with_sign = [&](std::uint32_t rest) {
    return static_cast<std::uint16_t>(sign | rest);
  };
  if (magnitude > kInfinity) return with_sign(0x7e00u);
  if (magnitude >= kFirstTooLarge) return with_sign(0x7c00u);
  if (magnitude < kLeastNormal)
    return with_sign(
        static_cast<std::uint32_t>(std::nearbyint(std::bit_cast<float>(magnitude) * 0x1p24f)));
  const std::uint32_t odd = magnitude >> 13 & 1u;
  return with_sign((magnitude + 0xfffu + odd - 0x38000000u) >> 13);
}

std::size_t size_of(ElementType type) { return kElementTypes[static_cast<std::size_t>(type)].size; }

std::string_view name_of(ElementType type) {
  return kElementTypes[static_cast<std::size_t>(type)].name;
}

std::optional<ElementType> element_type(std::string_view name) {
  for (std::size_t i = 0; i < kElementTypes.size(); ++i)
    if (kElementTypes[i].name == name) return static_cast<ElementType>(i);
  return std::nullopt;
}

std::optional<std::uint64_t> count_elements(std::span<const std::int64_t> shape) {
  constexpr std::uint64_t kMost = (std::uint64_t{1} << 60) / 8;
  std::uint64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    if (extent == 0) continue;
    if (static_cast<std::uint64_t>(extent) >= kMost / count) return std::nullopt;
    count *= static_cast<std::uint64_t>(extent);
  }
  return std::find(shape.begin(), shape.end(), 0) == shape.end() ? count : 0;
}

bool is_integer(ElementType type) { return type >= ElementType::i64; }

void convert_to_f32(ElementType type, std::span<const std::byte> from, std::span<float> to) {
  switch (type) {
    case ElementType::f64:
      return cast_each<double>(from, to);
    case ElementType::f32:
      return cast_each<float>(from, to);
    case ElementType::f16:
      return convert_each<std::uint16_t>(from, to, f16_to_f32);
    case ElementType::bf16:
      return convert_each<std::uint16_t>(from, to, float_of_bf16);
    default:
      return convert_integers(type, from, to);
  }
}

void convert_to_i64(ElementType type, std::span<const std::byte> from, std::span<std::int64_t> to) {
  convert_integers(type, from, to);
}

bool StridedLayout::is_row_major() const {
  std::int64_t expected = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] != 1 && strides[axis] != expected) return false;
    expected *= shape[axis];
  }
  return true;
}

std::optional<std::uint64_t> StridedLayout::extent() const {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::int64_t last = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    std::int64_t step = 0;
    if (__builtin_mul_overflow(shape[axis] - 1, strides[axis], &step) ||
        __builtin_add_overflow(last, step, &last))
      return std::nullopt;
  }
  return static_cast<std::uint64_t>(last) + 1;
}

void gather(const StridedLayout& layout, std::size_t element_bytes, std::span<const std::byte> from,
            std::span<std::byte> to) {
  const std::size_t rank = layout.shape.size();
  std::vector<std::int64_t> index(rank, 0);
  std::int64_t position = 0;  // of the element in `from`
  for (std::size_t done = 0; done < to.size(); done += element_bytes) {
    std::memcpy(to.data() + done, from.data() + static_cast<std::size_t>(position) * element_bytes,
                element_bytes);
    for (std::size_t axis = rank; axis-- > 0;) {
      position += layout.strides[axis];
      if (++index[axis] < layout.shape[axis]) break;
      position -= index[axis] * layout.strides[axis];
      index[axis] = 0;
    }
  }
}

}  // namespace attend
