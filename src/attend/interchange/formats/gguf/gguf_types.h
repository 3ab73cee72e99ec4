// The types of elements in GGUF files. Most are blocks: 32 or 256 elements in a few bits each, with
// their factors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "attend/interchange/weights/element_type.h"

namespace attend {

struct GgufType {
  std::uint32_t code;
  std::string_view name;                   // "Q4_K", as llama.cpp spells it
  std::uint64_t block = 1;                 // elements
  std::uint64_t bytes = 0;                 // of a block; 0: the type is not supported
  ElementType element = ElementType::f32;  // of blocks of one element
  // Reads other blocks. `from` holds `bytes`, `to` has `block` elements.
  void (*dequantize)(std::span<const std::uint8_t> from, std::span<float> to) = nullptr;
};

// Returns nullptr for a code that stands for no type.
const GgufType* gguf_type(std::uint32_t code);
// Throws Error for a name that is none.
const GgufType& gguf_type(std::string_view name);

// Converts whole blocks. Precondition: type.dequantize; `from` holds the blocks of `to`.
void dequantize_blocks(const GgufType& type, std::span<const std::byte> from, std::span<float> to);

}  // namespace attend
