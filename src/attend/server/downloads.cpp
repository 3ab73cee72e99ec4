#include "attend/server/downloads.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <utility>
#include <vector>

#include "attend/core/files/atomic_file.h"
#include "attend/core/options/option_error.h"
#include "attend/error.h"

namespace attend {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kKept{10};
constexpr std::size_t kDigits = 32;

std::string random_name(std::string_view extension) {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}{}", random(), random(), random(), random(),
                     extension);
}

// As random_name() makes them: nothing that leads out of the folder.
bool is_name(std::string_view name) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  if (name.size() < kDigits || name.size() > kDigits + 8) return false;
  const std::string_view extension = name.substr(kDigits);
  return std::all_of(name.begin(), name.begin() + kDigits, is_digit) &&
         (extension.empty() || (extension.front() == '.' &&
                                std::all_of(extension.begin() + 1, extension.end(), is_letter)));
}

struct StoredFile {
  fs::path path;
  std::size_t bytes = 0;
  Downloads::Time written;
};

std::optional<StoredFile> stored_file(const fs::path& path) {
  struct stat state {};
  if (::stat(path.c_str(), &state) != 0 || !S_ISREG(state.st_mode)) return std::nullopt;
  const std::chrono::nanoseconds since =
      std::chrono::seconds(state.st_mtim.tv_sec) + std::chrono::nanoseconds(state.st_mtim.tv_nsec);
  return StoredFile{path, static_cast<std::size_t>(state.st_size), Downloads::Time(since)};
}

}  // namespace

Downloads::Downloads(std::filesystem::path folder, std::size_t most)
    : folder_(std::move(folder)), most_(most) {
  if (folder_.empty()) return;
  std::error_code failure;
  fs::create_directories(folder_, failure);
  if (::access(folder_.c_str(), W_OK | X_OK) != 0)
    throw OptionError<IoError>("{}: expected a folder that can be written, got {}",
                               as_flag("download-dir"), folder_.string());
}

std::string Downloads::add(std::string content, std::string_view extension, Time now) {
  std::string name = random_name(extension);
  const std::lock_guard lock(mutex_);
  if (!folder_.empty()) {
    drop_old_files(now);
    write_file_atomically(folder_ / name, content);
    return name;
  }
  drop_old(now);
  bytes_ += content.size();
  kept_.push_back({{name, std::move(content)}, now + kKept});
  for (; bytes_ > most_ && kept_.size() > 1; kept_.pop_front())
    bytes_ -= kept_.front().file.content.size();
  return name;
}

std::optional<Download> Downloads::find(std::string_view name, Time now) {
  if (!is_name(name)) return std::nullopt;
  if (!folder_.empty()) {
    const std::optional<StoredFile> file = stored_file(folder_ / name);
    if (!file || file->written + kKept <= now) return std::nullopt;
    std::ifstream in(file->path, std::ios::binary);
    Download found{std::string(name), {std::istreambuf_iterator<char>(in), {}}};
    return in.bad() || found.content.size() != file->bytes ? std::nullopt : std::optional(found);
  }
  const std::lock_guard lock(mutex_);
  drop_old(now);
  const auto found = std::find_if(kept_.begin(), kept_.end(),
                                  [&](const Kept& one) { return one.file.name == name; });
  return found == kept_.end() ? std::nullopt : std::optional(found->file);
}

void Downloads::drop_old(Time now) {
  for (; !kept_.empty() && kept_.front().until <= now; kept_.pop_front())
    bytes_ -= kept_.front().file.content.size();
}

void Downloads::drop_old_files(Time now) const {
  std::vector<StoredFile> files;
  std::error_code ignored;
  for (fs::directory_iterator entry(folder_, ignored), end; !ignored && entry != end;
       entry.increment(ignored))
    if (is_name(entry->path().filename().string()))
      if (auto file = stored_file(entry->path())) files.push_back(std::move(*file));
  std::sort(files.begin(), files.end(),
            [](const StoredFile& a, const StoredFile& b) { return a.written > b.written; });
  std::size_t bytes = 0;
  for (const StoredFile& file : files) {
    bytes += file.bytes;
    std::error_code failure;
    if (bytes > most_ || file.written + kKept <= now) fs::remove(file.path, failure);
  }
}

}  // namespace attend
