#include "attend/tasks/classification/teachers.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

namespace {

std::string described(const ClassificationModel& model) {
  return fmt::format("{} ({}{})",
                     enum_names(ProblemType{})[static_cast<std::size_t>(model.problem_type())],
                     printable(fmt::format("{}", fmt::join(model.labels, ", ")), 200),
                     model.pairs ? "; pairs of texts" : "");
}

// The places of `wanted` among `labels`; none unless these are the same labels.
std::vector<std::size_t> places_of(const std::vector<std::string>& wanted,
                                   const std::vector<std::string>& labels) {
  std::vector<std::size_t> places;
  for (const std::string& label : wanted) {
    const auto found = std::find(labels.begin(), labels.end(), label);
    if (found == labels.end()) return {};
    places.push_back(static_cast<std::size_t>(found - labels.begin()));
  }
  return labels.size() == wanted.size() ? places : std::vector<std::size_t>{};
}

}  // namespace

ClassificationTeachers::ClassificationTeachers(const Teachers& teachers) {
  for (const auto& teacher : teachers) {
    engines_.emplace_back(classification_model(*teacher));
    const ClassificationModel &first = engines_.front().model(), &model = engines_.back().model();
    // A number has one name, whatever it is.
    places_.push_back(problem() == ProblemType::regression ? std::vector<std::size_t>{0}
                                                           : places_of(first.labels, model.labels));
    if (model.problem_type() != problem() || model.pairs != first.pairs || places_.back().empty())
      throw DataError(fmt::format("{}: expected a classifier like {}, {}, found one of {}",
                                  model.source, first.source, described(first), described(model)));
  }
}

TaughtKind ClassificationTeachers::kind() const {
  return {std::string(enum_names(ProblemType{})[static_cast<std::size_t>(problem())]),
          engines_.front().labels()};
}

std::vector<float> ClassificationTeachers::answers(std::span<const std::string> texts,
                                                   const ClassificationOptions& options) const {
  const std::size_t width = places_.front().size();
  std::vector<double> sums(texts.size() * width, 0.0);
  for (std::size_t t = 0; t < engines_.size(); ++t) {
    const std::vector<Classification> answers = engines_[t].classify(texts, options);
    for (std::size_t i = 0; i < texts.size(); ++i)
      for (std::size_t c = 0; c < width; ++c)
        sums[i * width + c] += answers[i].probabilities.empty()
                                   ? answers[i].value
                                   : answers[i].probabilities[places_[t][c]];
  }
  std::vector<float> means(sums.size());
  std::transform(sums.begin(), sums.end(), means.begin(), [&](double sum) {
    return static_cast<float>(sum / static_cast<double>(engines_.size()));
  });
  return means;
}

}  // namespace attend
