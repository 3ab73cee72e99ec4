#include "attend/interchange/formats/ctranslate2_writing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <span>

#include "attend/core/files/atomic_file.h"
#include "attend/error.h"

namespace attend {

namespace {

constexpr std::uint32_t kCt2WrittenVersion = 6;
// The number of a type is its place.
constexpr std::array kCt2WrittenTypes{ElementType::f32, ElementType::i8, ElementType::i16,
                                      ElementType::i32};

// The bytes of what stands before the elements of a variable, and of other small things.
class SmallBytes {
 public:
  template <class Number>
  SmallBytes& number(Number value) {
    const std::size_t end = bytes_.size();
    bytes_.resize(end + sizeof(Number));
    std::memcpy(bytes_.data() + end, &value, sizeof(Number));
    return *this;
  }
  SmallBytes& text(std::string_view text) {
    number(static_cast<std::uint16_t>(text.size() + 1));
    bytes_.append(text).push_back('\0');
    return *this;
  }
  SmallBytes& variable(std::string_view name, const std::vector<std::uint32_t>& shape,
                       ElementType type, std::uint32_t bytes) {
    text(name).number(static_cast<std::uint8_t>(shape.size()));
    for (const std::uint32_t extent : shape) number(extent);
    const auto code = std::find(kCt2WrittenTypes.begin(), kCt2WrittenTypes.end(), type);
    return number(static_cast<std::uint8_t>(code - kCt2WrittenTypes.begin())).number(bytes);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

void write_weight(const NamedTensor& weight, AtomicFile& file) {
  const Tensor& tensor = weight.tensor;
  std::vector<std::uint32_t> shape;
  for (int axis = 0; axis < tensor.shape().rank(); ++axis)
    shape.push_back(static_cast<std::uint32_t>(tensor.shape()[axis]));
  const auto bytes = static_cast<std::uint64_t>(tensor.size()) * sizeof(float);
  if (bytes > std::numeric_limits<std::uint32_t>::max())
    throw DataError(
        fmt::format("{} has {} bytes; a model of CTranslate2 holds fewer than 4 GiB of each weight",
                    weight.name, bytes));
  file.write(SmallBytes()
                 .variable(weight.name, shape, ElementType::f32, static_cast<std::uint32_t>(bytes))
                 .bytes());
  file.write(std::as_bytes(tensor.span()));
}

std::string bytes_of(const Ctranslate2Setting& setting) {
  SmallBytes bytes;
  bytes.variable(setting.name, {}, setting.type, static_cast<std::uint32_t>(size_of(setting.type)));
  if (setting.type == ElementType::f32)
    return bytes.number(static_cast<float>(setting.value)).bytes();
  const auto integer = static_cast<std::int32_t>(setting.value);
  if (setting.type == ElementType::i32) return bytes.number(integer).bytes();
  if (setting.type == ElementType::i16)
    return bytes.number(static_cast<std::int16_t>(integer)).bytes();
  return bytes.number(static_cast<std::int8_t>(integer)).bytes();
}

}  // namespace

void write_ctranslate2_file(const std::filesystem::path& path, const Ctranslate2Content& content) {
  AtomicFile file(path);
  file.write(
      SmallBytes()
          .number(kCt2WrittenVersion)
          .text(content.specification)
          .number(content.revision)
          .number(static_cast<std::uint32_t>(content.weights.size() + content.settings.size()))
          .bytes());
  for (const NamedTensor& weight : content.weights) write_weight(weight, file);
  for (const Ctranslate2Setting& setting : content.settings) file.write(bytes_of(setting));
  SmallBytes aliases;
  aliases.number(static_cast<std::uint32_t>(content.aliases.size()));
  for (const auto& [alias, name] : content.aliases) aliases.text(alias).text(name);
  file.write(aliases.bytes());
  file.commit();
}

}  // namespace attend
