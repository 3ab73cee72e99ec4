#include "attend/data/public_sets/downloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "attend/core/files/sha256.h"
#include "attend/core/options/option_error.h"
#include "attend/error.h"

namespace attend {
namespace {

namespace fs = std::filesystem;

bool has_name_of(const fs::path& file, const SetDownload& download) {
  const std::string name = file.filename().string();
  return name == download.name || name == unpacked_name(download.name);
}

void add_files_of_folder(const fs::path& folder, const PublicSet& set,
                         std::vector<std::string>& files) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto is_it = [&](const SetDownload& one) { return has_name_of(entry->path(), one); };
    if (entry->is_regular_file(error) &&
        std::any_of(set.downloads.begin(), set.downloads.end(), is_it))
      found.push_back(entry->path().string());
  }
  if (error) throw IoError(fmt::format("cannot read {}: {}", folder.string(), error.message()));
  std::sort(found.begin(), found.end());
  files.insert(files.end(), found.begin(), found.end());
}

}  // namespace

std::string address_of(const SetDownload& download) {
  return fmt::format("{}{}", download.folder, download.name);
}

std::vector<std::string> files_of_set(std::span<const std::string> from, const PublicSet& set) {
  std::vector<std::string> files;
  for (const std::string& path : from) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    const std::size_t before = files.size();
    add_files_of_folder(path, set, files);
    if (files.size() == before)
      throw DataError(
          fmt::format("{}: the folder has no file with the name of a download of {}; name the "
                      "files, or see attend data {}",
                      path, set.name, set.name));
  }
  require_readable(files);
  return files;
}

std::vector<CheckedDownload> checked_downloads(std::span<const std::string> files,
                                               const PublicSet& set, bool any_version) {
  std::vector<CheckedDownload> checked;
  for (const std::string& file : files) {
    const std::string sum = sha256_of_file(file);
    bool known = false;
    std::string_view expected;
    for (const SetDownload& download : set.downloads) {
      known = known || sum == download.sha256;
      if (fs::path(file).filename().string() == download.name) expected = download.sha256;
    }
    if (!known && !expected.empty() && !any_version)
      throw OptionError<DataError>(
          "{}: expected the SHA-256 checksum {}, found {}: another version, or a damaged download; "
          "{} accepts it",
          file, expected, sum, as_flag("any-version"));
    checked.push_back({file, known});
  }
  return checked;
}

void visit_files(std::span<const std::string> downloads,
                 const std::function<void(ArchiveReader& file)>& use) {
  for (const std::string& path : downloads) {
    ArchiveReader archive(path);
    while (archive.next()) use(archive);
  }
}

std::string_view last_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

void refuse_missing_part(std::string_view set, std::string_view what) {
  throw DataError(
      fmt::format("the given files lack {}; attend data {} lists what to download", what, set));
}

}  // namespace attend
