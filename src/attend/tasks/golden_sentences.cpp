#include "attend/tasks/golden_sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "attend/core/error.h"
#include "attend/core/random.h"
#include "attend/tasks/pair_score.h"

namespace attend {

namespace {

constexpr const char* kKey = "attend.golden";
constexpr int kSentences = 3;
constexpr std::size_t kShortest = 4, kLongest = 9;

std::vector<std::int32_t> draw(Random& random, const Tokenizer& tokenizer) {
  std::vector<std::int32_t> ids(kShortest + random.below(kLongest - kShortest + 1));
  for (std::int32_t& id : ids) id = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(tokenizer.vocab_size())));
  return ids;
}

std::vector<PairScore> scores(const TranslationModel& model, const std::vector<GoldenSentence>& golden) {
  std::vector<std::vector<std::int32_t>> src, tgt;
  for (const GoldenSentence& sentence : golden) {
    src.push_back(sentence.src);
    tgt.push_back(sentence.tgt);
  }
  return score_pairs(model, src, tgt);
}

void check(const std::vector<GoldenSentence>& golden, const TranslationModel& model) {
  const auto inside = [](const std::vector<std::int32_t>& ids, const Tokenizer& tokenizer) {
    return !ids.empty() && std::all_of(ids.begin(), ids.end(), [&](std::int32_t id) { return id >= 0 && id < tokenizer.vocab_size(); });
  };
  for (const GoldenSentence& sentence : golden) {
    if (!inside(sentence.src, model.src_tokenizer) || !inside(sentence.tgt, model.tgt_tokenizer))
      throw DataError(fmt::format("{}: expected ids of the vocabularies", kKey));
  }
}

}  // namespace

void add_golden_sentences(Checkpoint& checkpoint) {
  const TranslationModel model = translation_model(checkpoint);
  Random random({0, stream_of(kKey)});
  std::vector<GoldenSentence> golden(kSentences);
  for (GoldenSentence& sentence : golden) {
    sentence.src = draw(random, model.src_tokenizer);
    sentence.src.push_back(model.src_tokenizer.eos_id());
    sentence.tgt = draw(random, model.tgt_tokenizer);
  }
  const std::vector<PairScore> results = scores(model, golden);
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < golden.size(); ++i)
    json.push_back({{"src", golden[i].src}, {"tgt", golden[i].tgt}, {"log_probability", results[i].log_probability}});
  checkpoint.metadata[kKey] = json.dump();
}

std::vector<GoldenSentence> golden_sentences(const Checkpoint& checkpoint) {
  const auto found = checkpoint.metadata.find(kKey);
  if (found == checkpoint.metadata.end()) return {};
  try {
    std::vector<GoldenSentence> golden;
    for (const auto& entry : nlohmann::json::parse(found->second)) {
      golden.push_back({entry.at("src").get<std::vector<std::int32_t>>(), entry.at("tgt").get<std::vector<std::int32_t>>(),
                        entry.at("log_probability").get<float>()});
    }
    return golden;
  } catch (const nlohmann::json::exception&) {
    throw DataError(fmt::format("{}: {}: expected a list of sentences with src, tgt and log_probability", checkpoint.source, kKey));
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
