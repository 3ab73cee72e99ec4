#include "attend/ops/losses/sampled_cross_entropy.h"

#include <limits>

#include "attend/ops/check.h"
#include "attend/ops/losses/blockwise_loss.h"

namespace attend {

namespace {

constexpr std::string_view kSampledOp = "sampled_cross_entropy";

void check_ids(std::string_view what, std::span<const std::int32_t> ids, std::int64_t classes) {
  for (const std::int32_t id : ids) {
    if (id < 0 || id >= classes)
      throw ShapeError(
          fmt::format("[{}] expected {} 0..{}, got {}", kSampledOp, what, classes - 1, id));
  }
}

void check(const Variable& x, const Variable& weight, const ClassSample& sample, const Ids& targets,
           const CrossEntropyOptions& options) {
  detail::expect(x.shape().rank() == 2 && weight.shape().rank() == 2 && weight.dim(1) == x.dim(1),
                 kSampledOp, "x [N, D] and weight [V, D]", x.shape(), weight.shape());
  detail::expect_one_per_row(kSampledOp, "targets", x.shape(), targets->size());
  check_ids("targets", *targets, weight.dim(0));
  check_ids("classes", *sample.classes, weight.dim(0));
  if (sample.classes->size() != sample.offset.size())
    throw ShapeError(fmt::format("[{}] expected an offset for each of {} classes, got {}",
                                 kSampledOp, sample.classes->size(), sample.offset.size()));
  if (options.label_smoothing != 0.0f)
    throw ConfigError(fmt::format("[{}] expected no label smoothing, got {}", kSampledOp,
                                  options.label_smoothing));
}

// The columns of the logits: one per sampled class, and a last one for a row's own target if the
// sample contains it only by chance.
class SampledColumns {
 public:
  SampledColumns(const ClassSample& sample, std::int64_t classes)
      : own_(static_cast<std::int32_t>(sample.classes->size())) {
    column_.assign(static_cast<std::size_t>(classes), -1);
    for (std::int32_t c = 0; c < own_; ++c)
      column_[static_cast<std::size_t>((*sample.classes)[static_cast<std::size_t>(c)])] = c;
    for (const float offset : sample.offset) always_.push_back(offset == 0.0f);
  }

  // The column of a row's target, and the column that must not count for this row; -1: none.
  struct Place {
    std::int32_t wanted, hidden;
  };
  Place of(std::int32_t target) const {
    const std::int32_t column = column_[static_cast<std::size_t>(target)];
    if (column >= 0 && always_[static_cast<std::size_t>(column)]) return {column, own_};
    return {own_, column};
  }

 private:
  std::int32_t own_;
  std::vector<std::int32_t> column_;  // of each class; -1: none
  std::vector<bool> always_;          // of each column
};

}  // namespace

CrossEntropy sampled_cross_entropy(const Variable& x, const Variable& weight,
                                   const ClassSample& sample, const Ids& targets,
                                   const CrossEntropyOptions& options) {
  check(x, weight, sample, targets, options);
  const std::int64_t rows = x.dim(0), width = x.dim(1), sampled = std::ssize(*sample.classes);
  const float scale = detail::loss_scale(options.normalizer, rows);
  const bool recording = will_record({&x, &weight});

  const SampledColumns columns(sample, weight.dim(0));
  const Tensor class_weight = Tensor::empty({sampled, width}),
               target_weight = Tensor::empty({rows, width});
  backend()->gather_rows(weight.value(), sample.classes, class_weight);
  backend()->gather_rows(weight.value(), targets, target_weight);
  detail::BlockwiseProjection projection({Variable(class_weight, weight.requires_gradient()),
                                          Variable(Tensor::from(sample.offset, {sampled}))},
                                         options.precision, recording);
  const Tensor losses = Tensor::empty({rows});
  const Tensor dx = recording ? Tensor::empty(x.shape()) : Tensor(),
               dtarget = recording ? Tensor::empty(x.shape()) : Tensor();
  std::vector<std::int32_t> wanted, hidden;
  detail::for_logit_blocks(rows, sampled + 1, [&](const Tensor& logits, auto begin, auto end) {
    const Tensor shared = logits.slice_columns(0, sampled),
                 exact = logits.slice_columns(sampled, sampled + 1);
    const Tensor input = x.value().slice_rows(begin, end),
                 own = target_weight.slice_rows(begin, end);
    projection.forward(input, shared);
    backend()->dot_rows(input, own, exact);
    wanted.clear();
    hidden.clear();
    for (std::int64_t n = begin; n < end; ++n) {
      const SampledColumns::Place place = columns.of(targets[n]);
      wanted.push_back(place.wanted);
      hidden.push_back(place.hidden);
    }
    backend()->fill_columns(logits, hidden, -std::numeric_limits<float>::infinity());
    const Tensor part = losses.slice_rows(begin, end);
    backend()->cross_entropy(logits, wanted, 0.0f, recording ? scale : 0.0f, part, part);
    if (!recording) return;
    // With g = softmax - onehot over the columns:
    //   dx = g_shared W_S + g_own w[t],  dW_S = g_shared^T x,  dw[t] += g_own x
    projection.backward(shared, input, dx.slice_rows(begin, end));
    backend()->scale_rows(exact, own, 1.0f, dx.slice_rows(begin, end));
    backend()->scale_rows(exact, input, 0.0f, dtarget.slice_rows(begin, end));
  });
  return detail::RowLosses{losses, losses, scale}.recorded(
      {{x, dx}, {weight, projection.dweight(), sample.classes}, {weight, dtarget, targets}});
}

}  // namespace attend
