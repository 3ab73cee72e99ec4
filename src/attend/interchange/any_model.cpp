#include "attend/interchange/any_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include "attend/checkpoint/run_folder.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/families/checkpoints/checkpoint_model.h"
#include "attend/interchange/families/checkpoints/comet.h"
#include "attend/interchange/families/gguf/gguf_model.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/hub_cache.h"
#include "attend/interchange/peft.h"
#include "attend/tasks/model_file/adapter.h"
#include "attend/tasks/training/changed_options.h"

namespace attend {

namespace fs = std::filesystem;

namespace {

// What an adapter says of its base; empty: nothing.
std::optional<std::string> named_base(const fs::path& path) {
  if (is_peft_directory(path)) return base_of_peft(ModelDirectory(path));
  if (is_foreign_model(path)) return std::nullopt;
  const fs::path file = model_file_of(path);
  if (!is_adapter(open_checkpoint(file))) return std::nullopt;
  return initial_model_of(RunFolder(file.parent_path()).config_file());
}

}  // namespace

namespace {

// "model.deen.intgemm.alphas.bin", perhaps packed by gzip.
bool is_firefox_model(std::string_view name) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return name.starts_with("model.") && name.ends_with(".bin");
}

}  // namespace

bool is_foreign_model(const fs::path& path) {
  if (is_gguf(path) || path.extension() == ".argosmodel" || is_checkpoint_file(path) ||
      is_lightning_file(path) || path.extension() == ".onnx")
    return true;
  std::error_code ignored;  // what cannot be looked at is none
  if (!fs::is_directory(path, ignored)) return false;
  if (fs::exists(path / "model" / "model.bin", ignored)) return true;
  const std::vector<std::string> names = ModelDirectory(path).names();
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name == "config.json" || name == kCometSettings || name == "model.bin" ||
           name.ends_with("decoder.yml") || name.ends_with(".pt") || name.ends_with(".onnx") ||
           name == kSockeyeWeights || is_firefox_model(name);
  });
}

std::optional<fs::path> base_of_adapter(const fs::path& path) {
  const std::optional<std::string> base = named_base(path);
  if (!base) return std::nullopt;
  const fs::path place = local_path(*base);
  if (base->empty() || !fs::exists(place) || is_peft_directory(place))
    throw DataError(
        fmt::format("{}: expected an adapter that names the path of its base model, got {}; "
                    "`attend merge`, or attend.merge in Python, joins the two",
                    path.string(), base->empty() ? "none" : quote(*base)));
  return place;
}

Checkpoint load_any_model(const fs::path& named) {
  const fs::path path = local_path(named);
  if (is_peft_directory(path)) {
    const Checkpoint model = load_any_model(*base_of_adapter(path));
    return merge_adapter(model, load_any_adapter(path, model));
  }
  return is_foreign_model(path) ? import_model(path).checkpoint : load_checkpoint(path);
}

Checkpoint load_any_adapter(const fs::path& path, const Checkpoint& base) {
  if (is_peft_directory(path)) return read_peft_adapter(ModelDirectory(path), base);
  return load_checkpoint(path);
}

}  // namespace attend
