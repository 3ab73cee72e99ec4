#include "attend/tasks/translation/breakdown/breakdown_json.h"

#include <nlohmann/json.hpp>

namespace attend {
namespace {

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

}  // namespace

nlohmann::ordered_json to_json(const TranslationBreakdown& b) {
  nlohmann::ordered_json json{
      {"source_lengths", groups_json("words", b.source_lengths, b.metrics)}};
  if (!b.rarest_words.empty()) {
    json["rarest_words"] = groups_json("times", b.rarest_words, b.metrics);
    json["word_frequencies"] = groups_json("times", b.word_frequencies);
  }
  json["copied"] = groups_json("words", b.copied);
  json["negation"] = nullptr;
  if (b.negation_known)
    json["negation"] = {{"negated", b.negated},
                        {"lost", counted_from_one(b.lost_negation.lines)},
                        {"not_negated", b.not_negated},
                        {"added", counted_from_one(b.added_negation.lines)}};
  json["flags"] = nlohmann::ordered_json::object();
  for (const LineList& flag : b.flags) json["flags"][flag.name] = counted_from_one(flag.lines);
  return json;
}

}  // namespace attend
