#include "attend/tasks/golden_sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "attend/core/error.h"
#include "attend/core/random.h"
#include "attend/tasks/golden_ids.h"
#include "attend/tasks/pair_score.h"

namespace attend {

namespace {

constexpr int kSentences = 3;

std::vector<PairScore> scores(const TranslationModel& model, const std::vector<GoldenSentence>& golden) {
  std::vector<std::vector<std::int32_t>> src, tgt;
  for (const GoldenSentence& sentence : golden) {
    src.push_back(sentence.src);
    tgt.push_back(sentence.tgt);
  }
  return score_pairs(model, src, tgt);
}

void check(const std::vector<GoldenSentence>& golden, const TranslationModel& model) {
  for (const GoldenSentence& sentence : golden) {
    const bool known = is_in_vocabulary(sentence.src, model.src_tokenizer) && is_in_vocabulary(sentence.tgt, model.tgt_tokenizer);
    if (!known || sentence.src.empty() || sentence.tgt.empty())
      throw DataError(fmt::format("{}: expected ids of the vocabularies", kGoldenKey));
  }
}

}  // namespace

void add_golden_sentences(Checkpoint& checkpoint) {
  const TranslationModel model = translation_model(checkpoint);
  Random random({0, stream_of(kGoldenKey)});
  std::vector<GoldenSentence> golden(kSentences);
  for (GoldenSentence& sentence : golden) {
    sentence.src = golden_ids(random, model.src_tokenizer);
    sentence.src.push_back(model.src_tokenizer.eos_id());
    sentence.tgt = golden_ids(random, model.tgt_tokenizer);
  }
  const std::vector<PairScore> results = scores(model, golden);
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < golden.size(); ++i)
    json.push_back({{"src", golden[i].src}, {"tgt", golden[i].tgt}, {"log_probability", results[i].log_probability}});
  checkpoint.metadata[kGoldenKey] = json.dump();
}

std::vector<GoldenSentence> golden_sentences(const Checkpoint& checkpoint) {
  const auto found = checkpoint.metadata.find(kGoldenKey);
  if (found == checkpoint.metadata.end()) return {};
  try {
    std::vector<GoldenSentence> golden;
    for (const auto& entry : nlohmann::json::parse(found->second)) {
      golden.push_back({entry.at("src").get<std::vector<std::int32_t>>(), entry.at("tgt").get<std::vector<std::int32_t>>(),
                        entry.at("log_probability").get<float>()});
    }
    return golden;
  } catch (const nlohmann::json::exception&) {
    throw DataError(fmt::format("{}: {}: expected a list of sentences with src, tgt and log_probability", checkpoint.source, kGoldenKey));
  }
}

double golden_deviation(const TranslationModel& model, const std::vector<GoldenSentence>& golden) {
  check(golden, model);
  const std::vector<PairScore> results = scores(model, golden);
  double largest = 0;
  for (std::size_t i = 0; i < golden.size(); ++i) {
    const double expected = golden[i].log_probability, difference = std::abs(results[i].log_probability - expected);
    largest = std::max(largest, std::isfinite(difference) ? difference / (1.0 + std::abs(expected)) : INFINITY);
  }
  return largest;
}

}  // namespace attend
