#include "attend/tasks/language/golden.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/checkpoint/finite.h"
#include "attend/checkpoint/json.h"
#include "attend/core/error.h"
#include "attend/core/random.h"
#include "attend/tasks/golden_ids.h"
#include "attend/tasks/language/perplexity.h"

namespace attend {

namespace {

constexpr int kPassages = 3;

double log_probability(const LanguageModel& model, const std::vector<std::int32_t>& ids) {
  const LanguageBatch batch{Ragged::one(std::span(ids).first(ids.size() - 1)),
                            std::make_shared<const std::vector<std::int32_t>>(ids.begin() + 1, ids.end()),
                            {0}};
  const double result = -negative_log_likelihood(*model.transformer, batch);
  const auto rounded = static_cast<float>(result);
  require_finite(std::span(&rounded, 1), "log-probability of a passage", model.source);
  return result;
}

void check(const GoldenPassage& passage, const LanguageModel& model) {
  const bool fits = std::ssize(passage.ids) >= 2 && std::ssize(passage.ids) <= model.context.sequence_length + 1;
  if (!fits || !is_in_vocabulary(passage.ids, model.tokenizer))
    throw DataError(fmt::format("{}: expected two or more ids of the vocabulary, as many as the context holds", kGoldenKey));
}

}  // namespace

void add_golden_passages(Checkpoint& checkpoint) {
  const LanguageModel model = language_model(checkpoint);
  Random random({0, stream_of(kGoldenKey)});
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (int i = 0; i < kPassages; ++i) {
    std::vector<std::int32_t> ids = golden_ids(random, model.tokenizer);
    ids.insert(ids.begin(), model.tokenizer.eos_id());
    ids.resize(std::min(ids.size(), static_cast<std::size_t>(model.context.sequence_length) + 1));
    json.push_back({{"ids", ids}, {"log_probability", static_cast<float>(log_probability(model, ids))}});
  }
  checkpoint.metadata[kGoldenKey] = json.dump();
}

std::vector<GoldenPassage> golden_passages(const Checkpoint& checkpoint) {
  const auto found = checkpoint.metadata.find(kGoldenKey);
  if (found == checkpoint.metadata.end()) return {};
  const std::string where = fmt::format("{}: {}", checkpoint.source, kGoldenKey);
  std::vector<GoldenPassage> golden;
  for (const auto& entry : parse_json(found->second, where))
    golden.push_back({json_ids(json_member(entry, "ids", where), where), json_float(json_member(entry, "log_probability", where), where)});
  return golden;
}

double golden_deviation(const LanguageModel& model, const std::vector<GoldenPassage>& golden) {
  double largest = 0;
  for (const GoldenPassage& passage : golden) {
    check(passage, model);
    const double expected = passage.log_probability, difference = std::abs(log_probability(model, passage.ids) - expected);
    largest = std::max(largest, std::isfinite(difference) ? difference / (1.0 + std::abs(expected)) : INFINITY);
  }
  return largest;
}

}  // namespace attend
