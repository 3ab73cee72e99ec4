#include "attend/tasks/translation/golden.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/checkpoint/json.h"
#include "attend/core/error.h"
#include "attend/core/random.h"
#include "attend/tasks/golden_ids.h"
#include "attend/tasks/translation/scoring.h"

namespace attend {

namespace {

constexpr int kSentences = 3;

std::vector<SequenceScore> scores(const TranslationModel& model, const std::vector<GoldenSentence>& golden) {
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

// At most `longest` of them; 0: all.
std::vector<std::int32_t> first_ids(std::vector<std::int32_t> ids, std::int64_t longest) {
  if (longest > 0 && std::ssize(ids) > longest) ids.resize(static_cast<std::size_t>(longest));
  return ids;
}

}  // namespace

void add_golden_sentences(Checkpoint& checkpoint) {
  const TranslationModel model = translation_model(checkpoint);
  Random random({0, stream_of(kGoldenKey)});
  std::vector<GoldenSentence> golden(kSentences);
  const std::int64_t learned = model.network->longest_sequence(), longest = learned > 0 ? std::max<std::int64_t>(1, learned - 1) : 0;
  for (GoldenSentence& sentence : golden) {
    sentence.src = first_ids(golden_ids(random, model.src_tokenizer), longest);
    sentence.src.push_back(model.src_tokenizer.eos_id());
    sentence.tgt = first_ids(golden_ids(random, model.tgt_tokenizer), longest);
  }
  const std::vector<SequenceScore> results = scores(model, golden);
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < golden.size(); ++i)
    json.push_back({{"src", golden[i].src}, {"tgt", golden[i].tgt}, {"log_probability", results[i].log_probability}});
  checkpoint.metadata[kGoldenKey] = json.dump();
}

std::vector<GoldenSentence> golden_sentences(const Checkpoint& checkpoint) {
  const auto found = checkpoint.metadata.find(kGoldenKey);
  if (found == checkpoint.metadata.end()) return {};
  const std::string where = fmt::format("{}: {}", checkpoint.source, kGoldenKey);
  std::vector<GoldenSentence> golden;
  for (const auto& entry : parse_json(found->second, where)) {
    golden.push_back({json_ids(json_member(entry, "src", where), where), json_ids(json_member(entry, "tgt", where), where),
                      json_float(json_member(entry, "log_probability", where), where)});
  }
  return golden;
}

double golden_deviation(const TranslationModel& model, const std::vector<GoldenSentence>& golden) {
  check(golden, model);
  const std::vector<SequenceScore> results = scores(model, golden);
  double largest = 0;
  for (std::size_t i = 0; i < golden.size(); ++i) {
    const double expected = golden[i].log_probability, difference = std::abs(results[i].log_probability - expected);
    largest = std::max(largest, std::isfinite(difference) ? difference / (1.0 + std::abs(expected)) : INFINITY);
  }
  return largest;
}

}  // namespace attend
