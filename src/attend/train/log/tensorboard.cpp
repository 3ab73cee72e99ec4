#include "attend/train/log/tensorboard.h"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "attend/core/options/option_fields.h"
#include "attend/error.h"

namespace attend {
namespace {

double system_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Scalar scalar(std::string tag, double value) { return {std::move(tag), static_cast<float>(value)}; }

}  // namespace

TensorBoard::TensorBoard(std::filesystem::path folder, TensorBoardOptions options)
    : folder_(std::move(folder)), options_(std::move(options)) {
  check_options(options_);
  if (!options_.now) options_.now = system_seconds;
}

void TensorBoard::on_start(const TrainingStart& start) {
  const double now = options_.now();
  file_.emplace(folder_, now);
  file_->write(encode_version_event(now));
  if (start.resumed_step > 0) file_->write(encode_session_start_event(now, start.resumed_step + 1));
}

void TensorBoard::on_step(const StepEvent& e) {
  if (!file_ || e.step % options_.every != 0) return;
  const Scalar scalars[] = {scalar("train/loss", e.loss),
                            scalar("train/perplexity", perplexity(e.nll)),
                            scalar("train/learning_rate", e.learning_rate),
                            scalar("train/gradient_norm", e.gradient_norm),
                            scalar("train/tokens_per_second", e.tokens_per_second)};
  file_->write(encode_scalars_event(options_.now(), e.step, scalars));
}

void TensorBoard::on_validation(const ValidationEvent& e) {
  if (!file_ || e.averaged > 0) return;  // a second point at the same step would break the curve
  std::vector<Scalar> scalars = {scalar("valid/loss", e.loss),
                                 scalar("valid/perplexity", perplexity(e.nll))};
  for (const auto& [name, value] : e.metrics) scalars.push_back(scalar("valid/" + name, value));
  file_->write(encode_scalars_event(options_.now(), e.step, scalars));
}

void TensorBoard::on_end(const EndEvent&) { file_.reset(); }

}  // namespace attend
