// The directory of a foreign model. Nothing outside it is read, whatever its files name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attend/checkpoint/safetensors/file_content.h"

namespace attend {

// Small files by name.
using TextFiles = std::map<std::string, std::string, std::less<>>;

class ModelDirectory {
 public:
  // Throws IoError unless `path` is a directory.
  explicit ModelDirectory(const std::filesystem::path& path);
  // A directory that is not on disk: all but file() find these files in it. A file in a folder is
  // named "folder/file". `name` stands for its path in messages.
  ModelDirectory(std::string name, TextFiles files)
      : path_(std::move(name)), in_memory_(std::move(files)) {}

  std::string path() const { return path_.string(); }
  bool is_in_memory() const { return in_memory_.has_value(); }
  // Whether an entry of that name exists.
  bool contains(std::string_view name) const;

  // The names of all entries, sorted.
  std::vector<std::string> names() const;

  // The path of an entry. `name` may come from a file of the model. Throws DataError if it is not a
  // plain name, does not exist, or is a link that leads out of the directory. In a snapshot of the
  // Hugging Face cache, links may lead to the blobs of the same model.
  std::filesystem::path file(std::string_view name) const;
  // Opens a file. Also throws IoError.
  std::shared_ptr<const InputFile> open(std::string_view name) const;
  // Reads a file. Also throws DataError if it has more than `most` bytes.
  std::string text(std::string_view name, std::uint64_t most = kLargestText) const;
  // A directory inside this one, by the same rules.
  ModelDirectory folder(std::string_view name) const;

  static constexpr std::uint64_t kLargestText = std::uint64_t{64} << 20;

 private:
  const std::string& content(std::string_view name) const;  // of a file in memory

  std::filesystem::path path_;          // as it was given
  std::filesystem::path canonical_;     // absolute, without links
  std::optional<TextFiles> in_memory_;  // instead of both
};

}  // namespace attend
