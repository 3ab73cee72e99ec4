#include "attend/cli/commands/page/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <system_error>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/core/files/code_folder.h"
#include "attend/core/files/input_file.h"
#include "attend/error.h"
#include "attend/tasks/classification/model.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/model_file/model_quantization.h"
#include "attend/tasks/model_file/model_reading.h"
#include "attend/tasks/model_file/model_settings.h"
#include "attend/tasks/translation/model.h"

namespace attend {
namespace {

constexpr const char *kScript = "attend.js", *kWasm = "attend.wasm";

// The folder, if there is one; else installed, or where `make wasm` writes beside the build of the
// program.
std::vector<std::filesystem::path> engine_places(const std::string& folder) {
  if (!folder.empty()) return {folder};
  const std::filesystem::path own = code_folder();
  return {(own / ATTEND_ENGINE_FOLDER).lexically_normal(),
          (own / "../wasm/page").lexically_normal()};
}

bool is_engine(const std::filesystem::path& folder) {
  std::error_code failure;
  return std::filesystem::exists(folder / kScript, failure) &&
         std::filesystem::exists(folder / kWasm, failure);
}

std::string bytes_in(const std::filesystem::path& path) {
  const InputFile file(path);
  std::string bytes(file.size(), '\0');
  file.read(0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

// As the model calls itself, or its file, or the folder of model.safetensors.
std::string name_of(const Checkpoint& model, const std::filesystem::path& path) {
  if (const auto own = model.metadata.find(kNameKey); own != model.metadata.end())
    return own->second;
  const std::filesystem::path file = std::filesystem::absolute(path).lexically_normal();
  return (file.filename() == "model.safetensors" ? file.parent_path().filename() : file.stem())
      .string();
}

void require_shown(const Checkpoint& model) {
  if (!is_for<TranslationModel>(model) && !is_for<LanguageModel>(model) &&
      !is_for<ClassificationModel>(model) && !is_for<EmbeddingModel>(model))
    refuse_task(model, "translation, classification, embedding or language modeling");
}

// A file that is there only to be read again.
class PassingFile {
 public:
  explicit PassingFile(std::filesystem::path path) : path_(std::move(path)) {}
  ~PassingFile() {
    std::error_code failure;
    std::filesystem::remove(path_, failure);
  }
  PassingFile(const PassingFile&) = delete;
  PassingFile& operator=(const PassingFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

bool has_page_engine(const std::string& folder) {
  const std::vector<std::filesystem::path> places = engine_places(folder);
  return std::any_of(places.begin(), places.end(), is_engine);
}

PageEngine page_engine(const std::string& folder) {
  const std::vector<std::filesystem::path> places = engine_places(folder);
  for (const std::filesystem::path& place : places)
    if (is_engine(place)) return {bytes_in(place / kScript), bytes_in(place / kWasm)};
  std::vector<std::string> names;
  for (const std::filesystem::path& place : places) names.push_back(place.string());
  throw ConfigError(
      fmt::format("there is no attend for browsers ({} and {}) in {}: `make wasm` makes both in "
                  "build/wasm/page "
                  "of the sources; name their folder with --engine",
                  kScript, kWasm, fmt::join(names, " or ")));
}

PageModel page_model(const std::filesystem::path& path, int bits,
                     const std::filesystem::path& beside) {
  const Checkpoint model = load_checkpoint(path);
  require_shown(model);
  PageModel page{name_of(model, path), {}, {}};
  if (bits >= weight_bits(model)) {
    page.file = bytes_in(model_file_of(path));
  } else {
    const PassingFile small(fmt::format("{}.model", beside.string()));
    save_checkpoint(small.path(), quantize_model(model, weight_bits_of(bits)));
    page.file = bytes_in(small.path());
  }
  return page;
}

}  // namespace attend
