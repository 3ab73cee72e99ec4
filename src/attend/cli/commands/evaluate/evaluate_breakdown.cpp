#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "attend/cli/commands/evaluate/evaluation.h"
#include "attend/core/files/lines.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/tasks/translation/breakdown/breakdown_json.h"

namespace attend {
namespace {

ChrfOptions chrf_of(const EvaluationOptions& options) {
  ChrfOptions chrf = options.chrf;
  chrf.allow_subwords |= options.bleu.allow_subwords;
  return chrf;
}

std::shared_ptr<const WordFrequencies> training_words(const std::vector<std::string>& files) {
  if (files.empty()) return nullptr;
  require_readable(files);
  const auto words = std::make_shared<WordFrequencies>();
  for (const std::string& file : files) {
    LineReader reader(file);
    for (std::string line; reader.next(line);) words->add(line);
  }
  return words;
}

// Why negation is not looked for; empty: it is, or nobody asked.
std::string left_out(const LanguagePair& languages) {
  for (const std::string& language : {languages.source, languages.target})
    if (!language.empty() && !has_negation_words(language))
      return fmt::format("negation is left out: there is no list of its words for {}\n",
                         printable(language));
  return "";
}

}  // namespace

TranslationFaults find_faults(const TranslationEvaluation& options, const TranslatedLines& lines) {
  TranslationFaults faults;
  const BreakdownOptions breaking{options.metrics, options.languages,
                                  training_words(options.training_text)};
  if (options.breakdown) faults.left_out = left_out(options.languages);
  for (std::size_t s = 0; s < lines.systems.size(); ++s) {
    if (options.breakdown)
      faults.breakdowns.emplace_back(
          lines.names[s], break_down(lines.sources, lines.systems[s], lines.references, breaking));
    if (options.worst > 0)
      faults.worst.push_back(
          worst_lines(lines.systems[s], lines.references, options.worst, chrf_of(options.metrics)));
  }
  return faults;
}

std::string faults_text(const TranslationFaults& faults, const TranslatedLines& lines, int digits) {
  std::string text;
  if (!faults.breakdowns.empty())
    text += "\n" + format_breakdown(faults.breakdowns, digits) + faults.left_out;
  const auto add = [&](const char* what, const std::string& line) {
    text += fmt::format("  {:<11}  {}\n", what, printable(line, std::string::npos));
  };
  for (std::size_t s = 0; s < faults.worst.size(); ++s) {
    text += fmt::format("\nlowest chrF of {}\n", printable(lines.names[s]));
    for (const LineChrf& one : faults.worst[s]) {
      const auto line = static_cast<std::size_t>(one.line);
      text += fmt::format("line {}: {:.{}f}\n", line + 1, one.chrf, digits);
      if (!lines.sources.empty()) add("source", lines.sources[line]);
      for (const std::vector<std::string>& reference : lines.references)
        add("reference", reference[line]);
      add("translation", lines.systems[s][line]);
    }
  }
  return text;
}

void add_faults(const TranslationFaults& faults, const TranslatedLines& lines,
                nlohmann::ordered_json& json) {
  for (const auto& [name, breakdown] : faults.breakdowns) {
    nlohmann::ordered_json system{{"system", name}};
    system.update(to_json(breakdown));
    json["breakdown"].push_back(system);
  }
  for (std::size_t s = 0; s < faults.worst.size(); ++s) {
    nlohmann::ordered_json system{{"system", lines.names[s]},
                                  {"lines", nlohmann::ordered_json::array()}};
    for (const LineChrf& one : faults.worst[s]) {
      const auto line = static_cast<std::size_t>(one.line);
      nlohmann::ordered_json row{{"line", line + 1}, {"chrf", one.chrf}};
      if (!lines.sources.empty()) row["source"] = lines.sources[line];
      for (const std::vector<std::string>& reference : lines.references)
        row["references"].push_back(reference[line]);
      row["translation"] = lines.systems[s][line];
      system["lines"].push_back(row);
    }
    json["worst"].push_back(system);
  }
}

}  // namespace attend
