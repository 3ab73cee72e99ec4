#include "attend/cli/commands/any_model.h"

#include <fmt/format.h>

#include <string>

#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/peft.h"
#include "attend/tasks/model_file/adapter.h"

namespace attend {

namespace {

Checkpoint joined_with_its_base(const std::filesystem::path& path) {
  const std::string base = base_of_peft(ModelDirectory(path));
  if (base.empty() || !std::filesystem::exists(base) || is_peft_directory(base))
    throw DataError(
        fmt::format("{}: expected an adapter that names the path of its base model, got {}; attend "
                    "merge BASE ADAPTER merges the two",
                    path.string(), quote(base)));
  const Checkpoint model = load_any_model(base);
  return merge_adapter(model, load_any_adapter(path, model));
}

}  // namespace

Checkpoint load_any_model(const std::filesystem::path& path) {
  if (is_peft_directory(path)) return joined_with_its_base(path);
  if (path.extension() == ".argosmodel" || path.extension() == ".gguf" ||
      std::filesystem::exists(path / "config.json"))
    return import_model(path).checkpoint;
  return load_checkpoint(path);
}

Checkpoint load_any_adapter(const std::filesystem::path& path, const Checkpoint& base) {
  if (is_peft_directory(path)) return read_peft_adapter(ModelDirectory(path), base);
  return load_checkpoint(path);
}

}  // namespace attend
