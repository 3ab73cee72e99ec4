#include "attend/interchange/formats/gguf/gguf_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

namespace fs = std::filesystem;

namespace {

constexpr const char *kPartCount = "split.count", *kPartNumber = "split.no",
                     *kTensorCount = "split.tensors.count";
constexpr std::string_view kFirstPart = "-00001-of-", kGgufEnd = ".gguf";
constexpr std::size_t kPartDigits = 5;

// Removes a count from the metadata; `otherwise` if there is none.
std::uint64_t take_count(GgufFile& file, const char* key, std::uint64_t otherwise) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end()) return otherwise;
  const nlohmann::json value = *found;
  file.metadata.erase(found);
  if (!value.is_number_integer() || value < 0)
    throw DataError(fmt::format("{}: {}: expected a count, found {}", file.tensors.where(), key,
                                quote(value.dump())));
  return value.get<std::uint64_t>();
}

void require_count(const fs::path& path, const char* key, std::uint64_t found,
                   std::uint64_t expected) {
  if (found != expected)
    throw DataError(
        fmt::format("{}: {}: expected {}, found {}", path.string(), key, expected, found));
}

}  // namespace

std::vector<fs::path> gguf_parts(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::size_t numbers = kFirstPart.size() + kPartDigits + kGgufEnd.size();
  if (name.size() <= numbers || !name.ends_with(kGgufEnd)) return {path};
  const std::string stem = name.substr(0, name.size() - numbers),
                    digits = name.substr(stem.size() + kFirstPart.size(), kPartDigits);
  if (name.substr(stem.size(), kFirstPart.size()) != kFirstPart ||
      digits.find_first_not_of("0123456789") != digits.npos)
    return {path};
  std::vector<fs::path> parts{path};
  for (int part = 2; part <= std::stoi(digits); ++part)
    parts.push_back(path.parent_path() /
                    fmt::format("{}-{:05}-of-{}{}", stem, part, digits, kGgufEnd));
  return parts;
}

GgufFile read_gguf_parts(const fs::path& path) {
  const std::vector<fs::path> parts = gguf_parts(path);
  GgufFile whole = read_gguf(std::make_shared<const InputFile>(path));
  const std::uint64_t count = std::max<std::uint64_t>(take_count(whole, kPartCount, 1), 1);
  if (count != parts.size())
    throw DataError(
        fmt::format("{}: it is one of {} files; expected the name of the first, NAME{}{:05}{}",
                    path.string(), count, kFirstPart, count, kGgufEnd));
  require_count(path, kPartNumber, take_count(whole, kPartNumber, 0), 0);
  const std::uint64_t all = take_count(whole, kTensorCount, 0);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    GgufFile part = read_gguf(std::make_shared<const InputFile>(parts[i]));
    require_count(parts[i], kPartCount, take_count(part, kPartCount, 1), count);
    require_count(parts[i], kPartNumber, take_count(part, kPartNumber, 0), i);
    whole.is_quantized = whole.is_quantized || part.is_quantized;
    for (ForeignTensor tensor : part.tensors.tensors()) whole.tensors.add(std::move(tensor));
  }
  if (count > 1) require_count(path, kTensorCount, whole.tensors.tensors().size(), all);
  return whole;
}

}  // namespace attend
