#include "attend/interchange/formats/gguf/gguf_writing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "attend/core/files/atomic_file.h"
#include "attend/error.h"
#include "attend/interchange/formats/gguf/gguf_file.h"

namespace attend {

namespace {

constexpr std::uint32_t kWrittenVersion = 3;
// The types of values.
constexpr std::uint32_t kU8 = 0, kU32 = 4, kI32 = 5, kF32 = 6, kFlag = 7, kText = 8, kArray = 9;

template <class Number>
void append(std::string& bytes, Number number) {
  char raw[sizeof number];
  std::memcpy(raw, &number, sizeof number);
  bytes.append(raw, sizeof number);
}

void append_text(std::string& bytes, std::string_view text) {
  append(bytes, static_cast<std::uint64_t>(text.size()));
  bytes += text;
}

void fill_to_alignment(std::string& bytes) {
  bytes.resize((bytes.size() + kGgufAlignment - 1) / kGgufAlignment * kGgufAlignment);
}

std::uint64_t bytes_in(const GgufOutput& tensor) {
  return static_cast<std::uint64_t>(tensor.values.size()) / tensor.type->block * tensor.type->bytes;
}

std::string header_of(const GgufEntries& entries, const std::vector<GgufOutput>& tensors) {
  std::string header(kGgufMagic);
  append(header, kWrittenVersion);
  append(header, static_cast<std::uint64_t>(tensors.size()));
  append(header, entries.count());
  header += entries.bytes();
  std::uint64_t offset = 0;
  for (const GgufOutput& tensor : tensors) {
    append_text(header, tensor.name);
    const Shape& shape = tensor.values.shape();
    append(header, static_cast<std::uint32_t>(shape.rank()));
    for (int axis = shape.rank(); axis-- > 0;)
      append(header, static_cast<std::uint64_t>(shape[axis]));
    append(header, tensor.type->code);
    append(header, offset);
    offset += (bytes_in(tensor) + kGgufAlignment - 1) / kGgufAlignment * kGgufAlignment;
  }
  fill_to_alignment(header);
  return header;
}

// f16 d, 32 bytes: the element with the largest magnitude is 127 or -127.
void append_q8_0(std::string& bytes, std::span<const float> block) {
  float largest = 0;
  for (const float value : block) largest = std::max(largest, std::abs(value));
  const float d = largest / 127, inverse = d == 0 ? 0 : 1 / d;
  append(bytes, f32_to_f16(d));
  for (const float value : block)
    append(bytes, static_cast<std::int8_t>(std::round(value * inverse)));
}

}  // namespace

void GgufEntries::begin(std::string_view key, std::uint32_t type) {
  append_text(bytes_, key);
  append(bytes_, type);
  ++count_;
}

void GgufEntries::begin_array(std::string_view key, std::uint32_t type, std::size_t count) {
  begin(key, kArray);
  append(bytes_, type);
  append(bytes_, static_cast<std::uint64_t>(count));
}

void GgufEntries::add(std::string_view key, std::string_view text) {
  begin(key, kText);
  append_text(bytes_, text);
}

void GgufEntries::add(std::string_view key, const std::vector<std::string>& texts) {
  begin_array(key, kText, texts.size());
  for (const std::string& text : texts) append_text(bytes_, text);
}

void GgufEntries::add(std::string_view key, std::span<const std::int32_t> numbers) {
  begin_array(key, kI32, numbers.size());
  for (const std::int32_t number : numbers) append(bytes_, number);
}

void GgufEntries::add(std::string_view key, std::span<const float> numbers) {
  begin_array(key, kF32, numbers.size());
  for (const float number : numbers) append(bytes_, number);
}

void GgufEntries::add(std::string_view key, const std::vector<bool>& flags) {
  begin_array(key, kFlag, flags.size());
  for (const bool flag : flags) append(bytes_, static_cast<std::uint8_t>(flag));
}

void GgufEntries::add_bytes(std::string_view key, std::span<const std::byte> bytes) {
  begin_array(key, kU8, bytes.size());
  for (const std::byte byte : bytes) append(bytes_, byte);
}

void GgufEntries::add_count(std::string_view key, std::int64_t count) {
  begin(key, kU32);
  append(bytes_, static_cast<std::uint32_t>(count));
}

void GgufEntries::add_number(std::string_view key, double number) {
  begin(key, kF32);
  append(bytes_, static_cast<float>(number));
}

void GgufEntries::add_flag(std::string_view key, bool flag) {
  begin(key, kFlag);
  append(bytes_, static_cast<std::uint8_t>(flag ? 1 : 0));
}

std::string gguf_bytes(const GgufType& type, std::span<const float> values) {
  std::string bytes;
  bytes.reserve(values.size() / type.block * type.bytes);
  for (std::size_t i = 0; i < values.size(); i += type.block) {
    if (type.name == "F32") {
      append(bytes, values[i]);
    } else if (type.name == "F16") {
      append(bytes, f32_to_f16(values[i]));
    } else if (type.name == "Q8_0") {
      append_q8_0(bytes, values.subspan(i, type.block));
    } else {
      throw Error(fmt::format("elements {} are not written", type.name));
    }
  }
  return bytes;
}

void write_gguf(const std::filesystem::path& path, const GgufEntries& entries,
                const std::vector<GgufOutput>& tensors) {
  AtomicFile file(path);
  file.write(header_of(entries, tensors));
  for (const GgufOutput& tensor : tensors) {
    constexpr std::size_t kAtOnce = std::size_t{1} << 20;  // whole blocks
    std::span<const float> rest = tensor.values.span();
    while (!rest.empty()) {
      const std::size_t count = std::min(kAtOnce, rest.size());
      std::string bytes = gguf_bytes(*tensor.type, rest.first(count));
      rest = rest.subspan(count);
      if (rest.empty()) fill_to_alignment(bytes);
      file.write(bytes);
    }
  }
  file.commit();
}

}  // namespace attend
