// The blocks of GGUF's quantized types. Every function fills the elements of one block, and rounds
// as the original does: a product of factors first, then that with the integer.
#pragma once

#include <cstdint>
#include <span>

namespace attend::gguf {

using Block = std::span<const std::uint8_t>;

// 32 elements with one factor, and for the types "_1" an offset.
void dequantize_q4_0(Block from, std::span<float> to);
void dequantize_q4_1(Block from, std::span<float> to);
void dequantize_q5_0(Block from, std::span<float> to);
void dequantize_q5_1(Block from, std::span<float> to);
void dequantize_q8_0(Block from, std::span<float> to);

// 256 elements, in groups with factors that are integers in a few bits themselves.
void dequantize_q4_k(Block from, std::span<float> to);
void dequantize_q5_k(Block from, std::span<float> to);
void dequantize_q6_k(Block from, std::span<float> to);

}  // namespace attend::gguf
