#include "attend/metrics.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "attend/core/json/json_text.h"
#include "attend/error.h"
#include "attend/metrics/report.h"
#include "attend/python/keywords.h"
#include "attend/python/module.h"
#include "attend/python/released.h"
#include "attend/python/values.h"
#include "attend/tasks/translation/breakdown/breakdown_json.h"

namespace nb = nanobind;

namespace attend {

namespace {

using Lines = std::vector<std::string>;

template <class Options>
Options metric_options(const nb::dict& keywords) {
  Options options;
  set_keywords(option_fields(options), keywords);
  return options;
}

struct Bleu {
  BleuScore score;
  std::string signature;
};

Bleu bleu(const Lines& hypotheses, const References& references, const nb::dict& keywords) {
  const auto options = metric_options<BleuOptions>(keywords);
  const Released released;
  return {corpus_bleu(hypotheses, references, options), bleu_signature(options, references.size())};
}

using BleuState = std::tuple<double, std::vector<double>, double, std::int64_t, std::int64_t,
                             std::vector<std::int64_t>, std::vector<std::int64_t>, std::string>;

BleuState state_of_bleu(const Bleu& bleu) {
  const BleuScore& s = bleu.score;
  return {s.score,  s.precisions, s.brevity_penalty, s.hypothesis_length, s.reference_length,
          s.counts, s.totals,     bleu.signature};
}

Bleu bleu_of(const BleuState& state) {
  Bleu bleu;
  BleuScore& s = bleu.score;
  std::tie(s.score, s.precisions, s.brevity_penalty, s.hypothesis_length, s.reference_length,
           s.counts, s.totals, bleu.signature) = state;
  return bleu;
}

enum class OneNumber { chrf, ter };  // metrics that give nothing else

template <OneNumber>
struct CorpusScore {
  double score;
  std::string name, signature;
};
using Chrf = CorpusScore<OneNumber::chrf>;
using Ter = CorpusScore<OneNumber::ter>;

Chrf chrf(const Lines& hypotheses, const References& references, const nb::dict& keywords) {
  const auto options = metric_options<ChrfOptions>(keywords);
  const Released released;
  return {corpus_chrf(hypotheses, references, options), chrf_name(options),
          chrf_signature(options, references.size())};
}

Ter ter(const Lines& hypotheses, const References& references, const nb::dict& keywords) {
  const auto options = metric_options<TerOptions>(keywords);
  const Released released;
  return {corpus_ter(hypotheses, references, options), "TER",
          ter_signature(options, references.size())};
}

template <class Score>
void add_score(nb::module_& module, const char* name, const char* about, const char* range) {
  nb::class_<Score> one(module, name, about);
  one.def_ro("score", &Score::score, range)
      .def_ro("signature", &Score::signature)
      .def("__float__", [](const Score& s) { return s.score; })
      .def("__repr__", [](const Score& s) {
        return fmt::format("{}|{} = {:.2f}", s.name, s.signature, s.score);
      });
  add_value_members(one, &Score::score, &Score::name, &Score::signature);
}

// The lines of `attend evaluate`, with intervals or beside a baseline.
std::string report(const Systems& systems, const References& references,
                   const std::optional<Lines>& baseline, const nb::dict& keywords) {
  const auto options = metric_options<EvaluationOptions>(keywords);
  const Released released;
  if (!baseline && systems.size() != 1)
    throw ConfigError("several systems are compared with a baseline, got none");
  return format_report(baseline ? compare(*baseline, systems, references, options)
                                : evaluate(systems.front(), references, options));
}

// As JSON.
std::string breakdown(const Lines& sources, const Lines& hypotheses, const References& references,
                      const std::optional<Lines>& training_text, const std::string& src_lang,
                      const std::string& tgt_lang) {
  const Released released;
  BreakdownOptions options{{}, {src_lang, tgt_lang}, nullptr};
  if (training_text) {
    const auto words = std::make_shared<WordFrequencies>();
    for (const std::string& line : *training_text) words->add(line);
    options.training_words = words;
  }
  return json_text(to_json(break_down(sources, hypotheses, references, options)));
}

double calibration_error(const std::vector<double>& probabilities, const std::vector<bool>& right,
                         int bins) {
  if (probabilities.size() != right.size())
    throw ConfigError(fmt::format("expected as many answers as probabilities, got {} and {}",
                                  right.size(), probabilities.size()));
  Reliability reliability(bins);
  for (std::size_t i = 0; i < right.size(); ++i) reliability.add(probabilities[i], right[i]);
  return reliability.expected_error();
}

// The labels and, by gold label, how often each was predicted.
using MatrixState = std::tuple<Lines, std::vector<std::int64_t>>;

MatrixState state_of_matrix(const ConfusionMatrix& matrix) {
  std::vector<std::int64_t> counts;
  for (std::int64_t gold = 0; gold < matrix.classes(); ++gold)
    for (std::int64_t predicted = 0; predicted < matrix.classes(); ++predicted)
      counts.push_back(matrix.count(gold, predicted));
  return {matrix.class_names(), counts};
}

ConfusionMatrix matrix_of(const MatrixState& state) {
  const auto& [labels, counts] = state;
  ConfusionMatrix matrix(labels);
  const std::int64_t classes = matrix.classes();
  if (std::ssize(counts) != classes * classes)
    throw DataError("a pickled confusion matrix has other counts than its labels");
  for (std::int64_t i = 0; i < std::ssize(counts); ++i)
    matrix.add(i / classes, i % classes, counts[static_cast<std::size_t>(i)]);
  return matrix;
}

void add_confusion_matrix(nb::module_& module) {
  using Matrix = ConfusionMatrix;
  nb::class_<ClassScores> scores(module, "ClassScores", "Scores of one class, 0 .. 1.");
  scores.def_ro("precision", &ClassScores::precision)
      .def_ro("recall", &ClassScores::recall)
      .def_ro("f1", &ClassScores::f1)
      .def_ro("support", &ClassScores::support, "Examples of the class.")
      .def("__repr__", [](const ClassScores& s) {
        return fmt::format("ClassScores(precision={:.4f}, recall={:.4f}, f1={:.4f}, support={})",
                           s.precision, s.recall, s.f1, s.support);
      });
  add_value_members(scores, &ClassScores::precision, &ClassScores::recall, &ClassScores::f1,
                    &ClassScores::support);
  nb::class_<Matrix> matrix(module, "ConfusionMatrix",
                            "How often each label was given to texts of each label.");
  matrix.def(nb::init<std::vector<std::string>>(), nb::arg("labels"))
      .def(
          "add",
          [](Matrix& own, const std::vector<std::int64_t>& gold,
             const std::vector<std::int64_t>& predicted) { own.add(gold, predicted); },
          nb::arg("gold"), nb::arg("predicted"))
      .def("count", &Matrix::count, nb::arg("gold"), nb::arg("predicted"))
      .def("accuracy", &Matrix::accuracy)
      .def("macro_f1", &Matrix::macro_f1)
      .def("weighted_f1", &Matrix::weighted_f1)
      .def("of_class", &Matrix::of_class, nb::arg("index"))
      .def("table", &Matrix::table)
      .def("__repr__", [](const Matrix& m) {
        return fmt::format("ConfusionMatrix({} classes, {} examples)", m.classes(), m.total());
      });
  add_value_methods(matrix, state_of_matrix, matrix_of);
}

}  // namespace

void add_metrics(nb::module_& module) {
  nb::class_<Bleu> bleu_class(module, "Bleu", "BLEU of a corpus or a sentence.");
  bleu_class
      .def_prop_ro(
          "score", [](const Bleu& b) { return b.score.score; }, "0 .. 100")
      .def_prop_ro("precisions", [](const Bleu& b) { return b.score.precisions; })
      .def_prop_ro("brevity_penalty", [](const Bleu& b) { return b.score.brevity_penalty; })
      .def_prop_ro("hypothesis_length", [](const Bleu& b) { return b.score.hypothesis_length; })
      .def_prop_ro("reference_length", [](const Bleu& b) { return b.score.reference_length; })
      .def_ro("signature", &Bleu::signature, "What sacreBLEU calls so: all that the score means.")
      .def("__float__", [](const Bleu& b) { return b.score.score; })
      .def("__repr__", [](const Bleu& b) { return format_bleu(b.score, b.signature); });
  add_value_methods(bleu_class, state_of_bleu, bleu_of);
  add_score<Chrf>(module, "Chrf", "chrF of a corpus.", "0 .. 100");
  add_score<Ter>(module, "Ter", "Translation edit rate of a corpus.",
                 "0 is best; above 100 there are more edits than words.");
  module.def("bleu", bleu, nb::arg("hypotheses"), nb::arg("references"), nb::arg("options"));
  module.def("chrf", chrf, nb::arg("hypotheses"), nb::arg("references"), nb::arg("options"));
  module.def("ter", ter, nb::arg("hypotheses"), nb::arg("references"), nb::arg("options"));
  module.def("report", report, nb::arg("hypotheses"), nb::arg("references"),
             nb::arg("baseline").none(), nb::arg("options"));
  module.def("breakdown", breakdown, nb::arg("sources"), nb::arg("hypotheses"),
             nb::arg("references"), nb::arg("training_text").none(), nb::arg("src_lang"),
             nb::arg("tgt_lang"));
  module.def("calibration_error", calibration_error, nb::arg("probabilities"), nb::arg("right"),
             nb::arg("bins"));
  add_confusion_matrix(module);
}

}  // namespace attend
