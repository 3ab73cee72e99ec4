#include "attend/interchange/import_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "attend/core/files/sha256.h"
#include "attend/core/version.h"
#include "attend/error.h"
#include "attend/interchange/any_model.h"
#include "attend/interchange/families/checkpoints/checkpoint_model.h"
#include "attend/interchange/families/checkpoints/comet.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/formats/gguf/gguf_parts.h"
#include "attend/interchange/hub_cache.h"
#include "attend/tasks/model_file/adapter.h"

namespace attend {

namespace fs = std::filesystem;

namespace {

std::string digest_of(std::string_view text) {
  constexpr std::size_t kDigits = 16;
  Sha256 sum;
  sum.add(text);
  return sum.hex().substr(0, kDigits);
}

// The last folder of a path; of a snapshot in the cache of Hugging Face, that of the model.
std::string readable_name(const fs::path& path) {
  const fs::path parent = path.parent_path();
  const bool is_snapshot = parent.filename() == "snapshots";
  return (is_snapshot ? parent.parent_path() : path).filename().string();
}

// The name of a model in the cache: a readable one, which no other path has.
std::string name_in_cache(const fs::path& path) {
  constexpr std::string_view kKept =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  constexpr std::size_t kLongest = 60;
  std::string readable;
  for (const char letter : readable_name(path)) {
    const bool is_kept = kKept.find(letter) != kKept.npos;
    if (is_kept || !readable.ends_with('_')) readable += is_kept ? letter : '_';
  }
  readable.resize(std::min(readable.size(), kLongest));
  const std::size_t first = readable.find_first_not_of('.');
  readable = first == readable.npos ? "model" : readable.substr(first);
  return fmt::format("{}-{}", readable, digest_of(path.string()));
}

// What differs after a file was written, replaced, renamed or removed. The time of the last change
// says so even if the others were set back, and the number if another file was put in its place.
std::string state_of_file(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return path.string() + " missing";
  return fmt::format("{} {} {}.{:09} {}.{:09} {}", path.string(), status.st_size,
                     status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
                     status.st_ctim.tv_nsec, status.st_ino);
}

using SeenFolders = std::set<std::pair<dev_t, ino_t>>;

// Adds the states of all files below a folder but hidden ones, which are no part of a model. A link
// counts as what it leads to.
void add_states(const fs::path& folder, SeenFolders& seen, std::vector<std::string>& states) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) return;
  if (!seen.emplace(status.st_dev, status.st_ino).second) return;
  std::error_code failure;
  for (auto entry = fs::directory_iterator(folder, failure);
       !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
    const fs::path& path = entry->path();
    if (path.filename().string().starts_with('.')) continue;
    std::error_code ignored;
    if (fs::is_directory(path, ignored))
      add_states(path, seen, states);
    else
      states.push_back(state_of_file(path));
  }
}

std::string state_of(const std::vector<fs::path>& sources) {
  std::string all(kVersion);
  for (const fs::path& source : sources) {
    std::vector<std::string> states;
    SeenFolders seen;
    if (fs::is_directory(source))
      add_states(source, seen, states);
    else
      states.push_back(state_of_file(source));
    std::sort(states.begin(), states.end());
    for (const std::string& state : states) all += "\n" + state;
  }
  return digest_of(all);
}

// Processes that want the same import wait for the first.
class ImportLock {
 public:
  ImportLock(const fs::path& folder, const std::string& name) {
    std::error_code error;
    const bool is_new = fs::create_directories(folder, error);
    if (!error) {
      if (is_new) fs::permissions(folder, fs::perms::owner_all, error);
      file_ = ::open((folder / (name + ".lock")).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    }
    if (file_ < 0)
      throw IoError(
          fmt::format("{}: expected a folder that can be written, for imported models: {}; the "
                      "variable ATTEND_CACHE names another",
                      folder.string(), error ? error.message() : std::strerror(errno)));
    while (::flock(file_, LOCK_EX) != 0 && errno == EINTR) {  // a file system may have no locks
    }
  }
  ~ImportLock() { ::close(file_); }
  ImportLock(const ImportLock&) = delete;
  ImportLock& operator=(const ImportLock&) = delete;

 private:
  int file_ = -1;
};

// Removes earlier imports of the same path. Whoever has one open still has it.
void remove_others(const fs::path& folder, const std::string& name, const fs::path& kept) {
  std::error_code failure;
  for (auto entry = fs::directory_iterator(folder, failure);
       !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
    const std::string other = entry->path().filename().string();
    const bool is_own = other.starts_with(name + "-") && other.ends_with(".safetensors");
    std::error_code ignored;
    if (is_own && entry->path() != kept) fs::remove(entry->path(), ignored);
  }
}

// The absolute path of what is imported: of the folder of a run, which holds more, the model.
fs::path source_at(const fs::path& path) {
  const fs::path model = is_foreign_model(path) ? path : model_file_of(path);
  const fs::path absolute = fs::absolute(model).lexically_normal();
  return absolute.has_filename() ? absolute : absolute.parent_path();  // without a last slash
}

std::vector<std::string> write_import(const fs::path& path, const std::optional<fs::path>& base,
                                      const fs::path& file) {
  if (!base) {
    ImportedModel imported = import_model(path, {.dequantize = false});
    save_checkpoint(file, imported.checkpoint);
    return std::move(imported.remarks);
  }
  const Checkpoint model = load_any_model(*base);
  save_checkpoint(file, merge_adapter(model, load_any_adapter(path, model)));
  return {};
}

UsableModel import_of(const fs::path& path, const std::optional<fs::path>& base,
                      const std::function<void()>& before_import) {
  std::vector<fs::path> sources = gguf_parts(source_at(path));
  if (is_checkpoint_file(sources.front())) sources.push_back(sources.front().parent_path());
  if (is_lightning_file(sources.front()))
    sources.push_back(sources.front().parent_path().parent_path());
  if (base) sources.push_back(source_at(*base));
  const fs::path folder = import_cache_folder();
  const std::string name = name_in_cache(sources.front());
  constexpr int kTries = 3;
  for (int tries = 0; tries < kTries; ++tries) {
    const std::string state = state_of(sources);
    UsableModel usable{folder / fmt::format("{}-{}.safetensors", name, state)};
    if (fs::exists(usable.path)) return usable;
    const ImportLock lock(folder, name);
    if (!fs::exists(usable.path)) {
      if (before_import) before_import();
      usable.remarks = write_import(path, base, usable.path);
    }
    if (state_of(sources) == state) {
      remove_others(folder, name, usable.path);
      return usable;
    }
    fs::remove(usable.path);  // of some files before a change and some after it
  }
  throw DataError(fmt::format("{}: expected files that stay as they are, got changes; try again",
                              path.string()));
}

}  // namespace

fs::path import_cache_folder() {
  const auto variable = [](const char* name) -> fs::path {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (const fs::path named = variable("ATTEND_CACHE"); !named.empty()) return fs::absolute(named);
  fs::path caches = variable("XDG_CACHE_HOME");
  if (!caches.is_absolute()) caches = variable("HOME") / ".cache";  // as the specification says
  return caches / "attend";
}

UsableModel usable_model(const fs::path& given, const std::function<void()>& before_import) {
  const fs::path path = local_path(given);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return {path};  // loading it says why
  const std::optional<fs::path> base = base_of_adapter(path);
  return base || is_foreign_model(path) ? import_of(path, base, before_import) : UsableModel{path};
}

}  // namespace attend
