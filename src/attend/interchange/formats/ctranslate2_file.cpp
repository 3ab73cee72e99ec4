#include "attend/interchange/formats/ctranslate2_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "attend/core/files/byte_reader.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

namespace {

constexpr std::uint32_t kOldestCt2 = 2, kNewestCt2 = 6, kFirstWithAliases = 3, kFirstWithTypes = 4;
constexpr std::array kCt2Types{ElementType::f32, ElementType::i8,  ElementType::i16,
                               ElementType::i32, ElementType::f16, ElementType::bf16};
// name, rank, type or size of an element, bytes or elements
constexpr std::uint64_t kSmallestVariable = 2 + 1 + 1 + 1 + 4;
// The factor of 16-bit integers in files that do not say.
constexpr float kUsualScale = 1000.0f;
constexpr std::string_view kQuantizedEnd = "weight", kScaleEnd = "_scale";

struct Ct2Variable {
  ForeignTensor tensor;
  std::uint64_t begin = 0;  // of its elements in the file
};

// Reads a file from its beginning, a range at a time.
class Ct2Reader {
 public:
  explicit Ct2Reader(const InputFile& file) : file_(file) {}

  void read_header(Ctranslate2File& content) {
    version_ = number<std::uint32_t>();
    if (version_ < kOldestCt2 || version_ > kNewestCt2)
      refuse(fmt::format("expected version {} to {} of CTranslate2's format, found {}", kOldestCt2,
                         kNewestCt2, version_));
    content.specification = string();
    content.revision = number<std::uint32_t>();
  }

  std::vector<Ct2Variable> read_variables() {
    const auto count = number<std::uint32_t>();
    if (count > left() / kSmallestVariable)
      refuse(fmt::format("it claims {} variables in {} bytes; truncated?", count, file_.size()));
    std::vector<Ct2Variable> variables;
    for (std::uint32_t i = 0; i < count; ++i) variables.push_back(read_variable());
    return variables;
  }

  // Pairs of an alias and the variable that it stands for.
  std::vector<std::pair<std::string, std::string>> read_aliases() {
    std::vector<std::pair<std::string, std::string>> aliases;
    if (version_ < kFirstWithAliases) return aliases;
    for (auto left_over = number<std::uint32_t>(); left_over > 0; --left_over) {
      std::string alias = string();
      aliases.emplace_back(std::move(alias), string());
    }
    return aliases;
  }

  void finish() const {
    if (left() > 0) refuse(fmt::format("{} bytes follow its last variable", left()));
  }

  [[noreturn]] void refuse(std::string_view why) const {
    throw DataError(fmt::format("{}: {}", file_.path(), why));
  }

 private:
  std::uint64_t left() const { return file_.size() - position_; }

  // The next bytes of the file; valid until the next call.
  ByteReader take(std::uint64_t count) {
    bytes_ = read_range(file_, position_, count, "a model of CTranslate2");
    position_ += count;
    return {bytes_, file_.path()};
  }

  template <class Number>
  Number number() {
    return take(sizeof(Number)).template number<Number>();
  }

  std::string string() {
    const auto size = number<std::uint16_t>();
    const std::string text(take(size).text(size));
    if (text.find('\0') + 1 != text.size())
      refuse(fmt::format("expected a text that ends with a zero byte, found {}", quote(text, 80)));
    return text.substr(0, text.size() - 1);
  }

  Ct2Variable read_variable() {
    Ct2Variable variable;
    ForeignTensor& tensor = variable.tensor;
    tensor.file = file_.path();
    tensor.name = string();
    for (auto rank = number<std::uint8_t>(); rank > 0; --rank)
      tensor.shape.push_back(number<std::uint32_t>());
    tensor.type = read_type(tensor.name);
    std::uint64_t bytes = number<std::uint32_t>();
    if (version_ < kFirstWithTypes) bytes *= size_of(tensor.type);
    const auto elements = count_elements(tensor.shape);
    if (!elements || *elements * size_of(tensor.type) != bytes || bytes > left())
      refuse(fmt::format("variable {}: expected {} [{}], found {} bytes, with {} left; truncated?",
                         quote(tensor.name), name_of(tensor.type), fmt::join(tensor.shape, ", "),
                         bytes, left()));
    variable.begin = position_;
    position_ += bytes;
    return variable;
  }

  ElementType read_type(std::string_view name) {
    const auto code = number<std::uint8_t>();
    if (version_ >= kFirstWithTypes) {
      if (code < kCt2Types.size()) return kCt2Types[code];
      refuse(fmt::format("variable {}: expected elements of type 0 to {}, found {}", quote(name),
                         kCt2Types.size() - 1, code));
    }
    if (code == sizeof(float)) return ElementType::f32;
    if (code == sizeof(std::int16_t)) return ElementType::i16;
    if (code == sizeof(std::int8_t)) return ElementType::i8;
    refuse(fmt::format("variable {}: expected elements of 1, 2 or 4 bytes, found {}", quote(name),
                       code));
  }

  const InputFile& file_;
  std::uint32_t version_ = 0;
  std::uint64_t position_ = 0;
  std::vector<std::byte> bytes_;
};

using Elements = std::function<void(std::span<std::byte> to)>;

Elements elements_of(const std::shared_ptr<const InputFile>& file, const Ct2Variable& variable) {
  return [file, begin = variable.begin](std::span<std::byte> to) {
    if (!to.empty()) file->read(begin, to);
  };
}

std::vector<float> values_of(const std::shared_ptr<const InputFile>& file,
                             const Ct2Variable& variable) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(variable.tensor.bytes()));
  elements_of(file, variable)(bytes);
  std::vector<float> values(static_cast<std::size_t>(variable.tensor.elements()));
  convert_to_f32(variable.tensor.type, bytes, values);
  return values;
}

bool is_quantized(const ForeignTensor& tensor) {
  return (tensor.type == ElementType::i8 || tensor.type == ElementType::i16) &&
         !tensor.shape.empty() && tensor.name.ends_with(kQuantizedEnd);
}

// The integers of a variable divided by the factors of their rows.
Elements dequantized(const std::shared_ptr<const InputFile>& file, const Ct2Variable& variable,
                     std::vector<float> scales) {
  return [file, variable, scales = std::move(scales)](std::span<std::byte> to) {
    std::vector<float> values = values_of(file, variable);
    if (values.empty()) return;
    const std::size_t columns = values.size() / scales.size();
    for (std::size_t row = 0; row < scales.size(); ++row) {
      const float factor = 1.0f / scales[row];
      for (std::size_t i = row * columns; i < (row + 1) * columns; ++i) values[i] *= factor;
    }
    std::memcpy(to.data(), values.data(), to.size());
  };
}

// The variables as tensors of floats.
class Ct2Table {
 public:
  Ct2Table(std::shared_ptr<const InputFile> file, std::vector<Ct2Variable> variables)
      : file_(std::move(file)), variables_(std::move(variables)) {
    for (const Ct2Variable& variable : variables_)
      by_name_.emplace(variable.tensor.name, &variable);
  }

  void fill(TensorTable& table) const {
    for (const Ct2Variable& variable : variables_)
      if (!is_scale(variable.tensor.name)) table.add(tensor_of(variable));
  }

  // Whether it is the factor of a weight, which then appears as floats.
  bool is_scale(std::string_view name) const {
    if (!name.ends_with(kScaleEnd)) return false;
    const Ct2Variable* const scaled = find(name.substr(0, name.size() - kScaleEnd.size()));
    return scaled != nullptr && is_quantized(scaled->tensor);
  }

 private:
  const Ct2Variable* find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }

  ForeignTensor tensor_of(const Ct2Variable& variable) const {
    ForeignTensor tensor = variable.tensor;
    if (is_quantized(tensor)) {
      tensor.type = ElementType::f32;
      tensor.read = dequantized(file_, variable, scales_of(variable.tensor));
    } else {
      tensor.read = elements_of(file_, variable);
    }
    return tensor;
  }

  // One for each row, or one for all.
  std::vector<float> scales_of(const ForeignTensor& tensor) const {
    const std::string name = tensor.name + std::string(kScaleEnd);
    const Ct2Variable* const found = find(name);
    const auto refuse = [&](std::string_view what) {
      throw DataError(
          fmt::format("{}: variable {}: expected {}", file_->path(), quote(name), what));
    };
    if (found == nullptr && tensor.type == ElementType::i16) return {kUsualScale};
    if (found == nullptr) refuse("the factors of its rows, found no such variable");
    const std::uint64_t count = found->tensor.elements();
    const bool fits = count == 1 || (tensor.type == ElementType::i8 &&
                                     count == static_cast<std::uint64_t>(tensor.shape.front()));
    if (!fits || is_integer(found->tensor.type))
      refuse(fmt::format("a number for each row of [{}], found {} {}",
                         fmt::join(tensor.shape, ", "), count, name_of(found->tensor.type)));
    std::vector<float> scales = values_of(file_, *found);
    for (const float scale : scales)
      if (!std::isfinite(scale) || scale <= 0.0f || !std::isfinite(1.0f / scale))
        refuse(fmt::format("factors above 0, found {}", scale));
    return scales;
  }

  std::shared_ptr<const InputFile> file_;
  std::vector<Ct2Variable> variables_;
  std::map<std::string, const Ct2Variable*, std::less<>> by_name_;
};

}  // namespace

Ctranslate2File read_ctranslate2_file(std::shared_ptr<const InputFile> file) {
  Ctranslate2File content{{}, 0, TensorTable(file->path())};
  Ct2Reader reader(*file);
  reader.read_header(content);
  const Ct2Table table(file, reader.read_variables());
  table.fill(content.variables);
  for (const auto& [alias, name] : reader.read_aliases()) {
    if (table.is_scale(name)) continue;  // the alias of its weight has it
    const ForeignTensor* const found = content.variables.find(name);
    if (found == nullptr)
      reader.refuse(
          fmt::format("{} stands for {}, which is no variable", quote(alias), quote(name)));
    ForeignTensor tensor = *found;
    tensor.name = alias;
    content.variables.add(std::move(tensor));
  }
  reader.finish();
  return content;
}

}  // namespace attend
