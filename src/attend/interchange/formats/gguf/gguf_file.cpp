#include "attend/interchange/formats/gguf/gguf_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/formats/gguf/gguf_types.h"

namespace attend {

namespace {

using GgufJson = nlohmann::json;

constexpr std::uint32_t kOldestGguf = 2, kNewestGguf = 3;
constexpr const char* kAlignmentKey = "general.alignment";
// Files of models with 256,000 pieces have 20 MiB before their tensors.
constexpr std::uint64_t kLargestGgufHeader = std::uint64_t{64} << 20, kLongestGgufArray = 1 << 22;
constexpr std::uint32_t kHighestGgufRank = 4;

// The types of values.
enum class GgufValue : std::uint32_t {
  u8,
  i8,
  u16,
  i16,
  u32,
  i32,
  f32,
  boolean,
  text,
  array,
  u64,
  i64,
  f64
};

// Bytes that a value has at least; 0: no such type.
std::uint64_t least_bytes(std::uint32_t type) {
  constexpr std::array<std::uint64_t, 13> kLeast{1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8};
  return type < kLeast.size() ? kLeast[type] : 0;
}

std::uint64_t aligned(std::uint64_t position, std::uint64_t alignment) {
  return (position + alignment - 1) / alignment * alignment;
}

// One tensor, whose elements begin at `offset` after the header.
struct GgufTensor {
  ForeignTensor tensor;
  const GgufType* type = nullptr;
  std::uint64_t offset = 0, bytes = 0;
};

// Reads the header of a file from its beginning, some of it at a time.
class GgufReader {
 public:
  explicit GgufReader(const InputFile& file) : file_(file) {}

  std::uint32_t read_version() {
    if (left() < kGgufMagic.size() || take_text(kGgufMagic.size()) != kGgufMagic)
      refuse(fmt::format("expected a file that begins with {}", kGgufMagic));
    const auto version = number<std::uint32_t>();
    if (version != 0 && (version & 0xFFFFu) == 0)
      refuse("its numbers are big-endian, which is not supported");
    if (version < kOldestGguf || version > kNewestGguf)
      refuse(fmt::format("expected version {} or {} of GGUF, found {}", kOldestGguf, kNewestGguf,
                         version));
    tensors_ = number<std::uint64_t>();
    entries_ = number<std::uint64_t>();
    return version;
  }

  GgufJson read_metadata() {
    GgufJson metadata = GgufJson::object();
    for (; entries_ > 0; --entries_) {
      std::string key = text();
      GgufJson value = read_value(number<std::uint32_t>(), key);
      if (!metadata.emplace(key, std::move(value)).second)
        refuse(fmt::format("two entries have the key {}", quote(key)));
    }
    return metadata;
  }

  std::vector<GgufTensor> read_tensors() {
    std::vector<GgufTensor> tensors;
    for (; tensors_ > 0; --tensors_) tensors.push_back(read_tensor());
    return tensors;
  }

  std::uint64_t position() const { return position_; }
  std::uint64_t left() const { return file_.size() - position_; }

  [[noreturn]] void refuse(std::string_view why) const {
    throw DataError(fmt::format("{}: {}", file_.path(), why));
  }

 private:
  // The next bytes; valid until the next call.
  std::span<const std::byte> take(std::uint64_t count) {
    constexpr std::uint64_t kAtOnce = 1 << 20;
    if (count > left())
      refuse(fmt::format("expected {} bytes more, found {}; truncated?", count, left()));
    if (count > kLargestGgufHeader || position_ > kLargestGgufHeader - count)
      refuse(fmt::format("expected at most {} bytes before the tensors", kLargestGgufHeader));
    if (position_ + count > buffered_from_ + buffer_.size()) {
      buffer_.resize(static_cast<std::size_t>(std::min(std::max(count, kAtOnce), left())));
      buffered_from_ = position_;
      if (!buffer_.empty()) file_.read(position_, buffer_);
    }
    const auto at = static_cast<std::size_t>(position_ - buffered_from_);
    position_ += count;
    return std::span(buffer_).subspan(at, static_cast<std::size_t>(count));
  }

  std::string_view take_text(std::uint64_t count) {
    const std::span<const std::byte> bytes = take(count);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  template <class Number>
  Number number() {
    Number value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  std::string text() {
    const auto size = number<std::uint64_t>();
    return std::string(take_text(size));
  }

  GgufJson read_value(std::uint32_t type, std::string_view key) {
    switch (static_cast<GgufValue>(type)) {
      case GgufValue::u8:
        return number<std::uint8_t>();
      case GgufValue::i8:
        return number<std::int8_t>();
      case GgufValue::u16:
        return number<std::uint16_t>();
      case GgufValue::i16:
        return number<std::int16_t>();
      case GgufValue::u32:
        return number<std::uint32_t>();
      case GgufValue::i32:
        return number<std::int32_t>();
      case GgufValue::f32:
        return number<float>();
      case GgufValue::boolean:
        return number<std::uint8_t>() != 0;
      case GgufValue::text:
        return text();
      case GgufValue::array:
        return read_array(key);
      case GgufValue::u64:
        return number<std::uint64_t>();
      case GgufValue::i64:
        return number<std::int64_t>();
      case GgufValue::f64:
        return number<double>();
    }
    refuse(fmt::format("{}: expected a value of type 0 to 12, found {}", quote(key), type));
  }

  GgufJson read_array(std::string_view key) {
    const auto type = number<std::uint32_t>();
    const auto count = number<std::uint64_t>();
    if (type == static_cast<std::uint32_t>(GgufValue::array))
      refuse(fmt::format("{}: arrays of arrays are not supported", quote(key)));
    const std::uint64_t least = least_bytes(type);
    if (least > 0 && count > left() / least)
      refuse(fmt::format("{}: it claims {} values in {} bytes; truncated?", quote(key), count,
                         left()));
    if (count > kLongestGgufArray)
      refuse(fmt::format("{}: expected at most {} values, found {}", quote(key), kLongestGgufArray,
                         count));
    GgufJson array = GgufJson::array();
    array.get_ref<GgufJson::array_t&>().reserve(static_cast<std::size_t>(count));
    if (least == 0) read_value(type, key);  // refuses it
    for (std::uint64_t i = 0; i < count; ++i) array.push_back(read_value(type, key));
    return array;
  }

  GgufTensor read_tensor() {
    GgufTensor read;
    ForeignTensor& tensor = read.tensor;
    tensor.file = file_.path();
    tensor.name = text();
    const auto rank = number<std::uint32_t>();
    if (rank > kHighestGgufRank)
      refuse(fmt::format("tensor {}: expected at most {} dimensions, found {}", quote(tensor.name),
                         kHighestGgufRank, rank));
    for (std::uint32_t axis = 0; axis < rank; ++axis)
      tensor.shape.insert(tensor.shape.begin(),
                          std::bit_cast<std::int64_t>(number<std::uint64_t>()));
    read.type = &read_type(tensor.name);
    read.offset = number<std::uint64_t>();
    tensor.type = read.type->element;
    const auto elements = count_elements(tensor.shape);
    const std::int64_t row = tensor.shape.empty() ? 1 : tensor.shape.back();
    if (!elements || row % static_cast<std::int64_t>(read.type->block) != 0)
      refuse(fmt::format("tensor {}: expected rows of blocks of {}, found {} [{}]",
                         quote(tensor.name), read.type->block, read.type->name,
                         fmt::join(tensor.shape, ", ")));
    read.bytes = *elements / read.type->block * read.type->bytes;
    return read;
  }

  const GgufType& read_type(std::string_view tensor) {
    const auto code = number<std::uint32_t>();
    const GgufType* const type = gguf_type(code);
    if (type != nullptr && type->bytes > 0) return *type;
    const std::string found =
        type != nullptr ? std::string(type->name) : fmt::format("type {}", code);
    refuse(
        fmt::format("tensor {}: its elements are {}, which is not supported; F32, F16, BF16, "
                    "Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K and Q6_K are",
                    quote(tensor), found));
  }

  const InputFile& file_;
  std::uint64_t position_ = 0, buffered_from_ = 0, tensors_ = 0, entries_ = 0;
  std::vector<std::byte> buffer_;
};

std::uint64_t take_alignment(GgufJson& metadata, const GgufReader& reader) {
  const auto found = metadata.find(kAlignmentKey);
  if (found == metadata.end()) return kGgufAlignment;
  const std::uint64_t alignment = found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
  if (!std::has_single_bit(alignment) || alignment > (1u << 20))
    reader.refuse(fmt::format("{}: expected a power of two up to 2^20, found {}", kAlignmentKey,
                              quote(found->dump())));
  metadata.erase(found);
  return alignment;
}

using ReadElements = std::function<void(std::span<std::byte> to)>;

ReadElements as_they_are(std::shared_ptr<const InputFile> file, std::uint64_t begin) {
  return [file = std::move(file), begin](std::span<std::byte> to) {
    if (!to.empty()) file->read(begin, to);
  };
}

// Many blocks at a time.
ReadElements as_floats(std::shared_ptr<const InputFile> file, std::uint64_t begin,
                       const GgufType& type) {
  return [file = std::move(file), begin, &type](std::span<std::byte> to) {
    constexpr std::size_t kBlocks = 1 << 12;
    std::vector<std::byte> bytes;
    std::vector<float> floats;
    const std::size_t blocks = to.size() / (type.block * sizeof(float));
    for (std::size_t done = 0; done < blocks; done += kBlocks) {
      const std::size_t count = std::min(kBlocks, blocks - done);
      bytes.resize(count * type.bytes);
      floats.resize(count * type.block);
      file->read(begin + done * type.bytes, bytes);
      dequantize_blocks(type, bytes, floats);
      std::memcpy(to.data() + done * type.block * sizeof(float), floats.data(),
                  floats.size() * sizeof(float));
    }
  };
}

}  // namespace

GgufFile read_gguf(std::shared_ptr<const InputFile> file) {
  GgufFile content{.tensors = TensorTable(file->path())};
  GgufReader reader(*file);
  content.version = reader.read_version();
  content.metadata = reader.read_metadata();
  const std::uint64_t alignment = take_alignment(content.metadata, reader);
  std::vector<GgufTensor> tensors = reader.read_tensors();
  const std::uint64_t begin = aligned(reader.position(), alignment);
  std::uint64_t end = 0;  // of the tensors so far, with what fills the file up to the alignment
  for (GgufTensor& read : tensors) {
    const std::string name = quote(read.tensor.name);
    if (read.offset != end)
      reader.refuse(
          fmt::format("tensor {}: expected its elements at {}, found {}", name, end, read.offset));
    if (begin > file->size() || end > file->size() - begin ||
        read.bytes > file->size() - begin - end)
      reader.refuse(fmt::format("tensor {}: expected {} bytes for {} [{}], found fewer; truncated?",
                                name, read.bytes, read.type->name,
                                fmt::join(read.tensor.shape, ", ")));
    const bool is_plain = read.type->dequantize == nullptr;
    content.is_quantized = content.is_quantized || !is_plain;
    read.tensor.read = is_plain ? as_they_are(file, begin + read.offset)
                                : as_floats(file, begin + read.offset, *read.type);
    end = aligned(end + read.bytes, alignment);
    content.tensors.add(std::move(read.tensor));
  }
  if (file->size() > begin + end)
    reader.refuse(fmt::format("{} bytes follow its last tensor", file->size() - begin - end));
  return content;
}

}  // namespace attend
