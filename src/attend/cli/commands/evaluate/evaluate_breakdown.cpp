#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "attend/cli/commands/evaluate/evaluation.h"
#include "attend/core/files/lines.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

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

std::vector<std::int64_t> counted_from_one(std::vector<std::int64_t> lines) {
  for (std::int64_t& line : lines) ++line;
  return lines;
}

nlohmann::ordered_json groups_json(const char* title, const std::vector<LineGroup>& groups,
                                   const std::vector<std::string>& metrics) {
  auto rows = nlohmann::ordered_json::array();
  for (const LineGroup& group : groups) {
    nlohmann::ordered_json row{{title, group.name}, {"lines", group.lines}};
    for (std::size_t m = 0; m < metrics.size(); ++m) row[metrics[m]] = group.scores[m];
    rows.push_back(row);
  }
  return rows;
}

nlohmann::ordered_json groups_json(const char* title, const std::vector<WordGroup>& groups) {
  auto rows = nlohmann::ordered_json::array();
  for (const WordGroup& group : groups) {
    const HitCounts& words = group.words;
    rows.push_back({{title, group.name},
                    {"reference", words.gold},
                    {"translation", words.predicted},
                    {"both", words.hits}});
  }
  return rows;
}

nlohmann::ordered_json breakdown_json(const std::string& system, const TranslationBreakdown& b) {
  nlohmann::ordered_json json{
      {"system", system}, {"source_lengths", groups_json("words", b.source_lengths, b.metrics)}};
  if (!b.rarest_words.empty()) {
    json["rarest_words"] = groups_json("times", b.rarest_words, b.metrics);
    json["word_frequencies"] = groups_json("times", b.word_frequencies);
  }
  json["copied"] = groups_json("words", b.copied);
  if (b.negation_known)
    json["negation"] = {{"negated", b.negated},
                        {"lost", counted_from_one(b.lost_negation.lines)},
                        {"not_negated", b.not_negated},
                        {"added", counted_from_one(b.added_negation.lines)}};
  json["flags"] = nlohmann::ordered_json::object();
  for (const LineList& flag : b.flags) json["flags"][flag.name] = counted_from_one(flag.lines);
  return json;
}

}  // namespace

TranslationFaults find_faults(const TranslationEvaluation& options, const TranslatedLines& lines) {
  TranslationFaults faults;
  if (!options.sources.empty()) faults.sources = read_lines(options.sources);
  if (!faults.sources.empty() && faults.sources.size() != lines.systems.front().size())
    throw DataError(fmt::format("{}: expected a source for each of {} translations, got {}",
                                options.sources, lines.systems.front().size(),
                                faults.sources.size()));
  const BreakdownOptions breaking{options.metrics, options.languages,
                                  training_words(options.training_text)};
  for (std::size_t s = 0; s < lines.systems.size(); ++s) {
    if (options.breakdown)
      faults.breakdowns.emplace_back(
          lines.names[s], break_down(faults.sources, lines.systems[s], lines.references, breaking));
    if (options.worst > 0)
      faults.worst.push_back(
          worst_lines(lines.systems[s], lines.references, options.worst, chrf_of(options.metrics)));
  }
  return faults;
}

std::string faults_text(const TranslationFaults& faults, const TranslatedLines& lines, int digits) {
  std::string text;
  if (!faults.breakdowns.empty()) text += "\n" + format_breakdown(faults.breakdowns, digits);
  const auto add = [&](const char* what, const std::string& line) {
    text += fmt::format("  {:<11}  {}\n", what, printable(line, std::string::npos));
  };
  for (std::size_t s = 0; s < faults.worst.size(); ++s) {
    text += fmt::format("\nlowest chrF of {}\n", printable(lines.names[s]));
    for (const ScoredLine& one : faults.worst[s]) {
      const auto line = static_cast<std::size_t>(one.line);
      text += fmt::format("line {}: {:.{}f}\n", line + 1, one.chrf, digits);
      if (!faults.sources.empty()) add("source", faults.sources[line]);
      for (const std::vector<std::string>& reference : lines.references)
        add("reference", reference[line]);
      add("translation", lines.systems[s][line]);
    }
  }
  return text;
}

void add_faults(const TranslationFaults& faults, const TranslatedLines& lines,
                nlohmann::ordered_json& json) {
  for (const auto& [name, breakdown] : faults.breakdowns)
    json["breakdown"].push_back(breakdown_json(name, breakdown));
  for (std::size_t s = 0; s < faults.worst.size(); ++s) {
    nlohmann::ordered_json system{{"system", lines.names[s]},
                                  {"lines", nlohmann::ordered_json::array()}};
    for (const ScoredLine& one : faults.worst[s]) {
      const auto line = static_cast<std::size_t>(one.line);
      nlohmann::ordered_json row{{"line", line + 1}, {"chrf", one.chrf}};
      if (!faults.sources.empty()) row["source"] = faults.sources[line];
      for (const std::vector<std::string>& reference : lines.references)
        row["references"].push_back(reference[line]);
      row["translation"] = lines.systems[s][line];
      system["lines"].push_back(row);
    }
    json["worst"].push_back(system);
  }
}

}  // namespace attend
