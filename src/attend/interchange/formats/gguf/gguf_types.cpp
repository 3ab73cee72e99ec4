#include "attend/interchange/formats/gguf/gguf_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attend/core/threads/interruption.h"
#include "attend/core/threads/parallel.h"
#include "attend/error.h"
#include "attend/interchange/formats/gguf/gguf_blocks.h"

namespace attend {

namespace {

constexpr GgufType plain(std::uint32_t code, std::string_view name, ElementType element,
                         std::uint64_t bytes) {
  return {.code = code, .name = name, .block = 1, .bytes = bytes, .element = element};
}

constexpr GgufType other(std::uint32_t code, std::string_view name) {
  return {.code = code, .name = name};
}

using Dequantize = void (*)(gguf::Block from, std::span<float> to);

constexpr GgufType blocks(std::uint32_t code, std::string_view name, std::uint64_t block,
                          std::uint64_t bytes, Dequantize dequantize) {
  return {.code = code, .name = name, .block = block, .bytes = bytes, .dequantize = dequantize};
}

constexpr std::array kGgufTypes{
    plain(0, "F32", ElementType::f32, 4),
    plain(1, "F16", ElementType::f16, 2),
    blocks(2, "Q4_0", 32, 18, gguf::dequantize_q4_0),
    blocks(3, "Q4_1", 32, 20, gguf::dequantize_q4_1),
    blocks(6, "Q5_0", 32, 22, gguf::dequantize_q5_0),
    blocks(7, "Q5_1", 32, 24, gguf::dequantize_q5_1),
    blocks(8, "Q8_0", 32, 34, gguf::dequantize_q8_0),
    other(9, "Q8_1"),
    other(10, "Q2_K"),
    other(11, "Q3_K"),
    blocks(12, "Q4_K", 256, 144, gguf::dequantize_q4_k),
    blocks(13, "Q5_K", 256, 176, gguf::dequantize_q5_k),
    blocks(14, "Q6_K", 256, 210, gguf::dequantize_q6_k),
    other(15, "Q8_K"),
    other(16, "IQ2_XXS"),
    other(17, "IQ2_XS"),
    other(18, "IQ3_XXS"),
    other(19, "IQ1_S"),
    other(20, "IQ4_NL"),
    other(21, "IQ3_S"),
    other(22, "IQ2_S"),
    other(23, "IQ4_XS"),
    plain(24, "I8", ElementType::i8, 1),
    plain(25, "I16", ElementType::i16, 2),
    plain(26, "I32", ElementType::i32, 4),
    plain(27, "I64", ElementType::i64, 8),
    plain(28, "F64", ElementType::f64, 8),
    other(29, "IQ1_M"),
    plain(30, "BF16", ElementType::bf16, 2),
    other(34, "TQ1_0"),
    other(35, "TQ2_0"),
    other(39, "MXFP4"),
};

}  // namespace

const GgufType* gguf_type(std::uint32_t code) {
  const auto found = std::find_if(kGgufTypes.begin(), kGgufTypes.end(),
                                  [&](const GgufType& type) { return type.code == code; });
  return found == kGgufTypes.end() ? nullptr : &*found;
}

const GgufType& gguf_type(std::string_view name) {
  const auto found = std::find_if(kGgufTypes.begin(), kGgufTypes.end(),
                                  [&](const GgufType& type) { return type.name == name; });
  if (found == kGgufTypes.end()) throw Error(fmt::format("no type of GGUF: {}", name));
  return *found;
}

void dequantize_blocks(const GgufType& type, std::span<const std::byte> from, std::span<float> to) {
  constexpr std::int64_t kGrain = 1 << 8;
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(from.data());
  look_for_interruption();
  parallel_for(static_cast<std::int64_t>(to.size() / type.block), kGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end);
                      ++i)
                   type.dequantize({bytes + i * type.bytes, type.bytes},
                                   to.subspan(i * type.block, type.block));
               });
}

}  // namespace attend
