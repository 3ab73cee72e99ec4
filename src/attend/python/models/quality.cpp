#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "attend/python/keywords.h"
#include "attend/python/module.h"
#include "attend/python/released.h"
#include "attend/quality.h"

namespace nb = nanobind;

namespace attend {

namespace {

using Texts = std::vector<std::string>;

QualityScorer quality_scorer(const std::filesystem::path& path, int threads) {
  const Released released;
  return QualityScorer::load(path, runtime_of(threads));
}

std::pair<std::vector<float>, double> scores_of_translations(const QualityScorer& scorer,
                                                             const Texts& translations,
                                                             const Texts& sources,
                                                             const Texts& references) {
  const Released released;
  QualityScores found = scorer.score(translations, {sources, references});
  return {std::move(found.scores), found.system_score};
}

}  // namespace

void add_quality(nb::module_& module) {
  nb::class_<QualityScorer>(module, "QualityScorer")
      .def(nb::new_(&quality_scorer), nb::arg("path"), nb::arg("threads"))
      .def("reads_source", &QualityScorer::reads_source)
      .def("reads_reference", &QualityScorer::reads_reference)
      .def("needs_reference", &QualityScorer::needs_reference)
      .def("score", scores_of_translations, nb::arg("translations"), nb::arg("sources"),
           nb::arg("references"));
}

}  // namespace attend
