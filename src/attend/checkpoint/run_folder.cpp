#include "attend/checkpoint/run_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "attend/core/options/option_error.h"
#include "attend/core/strings/counted.h"
#include "attend/error.h"

namespace attend {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kStem = "step-";
constexpr std::string_view kExtension = ".safetensors";

std::optional<std::int64_t> step_of(std::string_view name) {
  if (!name.starts_with(kStem) || !name.ends_with(kExtension) ||
      name.size() <= kStem.size() + kExtension.size())
    return std::nullopt;
  const std::string_view digits =
      name.substr(kStem.size(), name.size() - kStem.size() - kExtension.size());
  std::int64_t step = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), step);
  if (error != std::errc() || end != digits.data() + digits.size() || step < 0) return std::nullopt;
  return step;
}

void remove_file(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
  if (error)
    throw IoError(
        fmt::format("{}: cannot remove an old checkpoint: {}", path.string(), error.message()));
}

}  // namespace

fs::path RunFolder::checkpoint_file(std::int64_t step) const {
  return checkpoint_folder() / fmt::format("{}{:08}{}", kStem, step, kExtension);
}

void RunFolder::create() const {
  std::error_code error;
  fs::create_directories(checkpoint_folder(), error);
  if (error)
    throw IoError(fmt::format("{}: cannot create the folder: {}", checkpoint_folder().string(),
                              error.message()));
}

void RunFolder::require_writable() const {
  fs::path existing = fs::absolute(path_).lexically_normal();
  std::error_code error;
  while (!fs::exists(existing, error) && existing.has_relative_path())
    existing = existing.parent_path();
  if (!fs::is_directory(existing, error))
    throw IoError(fmt::format("{}: cannot create the folder: {} is not a folder", path_.string(),
                              existing.string()));
  if (access(existing.c_str(), W_OK | X_OK) != 0)
    throw IoError(fmt::format("{}: cannot create the folder: {} cannot be written to",
                              path_.string(), existing.string()));
}

void RunFolder::require_unused() const {
  if (const std::vector<Saved> saved = checkpoints(); !saved.empty())
    throw OptionError<ConfigError>(
        "{} holds a run of {}; resume it ({}), choose another folder, or remove {}", path_.string(),
        counted(saved.back().step, "step"), as_flag("resume"), checkpoint_folder().string());
}

std::vector<RunFolder::Saved> RunFolder::checkpoints() const {
  std::vector<Saved> found;
  std::error_code error;
  for (fs::directory_iterator entry(checkpoint_folder(), error), end; !error && entry != end;
       entry.increment(error)) {
    const auto step = step_of(entry->path().filename().native());
    std::error_code ignored;
    if (step && !fs::is_directory(entry->path(), ignored)) found.push_back({*step, entry->path()});
  }
  const bool missing = error == std::errc::no_such_file_or_directory;
  if (error && !missing)
    throw IoError(fmt::format("{}: cannot list the checkpoints: {}", checkpoint_folder().string(),
                              error.message()));
  std::sort(found.begin(), found.end(),
            [](const Saved& a, const Saved& b) { return a.step < b.step; });
  return found;
}

void RunFolder::save(std::int64_t step, const Checkpoint& checkpoint, int keep_last) const {
  save_checkpoint(checkpoint_file(step), checkpoint);
  if (keep_last < 1) return;
  std::vector<Saved> saved = checkpoints();
  std::erase_if(saved, [&](const Saved& s) { return s.step > step; });
  for (std::size_t i = 0; i + static_cast<std::size_t>(keep_last) < saved.size(); ++i)
    remove_file(saved[i].path);
}

void RunFolder::remove(std::int64_t step) const { remove_file(checkpoint_file(step)); }

fs::path RunFolder::set_aside(std::int64_t step) const {
  const fs::path from = checkpoint_file(step);
  const fs::path to = from.parent_path() / ("diverged-" + from.filename().string());
  std::error_code error;
  fs::rename(from, to, error);
  if (error) throw IoError(fmt::format("{}: cannot rename it: {}", from.string(), error.message()));
  return to;
}

std::optional<RunFolder::Latest> RunFolder::latest(std::vector<std::string>& skipped) const {
  const std::vector<Saved> saved = checkpoints();
  for (auto candidate = saved.rbegin(); candidate != saved.rend(); ++candidate) {
    try {
      Latest latest{candidate->step, open_checkpoint(candidate->path)};
      latest.checkpoint.require_intact();
      return latest;
    } catch (const Error& error) {
      skipped.emplace_back(error.what());
    }
  }
  if (!saved.empty())
    throw DataError(fmt::format(
        "{}: none of the {} checkpoints can be read; repair them, or move them away to start over; "
        "the newest: {}",
        checkpoint_folder().string(), saved.size(), skipped[skipped.size() - saved.size()]));
  return std::nullopt;
}

}  // namespace attend
