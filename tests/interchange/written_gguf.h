// GGUF files with any content.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/written_zip.h"

namespace attend {

inline std::string gguf_text(std::string_view text) {
  return bytes_of(static_cast<std::uint64_t>(text.size())) + std::string(text);
}

// A value with its type.
inline std::string gguf_u32(std::uint32_t value) { return bytes_of(4u) + bytes_of(value); }
inline std::string gguf_f32(float value) { return bytes_of(6u) + bytes_of(value); }
inline std::string gguf_flag(bool value) { return bytes_of(7u) + std::string(1, value ? 1 : 0); }
inline std::string gguf_string(std::string_view text) { return bytes_of(8u) + gguf_text(text); }
inline std::string gguf_array(std::uint32_t type, const std::vector<std::string>& values) {
  std::string bytes =
      bytes_of(9u) + bytes_of(type) + bytes_of(static_cast<std::uint64_t>(values.size()));
  for (const std::string& value : values) bytes += value;
  return bytes;
}
inline std::string gguf_strings(const std::vector<std::string>& texts) {
  std::vector<std::string> values;
  for (const std::string& text : texts) values.push_back(gguf_text(text));
  return gguf_array(8, values);
}

struct WrittenGgufTensor {
  std::string name;
  std::uint32_t type = 0;
  std::vector<std::uint64_t> shape;  // the outermost first
  std::string data;
};

struct WrittenGguf {
  std::vector<std::pair<std::string, std::string>> entries = {};  // values with their types
  std::vector<WrittenGgufTensor> tensors = {};
  std::uint32_t version = 3;
  std::size_t alignment = 32;
};

inline std::string written_gguf(const WrittenGguf& file) {
  const auto fill = [&](std::string& bytes) {
    bytes.resize((bytes.size() + file.alignment - 1) / file.alignment * file.alignment);
  };
  std::string header = "GGUF" + bytes_of(file.version) +
                       bytes_of(static_cast<std::uint64_t>(file.tensors.size())) +
                       bytes_of(static_cast<std::uint64_t>(file.entries.size())),
              data;
  for (const auto& [key, value] : file.entries) header += gguf_text(key) + value;
  for (const WrittenGgufTensor& tensor : file.tensors) {
    header += gguf_text(tensor.name) + bytes_of(static_cast<std::uint32_t>(tensor.shape.size()));
    for (auto extent = tensor.shape.rbegin(); extent != tensor.shape.rend(); ++extent)
      header += bytes_of(*extent);
    header += bytes_of(tensor.type) + bytes_of(static_cast<std::uint64_t>(data.size()));
    data += tensor.data;
    fill(data);
  }
  fill(header);
  return header + data;
}

}  // namespace attend
