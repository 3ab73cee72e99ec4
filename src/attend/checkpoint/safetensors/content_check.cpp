#include "attend/checkpoint/safetensors/content_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <numeric>

#include "attend/backend/bytes.h"
#include "attend/checkpoint/checkpoint.h"
#include "attend/checkpoint/finite.h"
#include "attend/core/strings/quote.h"
#include "attend/core/threads/interruption.h"
#include "attend/core/threads/parallel.h"
#include "attend/error.h"

namespace attend {

namespace {

constexpr std::uint64_t kPart = std::uint64_t{256} << 10;
constexpr std::string_view kNoChecksum = "none";
constexpr std::size_t kLongestShownName = 120;

bool must_be_finite(const TensorEntry& tensor) {
  return tensor.dtype == name_of(DType::f32) && !tensor.name.starts_with(kTrainingState);
}

}  // namespace

void for_content_parts(std::uint64_t bytes, std::uint64_t unit, const UsePart& use) {
  unit = std::max<std::uint64_t>(unit, 1);
  const std::uint64_t step = std::max<std::uint64_t>(kPart / unit, 1) * unit;
  const auto one = [&](std::int64_t i) {
    look_for_interruption();
    const std::uint64_t begin = static_cast<std::uint64_t>(i) * step;
    use(begin, std::min(begin + step, bytes));
  };
  const auto count = static_cast<std::int64_t>((bytes + step - 1) / step);
  if (count == 1) return one(0);
  parallel_each(count, one);
}

ContentCheck::ContentCheck(std::vector<TensorEntry> tensors)
    : tensors_(std::move(tensors)), parts_(tensors_.size()) {}

void ContentCheck::look(std::size_t tensor, std::uint64_t begin, std::span<const std::byte> bytes) {
  Part part{.begin = begin, .bytes = bytes.size(), .crc = crc32_of(bytes)};
  if (must_be_finite(tensors_[tensor]) && !all_finite(bytes)) {
    part.finite = false;
    part.number = first_not_finite(bytes);
  }
  const std::lock_guard lock(mutex_);
  std::erase_if(parts_[tensor], [&](const Part& other) {
    return other.begin == part.begin && other.bytes == part.bytes;
  });
  parts_[tensor].push_back(part);
}

std::vector<ContentCheck::Part> ContentCheck::sorted(std::size_t tensor) const {
  const std::lock_guard lock(mutex_);
  std::vector<Part> parts = parts_[tensor];
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return a.begin < b.begin; });
  return parts;
}

bool ContentCheck::covers(std::size_t tensor) const {
  std::uint64_t end = 0;
  for (const Part& part : sorted(tensor)) {
    if (part.begin != end) return false;
    end += part.bytes;
  }
  return end == tensors_[tensor].bytes();
}

void ContentCheck::forget(std::size_t tensor) {
  const std::lock_guard lock(mutex_);
  parts_[tensor].clear();
}

std::uint32_t ContentCheck::crc_of(std::size_t tensor) const {
  std::uint32_t whole = crc32_of({});
  for (const Part& part : sorted(tensor))
    whole = static_cast<std::uint32_t>(
        crc32_combine(whole, part.crc, static_cast<z_off_t>(part.bytes)));
  return whole;
}

std::string ContentCheck::checksum(const Metadata& metadata) const {
  std::vector<std::size_t> order(tensors_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return tensors_[a].name < tensors_[b].name; });
  std::string text;
  for (const std::size_t i : order) {
    const TensorEntry& tensor = tensors_[i];
    text += fmt::format("{}:{} {} [{}] {:08x}\n", tensor.name.size(), tensor.name, tensor.dtype,
                        fmt::join(tensor.shape, ","), crc_of(i));
  }
  for (const auto& [key, value] : metadata) {
    if (key != kChecksumKey)
      text += fmt::format("{}:{}={}:{}\n", key.size(), key, value.size(), value);
  }
  return fmt::format("{:08x}", crc32_of(std::as_bytes(std::span(text))));
}

void ContentCheck::require(const Metadata& metadata, const std::string& path) const {
  const auto expected = metadata.find(std::string(kChecksumKey));
  if (expected == metadata.end())
    throw DataError(fmt::format("{}: damaged: its metadata has no {}", path, kChecksumKey));
  const std::string found = checksum(metadata);
  if (expected->second != kNoChecksum && found != expected->second) {
    throw DataError(
        fmt::format("{}: damaged: expected the checksum {}, got {}; take another copy (or, if it "
                    "was edited on purpose, set {} to {})",
                    path, quote(expected->second), found, kChecksumKey, kNoChecksum));
  }
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    for (const Part& part : sorted(i)) {
      if (part.finite) continue;
      require_finite(std::span(&part.number, 1),
                     fmt::format("tensor {}", quote(tensors_[i].name, kLongestShownName)), path);
    }
  }
}

}  // namespace attend
