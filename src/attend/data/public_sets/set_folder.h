// The folder into which a public set is written: all of its files or none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/core/files/atomic_folder.h"
#include "attend/core/files/atomic_lines.h"
#include "attend/core/files/sha256.h"
#include "attend/data/public_sets/public_set.h"

namespace attend {

// A text that is written line by line.
class SetFile {
 public:
  explicit SetFile(const std::filesystem::path& path) : lines_(path) {}

  void add_line(std::string_view line) {
    lines_.add(line);
    lines_.end_line();
    sum_.add(line);
    sum_.add("\n");
    ++count_;
  }
  std::int64_t count() const { return count_; }
  std::string sha256() const { return sum_.hex(); }
  // After the last line; more calls do nothing.
  void commit() {
    if (!std::exchange(committed_, true)) lines_.commit();
  }

 private:
  AtomicLines lines_;
  Sha256 sum_;
  std::int64_t count_ = 0;
  bool committed_ = false;
};

struct WrittenFile {
  std::string name;
  std::int64_t lines = 0;
  bool published = false;  // its checksum is that of the published file
};

class SetFolder {
 public:
  // Throws IoError if `path` exists, except as an empty folder.
  explicit SetFolder(const std::filesystem::path& path);

  // A file of the set, created when first asked for. The name may have a folder before it.
  SetFile& file(const std::string& name);
  bool has(const std::string& name) const { return files_.contains(name); }
  // Ends the files that there are, so that they can be read at path_of().
  void end_files();
  std::filesystem::path path_of(const std::string& name) const {
    return folder_.temporary() / name;
  }
  // Where to write what is needed only until finish().
  std::filesystem::path scratch(const std::string& name);
  // Something that the user should know.
  void add_note(std::string note) { notes_.push_back(std::move(note)); }
  const std::vector<std::string>& notes() const { return notes_; }

  // Ends the files and removes scratch files. Throws DataError for a file that differs from the
  // published one of its name, unless `any_version`.
  std::vector<WrittenFile> finish(std::span<const PublishedFile> published, bool any_version);
  // Makes the folder appear.
  void commit() { folder_.commit(); }

 private:
  AtomicFolder folder_;
  std::vector<std::string> order_;
  std::map<std::string, std::unique_ptr<SetFile>> files_;
  std::vector<std::string> notes_;
};

}  // namespace attend
