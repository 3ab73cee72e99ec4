#include "attend/interchange/formats/marian_binary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "attend/core/files/byte_reader.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

namespace {

constexpr std::uint64_t kMarianVersion = 1, kMarianHeaderSize = 32, kHighestMarianRank = 64;

struct MarianType {
  std::uint64_t code;
  std::string_view name;
};

constexpr std::uint64_t kFloat32 = 0x404, kInt8 = 0x101;
// The second one is that of the branch that browsers use.
constexpr std::array<std::uint64_t, 2> kIntgemm8{0x10001, 0x4101};
// Unsupported types, for the message. The last one belongs to the branch that browsers use.
constexpr std::array kForeignTypes = {MarianType{0x102, "int16"},
                                      MarianType{0x104, "int32"},
                                      MarianType{0x108, "int64"},
                                      MarianType{0x201, "uint8"},
                                      MarianType{0x202, "uint16"},
                                      MarianType{0x204, "uint32"},
                                      MarianType{0x208, "uint64"},
                                      MarianType{0x402, "float16"},
                                      MarianType{0x408, "float64"},
                                      MarianType{0x802, "packed16"},
                                      MarianType{0x1801, "packed8avx2"},
                                      MarianType{0x2801, "packed8avx512"},
                                      MarianType{0x10002, "intgemm16"},
                                      MarianType{0x18001, "intgemm8ssse3"},
                                      MarianType{0x11001, "intgemm8avx2"},
                                      MarianType{0x12001, "intgemm8avx512"},
                                      MarianType{0x13001, "intgemm8avx512vnni"},
                                      MarianType{0x14002, "intgemm16sse2"},
                                      MarianType{0x11002, "intgemm16avx2"},
                                      MarianType{0x12002, "intgemm16avx512"},
                                      MarianType{0x4102, "intgemm16"}};

struct MarianItem {
  std::uint64_t name_size = 0, type = 0, rank = 0, data_size = 0;
  ForeignTensor tensor;

  bool is_quantized() const {
    return std::find(kIntgemm8.begin(), kIntgemm8.end(), type) != kIntgemm8.end();
  }
  // Bytes of the elements and what belongs to them.
  std::uint64_t needed_bytes(std::uint64_t elements) const {
    return is_quantized() ? elements + sizeof(float) : elements * size_of(tensor.type);
  }
};

// The elements of weights in 8 bits, as float32 in row-major order.
void dequantize(const ForeignTensor& tensor, std::span<const std::byte> stored,
                std::span<std::byte> to) {
  const std::size_t count = stored.size() - sizeof(float);
  float multiplier = 0;
  std::memcpy(&multiplier, stored.data() + count, sizeof multiplier);
  if (!std::isfinite(multiplier) || multiplier <= 0.0f)
    throw DataError(fmt::format("{}: tensor {}: expected a positive scale, found {}", tensor.file,
                                quote(tensor.name), multiplier));
  const bool is_table = tensor.name.ends_with("Wemb") || tensor.shape.size() != 2;
  const auto rows = static_cast<std::size_t>(is_table ? 1 : tensor.shape[0]),
             columns = is_table ? count : static_cast<std::size_t>(tensor.shape[1]);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      const float value =
          static_cast<float>(static_cast<std::int8_t>(stored[c * rows + r])) / multiplier;
      std::memcpy(to.data() + (r * columns + c) * sizeof value, &value, sizeof value);
    }
  }
}

// Reads a file from its beginning, a range at a time.
class MarianReader {
 public:
  explicit MarianReader(const InputFile& file) : file_(file) {}

  std::vector<MarianItem> read_items() {
    const auto version = number();
    if (version != kMarianVersion)
      refuse(
          fmt::format("expected version {} of Marian's format, found {}", kMarianVersion, version));
    const auto count = number();
    if (count > left() / kMarianHeaderSize)
      refuse(fmt::format("it claims {} tensors in {} bytes; truncated?", count, file_.size()));
    ByteReader headers = take(count * kMarianHeaderSize);
    std::vector<MarianItem> items(static_cast<std::size_t>(count));
    for (MarianItem& item : items) {
      for (std::uint64_t* const field : {&item.name_size, &item.type, &item.rank, &item.data_size})
        *field = headers.number<std::uint64_t>();
    }
    for (MarianItem& item : items) read_name(item);
    for (MarianItem& item : items) read_shape(item);
    skip(number());  // padding
    return items;
  }

  // Where the elements of the next item begin. Steps over them.
  std::uint64_t take_data(const MarianItem& item) {
    const auto elements = count_elements(item.tensor.shape);
    const std::uint64_t begin = position_;
    if (!elements || item.needed_bytes(*elements) > item.data_size || item.data_size > left())
      refuse(fmt::format("tensor {}: expected {} [{}], found {} bytes left for {}; truncated?",
                         quote(item.tensor.name), name_of(item.tensor.type),
                         fmt::join(item.tensor.shape, ", "), left(), item.data_size));
    skip(item.data_size);
    return begin;
  }

  void finish() const {
    if (left() > 0) refuse(fmt::format("{} bytes follow its last tensor", left()));
  }

 private:
  [[noreturn]] void refuse(std::string_view why) const {
    throw DataError(fmt::format("{}: {}", file_.path(), why));
  }

  std::uint64_t left() const { return file_.size() - position_; }

  void skip(std::uint64_t count) {
    if (count > left())
      refuse(fmt::format("expected {} bytes more, found {}; truncated?", count, left()));
    position_ += count;
  }

  // The next bytes of the file; valid until the next call.
  ByteReader take(std::uint64_t count) {
    bytes_ = read_range(file_, position_, count, "a Marian model");
    position_ += count;
    return {bytes_, file_.path()};
  }

  std::uint64_t number() { return take(sizeof(std::uint64_t)).number<std::uint64_t>(); }

  void read_name(MarianItem& item) {
    const std::string_view name = take(item.name_size).text(item.name_size);
    if (name.empty() || name.find('\0') != name.size() - 1)
      refuse(fmt::format("expected a name that ends with a zero byte, found {}", quote(name)));
    item.tensor.name = name.substr(0, name.size() - 1);
    item.tensor.file = file_.path();
    item.tensor.type = type(item);
  }

  void read_shape(MarianItem& item) {
    if (item.rank > kHighestMarianRank)
      refuse(fmt::format("tensor {}: expected at most {} dimensions, found {}",
                         quote(item.tensor.name), kHighestMarianRank, item.rank));
    ByteReader extents = take(item.rank * sizeof(std::int32_t));
    for (std::uint64_t i = 0; i < item.rank; ++i)
      item.tensor.shape.push_back(extents.number<std::int32_t>());
  }

  ElementType type(const MarianItem& item) const {
    if (item.type == kFloat32) return ElementType::f32;
    if (item.type == kInt8) return ElementType::i8;
    if (item.is_quantized()) return ElementType::f32;
    std::string name = fmt::format("type 0x{:x}", item.type);
    for (const MarianType& known : kForeignTypes)
      if (known.code == item.type) name = known.name;
    refuse(
        fmt::format("tensor {}: expected float32, found {}; convert the model that was trained, "
                    "not one made for a kind of processor",
                    quote(item.tensor.name), name));
  }

  const InputFile& file_;
  std::uint64_t position_ = 0;
  std::vector<std::byte> bytes_;
};

}  // namespace

TensorTable read_marian_binary(std::shared_ptr<const InputFile> file) {
  MarianReader reader(*file);
  std::vector<MarianItem> items = reader.read_items();
  TensorTable table(file->path());
  for (MarianItem& item : items) {
    const std::uint64_t begin = reader.take_data(item);
    if (item.is_quantized()) {
      item.tensor.read = [file, begin, tensor = item.tensor](std::span<std::byte> to) {
        std::vector<std::byte> stored(to.size() / sizeof(float) + sizeof(float));
        file->read(begin, stored);
        dequantize(tensor, stored, to);
      };
    } else {
      item.tensor.read = [file, begin](std::span<std::byte> to) {
        if (!to.empty()) file->read(begin, to);
      };
    }
    table.add(std::move(item.tensor));
  }
  reader.finish();
  return table;
}

}  // namespace attend
