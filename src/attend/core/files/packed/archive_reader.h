// The files of an archive, one after the other.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "attend/core/files/lines.h"

namespace attend {

// Reads ZIP and TAR archives, packed by gzip or zstd or not. Any other file is an archive of one
// file: itself, unpacked, without ".gz" or ".zst" in its name. The content decides, not the name.
//
// Nothing is written to the disk, and folders and links are passed over. Throws IoError if the file
// cannot be read, and DataError for damaged archives and for names that lead out of a folder.
class ArchiveReader {
 public:
  explicit ArchiveReader(const std::string& path);
  ~ArchiveReader();
  ArchiveReader(const ArchiveReader&) = delete;
  ArchiveReader& operator=(const ArchiveReader&) = delete;

  // Moves to the next file. False at the end.
  bool next();
  // The path of the file in the archive, without "./" before it.
  const std::string& name() const { return name_; }
  // "corpus.zip: train.en", for messages.
  std::string where() const;

  // Reads between 1 and `capacity` bytes of the file; 0 at its end.
  std::size_t read(char* to, std::size_t capacity);
  // The lines of the file, unpacked if it is packed itself. Until next(); the archive must outlive
  // them.
  LineReader lines();

  // Reads entries one after the other.
  class Entries {
   public:
    virtual ~Entries() = default;
    virtual bool next() = 0;
    virtual const std::string& name() const = 0;
    virtual std::size_t read(char* to, std::size_t capacity) = 0;
  };

 private:
  std::string path_, name_;
  std::unique_ptr<Entries> entries_;
};

}  // namespace attend
