// The checksum of a checkpoint, and whether its numbers are finite. Tensors are looked at in parts,
// in any order and on any thread, so that a file can be checked while it is read into a model.
//
// The checksum is a CRC-32 of an unambiguous description (every string with its length), in which
// tensors are sorted by name and stand with the CRC-32 of their bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/checkpoint/safetensors/safetensors.h"

namespace attend {

inline constexpr std::string_view kChecksumKey = "attend.checksum";

// Calls use(begin, end) for parts of `bytes` bytes that fit in the inner caches, in parallel. All
// but the last are multiples of `unit`.
using UsePart = std::function<void(std::uint64_t begin, std::uint64_t end)>;
void for_content_parts(std::uint64_t bytes, std::uint64_t unit, const UsePart& use);

// Thread-safe.
class ContentCheck {
 public:
  explicit ContentCheck(std::vector<TensorEntry> tensors);

  const std::vector<TensorEntry>& tensors() const { return tensors_; }

  // Looks at `bytes` of a tensor, given by its index in the list, from its byte `begin` on. A part
  // may be looked at again: the last time counts.
  void look(std::size_t tensor, std::uint64_t begin, std::span<const std::byte> bytes);
  // Whether parts that were looked at cover the tensor without overlap.
  bool covers(std::size_t tensor) const;
  // Makes covers() false.
  void forget(std::size_t tensor);

  // Precondition: every tensor is covered.
  std::string checksum(const Metadata& metadata) const;
  // Throws DataError, naming `path`, unless the checksum is that in the metadata and all numbers
  // but those of the training state are finite. The same precondition.
  void require(const Metadata& metadata, const std::string& path) const;

 private:
  struct Part {
    std::uint64_t begin = 0, bytes = 0;
    std::uint32_t crc = 0;
    bool finite = true;
    float number = 0;  // the first that is not finite
  };
  std::vector<Part> sorted(std::size_t tensor) const;
  std::uint32_t crc_of(std::size_t tensor) const;

  std::vector<TensorEntry> tensors_;
  mutable std::mutex mutex_;
  std::vector<std::vector<Part>> parts_;  // of each tensor
};

}  // namespace attend
