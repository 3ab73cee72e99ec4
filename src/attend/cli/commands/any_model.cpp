#include "attend/cli/commands/any_model.h"

#include "attend/interchange/foreign_model.h"

namespace attend {

Checkpoint load_any_model(const std::filesystem::path& path) {
  if (std::filesystem::exists(path / "config.json"))
    return import_model(ModelDirectory(path)).checkpoint;
  return load_checkpoint(path);
}

}  // namespace attend
