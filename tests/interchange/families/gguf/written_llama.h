// Small GGUF files of language models.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "attend/text/byte_bpe/byte_letters.h"
#include "interchange/written_gguf.h"

namespace attend {

// Increasing numbers.
inline std::string gguf_ramp(std::size_t count, float first) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += bytes_of(first + 0.01f * static_cast<float>(i));
  return bytes;
}

inline WrittenGgufTensor ramp_tensor(std::string name, std::vector<std::uint64_t> shape) {
  std::uint64_t count = 1;
  for (const std::uint64_t extent : shape) count *= extent;
  const auto first = static_cast<float>(name.size());
  return {std::move(name), 0, std::move(shape), gguf_ramp(count, first)};
}

// The letters of all bytes, "ab", "<s>", "</s>" and "<tool>".
inline std::vector<std::string> written_pieces() {
  std::vector<std::string> pieces;
  for (int byte = 0; byte < 256; ++byte)
    pieces.push_back(detail::letter_of(static_cast<unsigned char>(byte)));
  pieces.insert(pieces.end(), {"ab", "<s>", "</s>", "<tool>"});
  return pieces;
}

// A model of architecture "llama" with one layer, two heads of two dimensions and byte-level BPE.
inline WrittenGguf written_llama() {
  const std::vector<std::string> pieces = written_pieces();
  std::vector<std::string> types(pieces.size(), bytes_of(1));
  types[257] = types[258] = bytes_of(3);
  types[259] = bytes_of(4);
  WrittenGguf file{.entries = {{"general.architecture", gguf_string("llama")},
                               {"general.name", gguf_string("a name")},
                               {"llama.context_length", gguf_u32(16)},
                               {"llama.embedding_length", gguf_u32(4)},
                               {"llama.block_count", gguf_u32(1)},
                               {"llama.feed_forward_length", gguf_u32(6)},
                               {"llama.attention.head_count", gguf_u32(2)},
                               {"llama.attention.layer_norm_rms_epsilon", gguf_f32(1e-5f)},
                               {"tokenizer.ggml.model", gguf_string("gpt2")},
                               {"tokenizer.ggml.pre", gguf_string("llama-bpe")},
                               {"tokenizer.ggml.tokens", gguf_strings(pieces)},
                               {"tokenizer.ggml.token_type", gguf_array(5, types)},
                               {"tokenizer.ggml.merges", gguf_strings({"a b", "a b"})},
                               {"tokenizer.ggml.bos_token_id", gguf_u32(257)},
                               {"tokenizer.ggml.eos_token_id", gguf_u32(258)}}};
  file.tensors = {ramp_tensor("token_embd.weight", {pieces.size(), 4}),
                  ramp_tensor("output_norm.weight", {4}),
                  ramp_tensor("blk.0.attn_norm.weight", {4}),
                  ramp_tensor("blk.0.ffn_norm.weight", {4}),
                  ramp_tensor("blk.0.attn_q.weight", {4, 4}),
                  ramp_tensor("blk.0.attn_k.weight", {4, 4}),
                  ramp_tensor("blk.0.attn_v.weight", {4, 4}),
                  ramp_tensor("blk.0.attn_output.weight", {4, 4}),
                  ramp_tensor("blk.0.ffn_gate.weight", {6, 4}),
                  ramp_tensor("blk.0.ffn_up.weight", {6, 4}),
                  ramp_tensor("blk.0.ffn_down.weight", {4, 6})};
  return file;
}

// The same with a width of 32, so that it may have blocks; those of `token_embd.weight` are Q8_0.
inline WrittenGguf written_wide_llama() {
  WrittenGguf file = written_llama();
  for (auto& [key, value] : file.entries)
    if (key == "llama.embedding_length" || key == "llama.feed_forward_length") value = gguf_u32(32);
  for (WrittenGgufTensor& tensor : file.tensors) {
    const bool is_table = tensor.name == "token_embd.weight";
    for (std::uint64_t& extent : tensor.shape)
      if (extent < 32) extent = 32;
    tensor = ramp_tensor(tensor.name, tensor.shape);
    if (!is_table) continue;
    tensor.type = 8;
    tensor.data.clear();
    for (std::uint64_t row = 0; row < tensor.shape.front(); ++row) {
      tensor.data += std::string("\0\x24", 2);  // 2^-6 as f16
      for (char i = 0; i < 32; ++i) tensor.data += static_cast<char>(i - 16);
    }
  }
  return file;
}

// The same file with another value, or another entry.
inline WrittenGguf with_entry(WrittenGguf file, const std::string& key, const std::string& value) {
  const auto found = std::find_if(file.entries.begin(), file.entries.end(),
                                  [&](const auto& entry) { return entry.first == key; });
  if (found == file.entries.end()) {
    file.entries.emplace_back(key, value);
  } else {
    found->second = value;
  }
  return file;
}

}  // namespace attend
