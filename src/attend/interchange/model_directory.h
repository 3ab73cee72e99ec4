// The directory of a foreign model: the only one that is read, whatever its files name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "attend/checkpoint/file_content.h"

namespace attend {

class ModelDirectory {
 public:
  // Throws IoError when there is no such directory.
  explicit ModelDirectory(const std::filesystem::path& path);

  std::string path() const { return path_.string(); }
  // Whether there is something of that name in it, be it a file or not.
  bool contains(std::string_view name) const;

  // Where the file is. `name` may come from a file of the model, so it is one name, not a path.
  // Throws DataError when it is not, when nothing has that name, and when it is a link that leads
  // out of the directory.
  std::filesystem::path file(std::string_view name) const;
  // The file, open. Throws also IoError.
  std::shared_ptr<const InputFile> open(std::string_view name) const;
  // What the file holds. Throws DataError also when it is larger than `most` bytes.
  std::string text(std::string_view name, std::uint64_t most = kLargestText) const;
  // A directory in this one, by the same rules.
  ModelDirectory folder(std::string_view name) const;

  static constexpr std::uint64_t kLargestText = std::uint64_t{64} << 20;

 private:
  std::filesystem::path path_;       // as it was given
  std::filesystem::path canonical_;  // absolute, without links
};

}  // namespace attend
