// Models in memory, and the version of the library.
#include <utility>

#include "attend/api/c/call.h"
#include "attend/version.h"

namespace attend {
namespace {

std::unique_ptr<attend_model> model_of(BaseModel base) {
  std::string task(base.task());
  std::vector<std::string> labels;
  if (task == "classification") labels = base.classifier().labels();
  if (task == "tagging") labels = base.tagger().labels();
  return std::make_unique<attend_model>(
      attend_model{std::move(base), std::move(task), std::move(labels)});
}

}  // namespace
}  // namespace attend

using attend::made_by;
using attend::required;
using attend::required_text;

std::int32_t attend_abi_version(void) { return ATTEND_ABI_VERSION; }

const char* attend_version(void) {
  static const std::string text = attend::version();
  return text.c_str();
}

attend_model* attend_load(const char* path, attend_runtime* runtime,
                          attend_cancellation* cancellation, attend_error** error) {
  return made_by(error, cancellation, [&] {
    return attend::model_of(attend::BaseModel::load(
        required_text(path, "path"), runtime == nullptr ? nullptr : runtime->threads));
  });
}

attend_model* attend_model_with_adapter(const attend_model* model, const char* path,
                                        attend_cancellation* cancellation, attend_error** error) {
  return made_by(error, cancellation, [&] {
    return attend::model_of(
        required(model, "model").base.with_adapter(required_text(path, "path")));
  });
}

const char* attend_model_task(const attend_model* model) {
  return model == nullptr ? "" : model->task.c_str();
}

std::int64_t attend_model_label_count(const attend_model* model) {
  return model == nullptr ? 0 : std::ssize(model->labels);
}

const char* attend_model_label(const attend_model* model, std::int64_t label) {
  if (label < 0 || label >= attend_model_label_count(model)) return nullptr;
  return model->labels[static_cast<std::size_t>(label)].c_str();
}

void attend_model_free(attend_model* model) { delete model; }
