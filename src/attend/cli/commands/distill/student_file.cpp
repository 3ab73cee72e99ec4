#include "attend/cli/commands/distill/student_file.h"

#include <fmt/format.h>

#include "attend/checkpoint/run_folder.h"
#include "attend/cli/output.h"
#include "attend/error.h"
#include "attend/tasks/model_file/model_quantization.h"
#include "attend/train/readable.h"

namespace attend {

void validate(const StudentFileOptions& o) {
  if (o.bits != 0 && o.bits != 4 && o.bits != 8 && o.bits != 16)
    throw ConfigError(fmt::format("--bits: expected 4, 8 or 16, or 0 for no file, got {}", o.bits));
}

void write_student_file(const std::filesystem::path& run, const StudentFileOptions& options,
                        const Lesson& lesson, const SettledOptions& student) {
  const std::filesystem::path file = run / fmt::format("model-{}bit.safetensors", options.bits);
  const Checkpoint model = load_checkpoint(RunFolder(run).model_file().string());
  save_checkpoint(file.string(),
                  quantize_model(lesson.for_use(model, student), weight_bits_of(options.bits)));
  remark("{}: the student in {} bits, {} bytes\n", shown_path(file.string()), options.bits,
         readable_count(static_cast<std::int64_t>(std::filesystem::file_size(file))));
}

}  // namespace attend
