// One side of a comparison: trains a language model for some seconds on given token ids and prints
// what it measured as JSON.
//
//   compare_train_lm_attend OPTIONS.json f32|bf16   {"ids": file, "vocabulary": V, "sequences": B,
//   "weights": file to write, "seconds": s,
//                                           "threads": t, "model": {the LanguageTransformerConfig}}
//
// ids holds sequences of equal length, one a line, of which B make a batch. The loss of the first
// batch, without dropout, is for the other side to reproduce from the weights.
#include <fstream>
#include <iostream>
#include <sstream>
#include <string_view>

#include "attend/checkpoint/options_json.h"
#include "attend/checkpoint/parameters.h"
#include "attend/core/files/lines.h"
#include "attend/core/threads/runtime.h"
#include "attend/error.h"
#include "attend/models/language_transformer.h"
#include "attend/nn/ragged.h"
#include "train_for.h"

namespace {

using namespace attend;

// Of every line but its last token, the next one is to be predicted.
struct Batch {
  Ragged input;
  Ids targets;
};

std::vector<Batch> read_batches(const std::string& path, std::int64_t sequences) {
  std::vector<Batch> batches;
  RaggedBuilder input;
  std::vector<std::int32_t> targets;
  std::int64_t count = 0;
  const auto flush = [&] {
    batches.push_back({input.build(), std::exchange(targets, {})});
    count = 0;
  };
  for (const std::string& line : read_lines(path)) {
    std::istringstream words(line);
    const std::vector<std::int32_t> ids{std::istream_iterator<std::int32_t>(words), {}};
    if (count == sequences) flush();
    input.add(std::span(ids).first(ids.size() - 1));
    targets.insert(targets.end(), ids.begin() + 1, ids.end());
    ++count;
  }
  if (count > 0) flush();
  return batches;
}

CrossEntropy loss_of(const LanguageTransformer& model, const Batch& batch, Pass& pass) {
  return model.loss(batch.input, batch.targets, {}, pass);
}

int run(const nlohmann::json& options, Precision precision) {
  const RuntimeScope runtime({.threads = options.at("threads")});
  LanguageTransformerConfig config;
  options_from_json(options.at("model").dump(), config, "model");
  config.vocab_size = options.at("vocabulary");
  LanguageTransformer model(config, 1);
  const std::vector<Batch> batches = read_batches(options.at("ids"), options.at("sequences"));

  Checkpoint weights;
  add_parameters(weights, model.parameters(), model.parameters().values());
  save_checkpoint(std::string(options.at("weights")), weights);
  Pass inference = Pass::inference();
  nlohmann::json result{{"parameters", model.parameters().size()}};
  {
    const NoGradient guard;
    result["first_loss"] = loss_of(model, batches.front(), inference).loss.value().item();
  }
  result.update(
      train_for(options.at("seconds"), model.parameters(), [&](std::int64_t i) -> TimedStep {
        const Batch& batch = batches[static_cast<std::size_t>(i) % batches.size()];
        Pass pass = Pass::training(1, static_cast<std::uint64_t>(i), precision);
        return {loss_of(model, batch, pass).loss, static_cast<double>(batch.targets->size())};
      }));
  std::cout << result << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw ConfigError("usage: compare_train_lm_attend OPTIONS.json f32|bf16");
    std::ifstream file(argv[1]);
    return run(nlohmann::json::parse(file),
               std::string_view(argv[2]) == "bf16" ? Precision::bf16 : Precision::f32);
  } catch (const std::exception& error) {
    std::cerr << "compare_train_lm_attend: " << error.what() << "\n";
    return 1;
  }
}
