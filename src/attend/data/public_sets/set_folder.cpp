#include "attend/data/public_sets/set_folder.h"

#include <fmt/format.h>

#include <system_error>

#include "attend/core/options/option_error.h"
#include "attend/core/strings/counted.h"
#include "attend/error.h"

namespace attend {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScratch = ".scratch";

void make_folders(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw IoError(fmt::format("cannot make {}: {}", path.string(), error.message()));
}

// Several versions of a file may be published.
bool is_published(const WrittenFile& file, const std::string& sum,
                  std::span<const PublishedFile> published, bool any_version) {
  const PublishedFile* known = nullptr;
  for (const PublishedFile& one : published) {
    if (one.name != file.name) continue;
    if (one.lines == file.lines && (one.sha256.empty() || one.sha256 == sum))
      return !one.sha256.empty();
    known = &one;
  }
  if (known == nullptr || any_version) return false;
  const bool other_lines = known->lines != file.lines;
  throw OptionError<DataError>(
      "{}: expected {} as published, found {}; {} accepts another version", file.name,
      other_lines ? counted(known->lines, "line") : fmt::format("the checksum {}", known->sha256),
      other_lines ? readable_count(file.lines) : sum, as_flag("any-version"));
}

}  // namespace

SetFolder::SetFolder(const fs::path& path) : folder_(path) {}

SetFile& SetFolder::file(const std::string& name) {
  std::unique_ptr<SetFile>& file = files_[name];
  if (!file) {
    const fs::path path = folder_.temporary() / name;
    make_folders(path.parent_path());
    file = std::make_unique<SetFile>(path);
    order_.push_back(name);
  }
  return *file;
}

void SetFolder::end_files() {
  for (const auto& [name, file] : files_) file->commit();
}

fs::path SetFolder::scratch(const std::string& name) {
  make_folders(folder_.temporary() / kScratch);
  return folder_.temporary() / kScratch / name;
}

std::vector<WrittenFile> SetFolder::finish(std::span<const PublishedFile> published,
                                           bool any_version) {
  std::error_code ignored;
  fs::remove_all(folder_.temporary() / kScratch, ignored);
  end_files();
  std::vector<WrittenFile> written;
  for (const std::string& name : order_) {
    const SetFile& file = *files_.at(name);
    WrittenFile one{.name = name, .lines = file.count()};
    one.published = is_published(one, file.sha256(), published, any_version);
    written.push_back(std::move(one));
  }
  return written;
}

}  // namespace attend
