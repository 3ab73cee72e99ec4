#include "attend/interchange/model_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <system_error>

#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

namespace {

// The cache of Hugging Face keeps a model as links: models--NAME/snapshots/COMMIT/config.json is
// ../../blobs/HASH. Returns the folder of the blobs if the directory is in such a snapshot, an
// empty path otherwise.
std::filesystem::path blobs_of_snapshot(std::filesystem::path directory) {
  for (; directory.has_relative_path(); directory = directory.parent_path()) {
    const std::filesystem::path snapshots = directory.parent_path(),
                                model = snapshots.parent_path();
    if (snapshots.filename() == "snapshots" && model.filename().string().starts_with("models--"))
      return model / "blobs";
  }
  return {};
}

// Whether a path leads to something in the folder, at any depth. Both are canonical.
bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const auto [in_path, in_folder] =
      std::mismatch(path.begin(), path.end(), folder.begin(), folder.end());
  return in_folder == folder.end() && in_path != path.end();
}

}  // namespace

ModelDirectory::ModelDirectory(const std::filesystem::path& path) : path_(path) {
  std::error_code error;
  canonical_ = std::filesystem::canonical(path, error);
  if (error) throw IoError(fmt::format("{}: cannot open: {}", path.string(), error.message()));
  if (!std::filesystem::is_directory(canonical_, error))
    throw IoError(
        fmt::format("{}: expected the directory of a model, found something else", path.string()));
}

bool ModelDirectory::contains(std::string_view name) const {
  if (in_memory_) return in_memory_->find(name) != in_memory_->end();
  std::error_code error;
  return std::filesystem::exists(std::filesystem::symlink_status(path_ / name, error));
}

std::vector<std::string> ModelDirectory::names() const {
  std::error_code error;
  std::vector<std::string> names;
  if (in_memory_) {
    for (const auto& [name, content] : *in_memory_) names.push_back(name.substr(0, name.find('/')));
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }
  for (auto entry = std::filesystem::directory_iterator(path_, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
    names.push_back(entry->path().filename().string());
  if (error) throw IoError(fmt::format("{}: cannot read: {}", path_.string(), error.message()));
  std::sort(names.begin(), names.end());
  return names;
}

std::filesystem::path ModelDirectory::file(std::string_view name) const {
  if (in_memory_)
    throw DataError(fmt::format("{}: {} is not on disk", path_.string(), quote(name)));
  constexpr std::string_view kSeparators("/\0", 2);
  if (name.empty() || name == "." || name == ".." || name.find_first_of(kSeparators) != name.npos)
    throw DataError(fmt::format("{}: expected the name of a file in this directory, found {}",
                                path_.string(), quote(name)));
  std::filesystem::path path = path_ / name;
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  if (error) throw DataError(fmt::format("{}: cannot open: {}", path.string(), error.message()));
  const bool is_blob = target.parent_path() == blobs_of_snapshot(canonical_);
  if (!is_inside(target, canonical_) && !is_blob)
    throw DataError(
        fmt::format("{}: expected a file in this directory, found a link that leads "
                    "out of it; copy the directory with `cp -rL` first",
                    path.string()));
  return path;
}

std::shared_ptr<const InputFile> ModelDirectory::open(std::string_view name) const {
  if (in_memory_)
    return std::make_shared<const InputFile>(fmt::format("{}/{}", path_.string(), name),
                                             content(name));
  return std::make_shared<const InputFile>(file(name));
}

const std::string& ModelDirectory::content(std::string_view name) const {
  const auto found = in_memory_->find(name);
  if (found == in_memory_->end())
    throw DataError(fmt::format("{}: there is no file {}", path_.string(), quote(name)));
  return found->second;
}

std::string ModelDirectory::text(std::string_view name, std::uint64_t most) const {
  if (in_memory_) return content(name);
  const InputFile input(file(name));
  if (input.size() > most)
    throw DataError(
        fmt::format("{}: expected at most {} bytes, found {}", input.path(), most, input.size()));
  std::string text(static_cast<std::size_t>(input.size()), '\0');
  input.read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

ModelDirectory ModelDirectory::folder(std::string_view name) const {
  if (!in_memory_) return ModelDirectory(file(name));
  const std::string prefix = fmt::format("{}/", name);
  TextFiles inside;
  for (const auto& [path, content] : *in_memory_)
    if (path.starts_with(prefix)) inside[path.substr(prefix.size())] = content;
  return {path_.string() + "/" + std::string(name), std::move(inside)};
}

}  // namespace attend
