// The folder of a training run, and the rotation of its checkpoints.
//
//   RUN/model.safetensors                      the model to use
//   RUN/checkpoints/step-00001000.safetensors  everything needed to resume from that step
//   RUN/config.toml, RUN/log.jsonl             the resolved configuration, and the trainer's log
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "attend/checkpoint/checkpoint.h"

namespace attend {

class RunFolder {
 public:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path model_file() const { return path_ / "model.safetensors"; }
  std::filesystem::path config_file() const { return path_ / "config.toml"; }
  std::filesystem::path log_file() const { return path_ / "log.jsonl"; }
  std::filesystem::path checkpoint_folder() const { return path_ / "checkpoints"; }
  std::filesystem::path checkpoint_file(std::int64_t step) const;

  // Creates the folder, its parents and checkpoints/ if missing. Throws IoError.
  void create() const;

  // Throws IoError where create() would fail: a file is in the way, or the nearest existing parent
  // is not writable. Creates nothing.
  void require_writable() const;

  // For a new run: throws ConfigError if there are checkpoints already.
  void require_unused() const;

  struct Saved {
    std::int64_t step = 0;
    std::filesystem::path path;
  };
  // Checkpoints by ascending step; ignores other files. Empty if the folder does not exist.
  std::vector<Saved> checkpoints() const;

  // Saves atomically, then removes all but the `keep_last` newest of the checkpoints up to this
  // step. keep_last < 1 keeps all.
  void save(std::int64_t step, const Checkpoint& checkpoint, int keep_last) const;
  // Removes the checkpoint of a step, if it exists. Throws IoError.
  void remove(std::int64_t step) const;
  // Renames the checkpoint of a step so that it no longer belongs to the run, and returns the new
  // path. Throws IoError.
  std::filesystem::path set_aside(std::int64_t step) const;

  struct Latest {
    std::int64_t step = 0;
    Checkpoint checkpoint;
  };
  // The newest intact checkpoint, of open_checkpoint(); nullopt if there is none. Skips newer ones
  // that cannot be loaded and appends the reasons, error messages that begin with the path, to
  // `skipped`. Throws DataError if there are checkpoints but none can be loaded, so that a run is
  // not restarted over its remains.
  std::optional<Latest> latest(std::vector<std::string>& skipped) const;

 private:
  std::filesystem::path path_;
};

}  // namespace attend
