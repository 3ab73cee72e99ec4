// ZIP archives, as PyTorch and NumPy write them: entries stored as they are or deflated, with the
// 64-bit extension.
//
//   entry     local header "PK\3\4": flags, method, checksum, sizes; name; extra fields; the bytes
//   ...
//   directory for every entry "PK\1\2": the same, and where its local header begins
//   end       (64-bit record "PK\6\6", its locator "PK\6\7",) "PK\5\6": where the directory is
//
// The directory and the local headers must agree, and entries must not overlap: otherwise two
// programs could see different content in one file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/files/byte_source.h"
#include "attend/core/files/input_file.h"

namespace attend {

struct ZipEntry {
  std::string name;               // any bytes
  std::uint64_t header = 0;       // where its local header begins in the file
  std::uint64_t begin = 0;        // where its bytes begin
  std::uint64_t packed_size = 0;  // in the file
  std::uint64_t size = 0;         // unpacked; of a stored entry the same
  std::uint32_t checksum = 0;     // CRC-32 of the unpacked bytes; 0: none
  bool deflated = false;

  std::uint64_t end() const { return begin + packed_size; }
};

class ZipArchive {
 public:
  // Reads the directory and all local headers. Throws DataError if the file is no such archive, is
  // encrypted, split, or compressed by another method, or claims to unpack to an implausible size.
  explicit ZipArchive(std::shared_ptr<const InputFile> file);

  const std::string& path() const { return file_->path(); }
  const std::vector<ZipEntry>& entries() const { return entries_; }  // in the directory's order
  // Returns nullptr if there is no such entry.
  const ZipEntry* find(std::string_view name) const;

  // Fills `to` with the bytes of an entry after the first `skip`. Throws DataError if the entry is
  // shorter or damaged. Checks the checksum when `to` ends with the entry and `skip` is small.
  void read(const ZipEntry& entry, std::uint64_t skip, std::span<std::byte> to) const;
  // Reads a whole entry. Also throws DataError if it has more than `most` bytes.
  std::vector<std::byte> read(const ZipEntry& entry, std::uint64_t most) const;
  // The bytes of an entry one after the other, of any size. Its last read checks the checksum. The
  // archive must outlive the source.
  std::unique_ptr<detail::ByteSource> open(const ZipEntry& entry) const;

 private:
  std::shared_ptr<const InputFile> file_;
  std::vector<ZipEntry> entries_;
  std::vector<std::size_t> by_name_;  // indices of entries, sorted by name
};

}  // namespace attend
