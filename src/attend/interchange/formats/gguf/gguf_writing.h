// Writing GGUF files: the other direction of gguf_file.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/interchange/formats/gguf/gguf_types.h"
#include "attend/tensor/tensor.h"

namespace attend {

// The entries of a file, in their order.
class GgufEntries {
 public:
  void add(std::string_view key, std::string_view text);
  void add(std::string_view key, const char* text) { add(key, std::string_view(text)); }
  void add(std::string_view key, const std::vector<std::string>& texts);
  void add(std::string_view key, std::span<const std::int32_t> numbers);
  void add(std::string_view key, std::span<const float> numbers);
  void add(std::string_view key, const std::vector<bool>& flags);
  void add_bytes(std::string_view key, std::span<const std::byte> bytes);
  void add_count(std::string_view key, std::int64_t count);  // u32
  void add_number(std::string_view key, double number);      // f32
  void add_flag(std::string_view key, bool flag);

  std::uint64_t count() const { return count_; }
  const std::string& bytes() const { return bytes_; }

 private:
  void begin(std::string_view key, std::uint32_t type);
  void begin_array(std::string_view key, std::uint32_t type, std::size_t count);

  std::string bytes_;
  std::uint64_t count_ = 0;
};

struct GgufOutput {
  std::string name;
  const GgufType* type = nullptr;  // F32, F16 or Q8_0
  Tensor values;                   // f32, in host memory
};

// Writes a file atomically. Throws IoError.
void write_gguf(const std::filesystem::path& path, const GgufEntries& entries,
                const std::vector<GgufOutput>& tensors);

// The bytes of elements in F32, F16 or Q8_0, rounded as llama.cpp rounds. Precondition: whole
// blocks.
std::string gguf_bytes(const GgufType& type, std::span<const float> values);

}  // namespace attend
