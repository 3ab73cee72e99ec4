#include "attend/tasks/model_file/golden.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/core/json/json.h"
#include "attend/error.h"
#include "attend/tasks/model_file/model_reading.h"

namespace attend {

namespace {

constexpr int kSamples = 3;
constexpr std::size_t kShortest = 4, kLongest = 9;  // random ids

void require_ids(const GoldenInput& input, const GoldenFormat& format) {
  for (std::size_t side = 0; side < format.sides.size(); ++side) {
    if (input.at(side).empty() || !is_in_vocabulary(input[side], *format.sides[side].tokenizer))
      throw DataError(fmt::format("{}: {}: expected ids of the vocabulary", kGoldenKey,
                                  format.sides[side].name));
  }
}

}  // namespace

std::vector<std::int32_t> random_ids(Random& random, const Tokenizer& tokenizer) {
  std::vector<std::int32_t> ids(kShortest + random.below(kLongest - kShortest + 1));
  for (std::int32_t& id : ids)
    id =
        static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(tokenizer.vocab_size())));
  return ids;
}

void add_golden_samples(Checkpoint& checkpoint, const SavedModel& model) {
  Random random({0, stream_of(kGoldenKey)});
  std::vector<GoldenInput> inputs;
  for (int i = 0; i < kSamples; ++i) inputs.push_back(model.random_input(random));
  const std::vector<std::vector<float>> outputs = model.golden_outputs(inputs);
  const GoldenFormat format = model.golden_format();
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    nlohmann::ordered_json& sample = json.emplace_back();
    for (std::size_t side = 0; side < format.sides.size(); ++side)
      sample[format.sides[side].name] = inputs[i][side];
    if (outputs[i].size() == 1) {
      sample[format.output] = outputs[i].front();
    } else {
      sample[format.output] = outputs[i];
    }
  }
  checkpoint.metadata[kGoldenKey] = json.dump();
}

std::vector<GoldenSample> golden_samples(const Checkpoint& checkpoint, const SavedModel& model) {
  const auto found = checkpoint.metadata.find(kGoldenKey);
  if (found == checkpoint.metadata.end()) return {};
  const std::string where = fmt::format("{}: {}", checkpoint.source, kGoldenKey);
  const GoldenFormat format = model.golden_format();
  std::vector<GoldenSample> samples;
  for (const auto& entry : parse_json(found->second, where)) {
    GoldenSample& sample = samples.emplace_back();
    for (const GoldenFormat::Side& side : format.sides)
      sample.input.push_back(json_ids(json_member(entry, side.name, where), where));
    const auto& output = json_member(entry, format.output, where);
    if (output.is_array()) {
      for (const auto& number : output) sample.output.push_back(json_float(number, where));
    } else {
      sample.output.push_back(json_float(output, where));
    }
  }
  return samples;
}

ModelCheck check_golden_samples(const SavedModel& model, const std::vector<GoldenSample>& samples) {
  const GoldenFormat format = model.golden_format();
  ModelCheck check{samples.size(), 0, format.samples};
  if (samples.empty()) return check;
  std::vector<GoldenInput> inputs;
  for (const GoldenSample& sample : samples) {
    require_ids(sample.input, format);
    inputs.push_back(sample.input);
  }
  const std::vector<std::vector<float>> outputs = model.golden_outputs(inputs);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::vector<float>& then = samples[i].output;
    if (then.size() != outputs[i].size())
      throw DataError(fmt::format("{}: expected {} numbers, as the model gives, found {}",
                                  kGoldenKey, outputs[i].size(), then.size()));
    for (std::size_t c = 0; c < then.size(); ++c) {
      const double expected = then[c], difference = std::abs(double{outputs[i][c]} - expected);
      check.deviation =
          std::max(check.deviation,
                   std::isfinite(difference) ? difference / (1.0 + std::abs(expected)) : INFINITY);
    }
  }
  return check;
}

}  // namespace attend
