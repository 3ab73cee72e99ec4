// ZIP archives, as PyTorch and NumPy write them: entries stored as they are or deflated, with the
// 64-bit extension.
//
//   entry     local header "PK\3\4": flags, method, checksum, sizes; name; extra fields; the bytes
//   ...
//   directory for every entry "PK\1\2": the same, and where its local header begins
//   end       (64-bit record "PK\6\6", its locator "PK\6\7",) "PK\5\6": where the directory is
//
// A program that believes the directory and one that believes the local headers can be made to see
// different files. Here both must say the same, and no two entries may share a byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/checkpoint/file_content.h"

namespace attend {

struct ZipEntry {
  std::string name;               // any bytes
  std::uint64_t header = 0;       // where its local header begins in the file
  std::uint64_t begin = 0;        // where its bytes begin
  std::uint64_t packed_size = 0;  // in the file
  std::uint64_t size = 0;         // unpacked; of a stored entry the same
  std::uint32_t checksum = 0;  // CRC-32 of the unpacked bytes; 0: PyTorch was told to leave it out
  bool deflated = false;

  std::uint64_t end() const { return begin + packed_size; }
};

class ZipArchive {
 public:
  // Reads the directory and every local header. Throws DataError for what is not such an archive,
  // is encrypted, packed in another way, in several parts, or claims to unpack to far more than it
  // can honestly hold.
  explicit ZipArchive(std::shared_ptr<const InputFile> file);

  const std::string& path() const { return file_->path(); }
  const std::vector<ZipEntry>& entries() const { return entries_; }  // in the directory's order
  // nullptr when there is none.
  const ZipEntry* find(std::string_view name) const;

  // Fills `to` with the bytes of an entry behind the first `skip`. Throws DataError when the entry
  // is shorter, does not unpack, or (where its last byte is read, and all others are on the way)
  // has not the checksum that it should have.
  void read(const ZipEntry& entry, std::uint64_t skip, std::span<std::byte> to) const;
  // All bytes of an entry. Throws DataError also when there are more than `most`.
  std::vector<std::byte> read(const ZipEntry& entry, std::uint64_t most) const;

 private:
  std::shared_ptr<const InputFile> file_;
  std::vector<ZipEntry> entries_;
  std::vector<std::size_t> by_name_;  // indices of entries, sorted by name
};

}  // namespace attend
