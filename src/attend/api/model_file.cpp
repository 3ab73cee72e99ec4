#include "attend/model_file.h"

#include "attend/checkpoint/average.h"
#include "attend/checkpoint/checkpoint.h"
#include "attend/tasks/model_file/golden.h"
#include "attend/tasks/model_file/model_packing.h"
#include "attend/tasks/model_file/model_quantization.h"
#include "attend/tasks/model_file/model_settings.h"
#include "attend/tasks/model_file/registry.h"

namespace attend {

void set_model_settings(const std::filesystem::path& path, const Metadata& settings) {
  Checkpoint model = load_checkpoint(path);
  for (const auto& [key, value] : settings) change_setting(model, key, value);
  save_checkpoint(model_file_of(path), model.layout.empty() ? model : optimize_model(model));
}

std::optional<ModelCheck> check_model(const std::filesystem::path& path) {
  return read_checkpoint(path,
                         [](const Checkpoint& checkpoint) { return check_model(checkpoint); });
}

void average_models(std::span<const std::filesystem::path> checkpoints,
                    const std::filesystem::path& out) {
  Checkpoint mean = average_checkpoints(checkpoints);
  add_golden_samples(mean, *load_model(mean));
  save_checkpoint(out, mean);
}

void quantize_model(const std::filesystem::path& model, const std::filesystem::path& out,
                    int bits) {
  save_checkpoint(out, quantize_model(load_checkpoint(model), weight_bits_of(bits)));
}

void optimize_model(const std::filesystem::path& model, const std::filesystem::path& out) {
  save_checkpoint(out, optimize_model(load_checkpoint(model)));
}

}  // namespace attend
