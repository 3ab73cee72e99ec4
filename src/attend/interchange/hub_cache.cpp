#include "attend/interchange/hub_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include "attend/error.h"

namespace attend {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

// A part of a name has letters, digits and some marks, and begins and ends with none of these.
bool is_name_part(std::string_view part) {
  constexpr std::size_t kLongest = 96;
  constexpr std::string_view kMarks = ".-";
  return !part.empty() && part.size() <= kLongest &&
         part.find_first_not_of(kLetters) == part.npos &&
         kMarks.find(part.front()) == kMarks.npos && kMarks.find(part.back()) == kMarks.npos &&
         part.find("--") == part.npos && part.find("..") == part.npos;
}

// It becomes a path in the cache.
bool is_revision(std::string_view revision) {
  return !revision.empty() && revision.front() != '/' && revision.find("..") == revision.npos &&
         std::all_of(revision.begin(), revision.end(),
                     [](unsigned char letter) { return letter > 0x20 && letter != 0x7f; });
}

// What a variable says, with the home folder for a leading "~"; empty: nothing.
fs::path folder_in_variable(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr || *value == '\0') return {};
  const std::string_view text = value;
  const char* const home = std::getenv("HOME");
  if (home == nullptr || (text != "~" && !text.starts_with("~/"))) return text;
  return fs::path(home) / text.substr(std::min<std::size_t>(text.size(), 2));
}

fs::path folder_of(const HubModel& model) {
  std::string folder = "models--" + model.name;
  if (const std::size_t slash = folder.find('/'); slash != folder.npos)
    folder.replace(slash, 1, "--");
  return hub_cache_folder() / folder;
}

// The commit that the cache knows a branch or tag by; the revision itself if it knows none.
std::string commit_of(const fs::path& folder, const std::string& revision) {
  std::ifstream file(folder / "refs" / revision);
  std::string commit;
  return file && std::getline(file, commit) && is_name_part(commit) ? commit : revision;
}

// Empty: there is none.
fs::path snapshot_of(const HubModel& model) {
  const fs::path folder = folder_of(model);
  fs::path snapshot = folder / "snapshots" / commit_of(folder, model.revision);
  std::error_code ignored;
  return fs::is_directory(snapshot, ignored) ? snapshot : "";
}

// Weights are in the directory itself, or checkpoints in a folder of that name, as of COMET.
bool has_weights(const fs::path& directory) {
  std::error_code failure;
  for (auto entry = fs::directory_iterator(directory, failure);
       !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
    const fs::path extension = entry->path().extension();
    for (const char* known : {".safetensors", ".bin", ".npz", ".ckpt"})
      if (extension == known && fs::exists(entry->path())) return true;
  }
  constexpr const char* kCheckpoints = "checkpoints";
  return directory.filename() != kCheckpoints && fs::is_directory(directory / kCheckpoints) &&
         has_weights(directory / kCheckpoints);
}

}  // namespace

std::optional<HubModel> parse_hub_model(std::string_view text) {
  HubModel model;
  if (const std::size_t at = text.find('@'); at != text.npos) {
    model.revision = text.substr(at + 1);
    text = text.substr(0, at);
  }
  const std::size_t slash = text.find('/');
  const bool has_org = slash != text.npos;
  const bool is_name =
      has_org ? is_name_part(text.substr(0, slash)) && is_name_part(text.substr(slash + 1))
              : is_name_part(text);
  if (!is_name || !is_revision(model.revision)) return std::nullopt;
  model.name = text;
  return model;
}

fs::path hub_cache_folder() {
  for (const char* variable : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"})
    if (fs::path folder = folder_in_variable(variable); !folder.empty()) return folder;
  if (const fs::path home = folder_in_variable("HF_HOME"); !home.empty()) return home / "hub";
  fs::path caches = folder_in_variable("XDG_CACHE_HOME");
  if (caches.empty()) caches = folder_in_variable("HOME") / ".cache";
  return caches / "huggingface" / "hub";
}

std::string download_command(const HubModel& model) {
  constexpr const char* kDashes = "--";  // an option of that program
  if (model.revision == "main") return "hf download " + model.name;
  return fmt::format("hf download {} {}revision {}", model.name, kDashes, model.revision);
}

fs::path find_in_hub_cache(const HubModel& model) {
  const fs::path folder = folder_of(model);
  const fs::path snapshot = folder / "snapshots" / commit_of(folder, model.revision);
  std::error_code ignored;
  if (!fs::is_directory(snapshot, ignored)) return {};
  if (!has_weights(snapshot))
    throw DataError(
        fmt::format("{}: expected a whole model, found none of its weights; `{}` "
                    "downloads them",
                    snapshot.string(), download_command(model)));
  return snapshot;
}

fs::path find_file_in_hub_cache(const HubModel& model, std::string_view name) {
  const fs::path snapshot = snapshot_of(model);
  std::error_code ignored;
  return !snapshot.empty() && fs::exists(snapshot / name, ignored) ? snapshot : fs::path();
}

namespace {

std::optional<HubModel> hub_model_at(const fs::path& path) {
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(path, ignored))) return std::nullopt;
  return parse_hub_model(path.string());
}

// Others are rather the names of files that are not there.
bool is_surely_of_hub(const HubModel& model) {
  return model.name.find('/') != std::string::npos && !model.name.ends_with(".safetensors");
}

}  // namespace

std::optional<HubModel> missing_hub_model(const fs::path& path) {
  std::optional<HubModel> model = hub_model_at(path);
  if (!model || !is_surely_of_hub(*model)) return std::nullopt;
  const fs::path snapshot = snapshot_of(*model);
  return snapshot.empty() || !has_weights(snapshot) ? model : std::nullopt;
}

fs::path local_path(const fs::path& path) {
  const std::optional<HubModel> model = hub_model_at(path);
  if (!model) return path;
  if (fs::path found = find_in_hub_cache(*model); !found.empty()) return found;
  if (!is_surely_of_hub(*model)) return path;
  throw IoError(
      fmt::format("{}: no such file or folder, and no model of the Hugging Face Hub in "
                  "{}; `{}` downloads it",
                  path.string(), hub_cache_folder().string(), download_command(*model)));
}

}  // namespace attend
