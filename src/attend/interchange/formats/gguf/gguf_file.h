// Models of llama.cpp: GGUF files in the versions 2 and 3, little-endian.
//
//   "GGUF", u32 version, u64 T tensors, u64 N entries
//   N entries: string key, u32 type, value
//   T tensors: string name, u32 rank, u64 extents (the innermost first), u32 type, u64 offset
//   elements, from the next multiple of the alignment on; so does every tensor
//
// A string is its length as u64 and its bytes. An array is a u32 type, a u64 count and the values.
// The alignment is 32, or what the entry general.alignment says.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>

#include "attend/checkpoint/safetensors/file_content.h"
#include "attend/interchange/weights/tensor_table.h"

namespace attend {

struct GgufFile {
  std::uint32_t version = 0;
  // Numbers, booleans, texts, and arrays of them, by key. The entry general.alignment is left out.
  nlohmann::json metadata = nlohmann::json::object();
  // Quantized elements appear as F32.
  TensorTable tensors;
  bool is_quantized = false;  // whether some are
};

// What a GGUF file begins with.
inline constexpr std::string_view kGgufMagic = "GGUF";
inline constexpr std::uint64_t kGgufAlignment = 32;

// Throws DataError if the file is damaged, of another version, or has elements of a type that is
// not supported.
GgufFile read_gguf(std::shared_ptr<const InputFile> file);

}  // namespace attend
