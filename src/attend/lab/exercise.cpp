#include "attend/lab/exercise.h"

#include <algorithm>

namespace attend::lab {

namespace {

std::vector<bool> right_answers(const SequenceModel& model, const Exercise& exercise) {
  const NoGradient guard;
  Pass pass = Pass::inference();
  const Tensor logits = model.logits(exercise, pass).value().to_host();
  std::vector<bool> right;
  for (std::int64_t i = 0; i < logits.dim(0); ++i) {
    const float* row = logits.row(i);
    const auto best = std::max_element(row, row + logits.cols()) - row;
    right.push_back(best == (*exercise.targets)[static_cast<std::size_t>(i)]);
  }
  return right;
}

}  // namespace

void ExerciseBuilder::add_sequence(std::span<const std::int32_t> ids) {
  last_begin_ = static_cast<std::int32_t>(text_.tokens());
  text_.add(ids);
}

void ExerciseBuilder::ask(std::int64_t position, std::int32_t target) {
  rows_.push_back(last_begin_ + static_cast<std::int32_t>(position));
  targets_.push_back(target);
}

Exercise ExerciseBuilder::build() { return {text_.build(), rows_, targets_}; }

std::vector<std::int32_t> random_symbols(Random& random, std::int64_t count, std::int32_t symbols) {
  std::vector<std::int32_t> ids;
  for (std::int64_t i = 0; i < count; ++i)
    ids.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(symbols))));
  return ids;
}

Variable random_normal(Random& random, std::int64_t rows, std::int64_t cols) {
  std::vector<float> values(static_cast<std::size_t>(rows * cols));
  for (float& value : values) value = random.normal();
  return Variable(Tensor::from(values, {rows, cols}));
}

Exercise recall_first(Random& random, std::int64_t batch, std::int64_t n, std::int32_t symbols) {
  ExerciseBuilder builder;
  for (std::int64_t b = 0; b < batch; ++b) {
    const auto ids = random_symbols(random, n + 1, symbols);
    builder.add_sequence(ids);
    builder.ask(n, ids.front());
  }
  return builder.build();
}

Exercise recall_back(Random& random, std::int64_t batch, std::int64_t length, std::int64_t back,
                     std::int32_t symbols) {
  ExerciseBuilder builder;
  for (std::int64_t b = 0; b < batch; ++b) {
    const auto ids = random_symbols(random, length, symbols);
    builder.add_sequence(ids);
    for (std::int64_t i = back; i < length; ++i)
      builder.ask(i, ids[static_cast<std::size_t>(i - back)]);
  }
  return builder.build();
}

double accuracy(const SequenceModel& model, const Exercise& exercise) {
  const std::vector<bool> right = right_answers(model, exercise);
  return static_cast<double>(std::count(right.begin(), right.end(), true)) /
         static_cast<double>(right.size());
}

std::vector<double> accuracy_by_position(const SequenceModel& model, const Exercise& exercise) {
  const std::vector<bool> right = right_answers(model, exercise);
  std::vector<double> rights, asked;
  for (std::size_t i = 0; i < right.size(); ++i) {
    const std::int32_t row = (*exercise.rows)[i];
    const auto& offsets = *exercise.text.offsets;
    const auto position = static_cast<std::size_t>(
        row - *(std::upper_bound(offsets.begin(), offsets.end(), row) - 1));
    rights.resize(std::max(rights.size(), position + 1));
    asked.resize(rights.size());
    rights[position] += right[i] ? 1 : 0;
    asked[position] += 1;
  }
  for (std::size_t p = 0; p < rights.size(); ++p) rights[p] /= std::max(asked[p], 1.0);
  return rights;
}

}  // namespace attend::lab
