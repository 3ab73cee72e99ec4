// A model file that is checked while it is read: what goes into the model is what counts for the
// checksum, and the file is read once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "attend/checkpoint/safetensors/content_check.h"
#include "attend/checkpoint/safetensors/file_content.h"
#include "attend/checkpoint/safetensors/safetensors.h"
#include "attend/core/files/mapped_file.h"

namespace attend {

// Thread-safe.
class CheckedFile {
 public:
  // Reads the header. Throws like InputFile and read_safetensors_header.
  explicit CheckedFile(const std::filesystem::path& path);

  const std::string& path() const { return file_.path(); }
  std::uint64_t bytes() const { return file_.size(); }
  const InputFile& file() const { return file_; }
  const SafetensorsHeader& header() const { return header_; }

  // Reads bytes of a tensor, by its index in the header, from its byte `begin`. Throws like
  // InputFile::read.
  void read(std::size_t tensor, std::uint64_t begin, std::span<std::byte> to) const;

  // The file as memory, for tensors that are used where they lie; nullptr where the system cannot.
  std::shared_ptr<const MappedFile> mapped() const;

  // Reads what was not read yet. Throws DataError unless the checksum is right and all numbers but
  // those of the training state are finite.
  void require_intact() const;

 private:
  // Bytes [begin, end) of a tensor, where they lie.
  void look_at(const MappedFile& memory, std::size_t tensor, std::uint64_t begin,
               std::uint64_t end) const;

  InputFile file_;
  SafetensorsHeader header_;
  mutable ContentCheck check_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const MappedFile> mapped_;  // once it was asked for
};

}  // namespace attend
