// One side of a comparison: trains an encoder-decoder for some seconds on given token ids and
// prints what it measured as JSON.
//
//   compare_train_attend OPTIONS.json f32|bf16   {"src": file, "tgt": file, "vocabulary": V,
//   "weights": file to write, "seconds": s, "threads": t,
//                                        "batch_tokens": n, "model": {the TransformerConfig},
//                                        "dropout": p}
//
// src and tgt hold a sentence a line, as ids without bos and eos. The loss of the first batch,
// without dropout, is for the other side to reproduce from the weights.
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "attend/autograd/variable.h"
#include "attend/backend/backend.h"
#include "attend/checkpoint/options_json.h"
#include "attend/checkpoint/parameters.h"
#include "attend/core/files/lines.h"
#include "attend/core/threads/runtime.h"
#include "attend/data/batching/batcher.h"
#include "attend/error.h"
#include "attend/models/transformer.h"
#include "train_for.h"

namespace {

using namespace attend;

constexpr SpecialTokens kSpecial{.bos = 2, .eos = 3};
constexpr double kLabelSmoothing = 0.1;

Ragged read_ids(const std::string& path) {
  RaggedBuilder ragged;
  for (const std::string& line : read_lines(path)) {
    std::istringstream words(line);
    ragged.add(std::vector<std::int32_t>{std::istream_iterator<std::int32_t>(words), {}});
  }
  return ragged.build();
}

CrossEntropy loss_of(const Transformer& model, const TranslationBatch& batch, Pass& pass) {
  return model.loss(
      batch.src, batch.tgt_in, batch.tgt_out,
      {static_cast<float>(kLabelSmoothing), static_cast<double>(batch.tgt_out->size())}, pass);
}

double first_loss(const Transformer& model, const EncodedPairs& pairs,
                  const BatchOptions& options) {
  const TranslationBatch batch =
      TranslationBatcher(pairs, {kSpecial, kSpecial}, options, std::nullopt).batch(0, 0);
  const NoGradient guard;
  Pass pass = Pass::inference();
  return loss_of(model, batch, pass).loss_sum / static_cast<double>(batch.tgt_out->size());
}

int run(const nlohmann::json& options, Precision precision) {
  const RuntimeScope runtime({.threads = options.at("threads")});
  TransformerConfig config;
  options_from_json(options.at("model").dump(), config, "model");
  config.src_vocab_size = config.tgt_vocab_size = options.at("vocabulary");
  Transformer model(config, 1);
  const EncodedPairs pairs{read_ids(options.at("src")), read_ids(options.at("tgt"))};
  BatchOptions batch_options;
  batch_options.batch_tokens = options.at("batch_tokens");

  Checkpoint weights;
  add_parameters(weights, model.parameters(), model.parameters().values());
  save_checkpoint(std::string(options.at("weights")), weights);
  nlohmann::json result{{"parameters", model.parameters().size()},
                        {"first_loss", first_loss(model, pairs, batch_options)}};

  const TranslationBatcher batches(pairs, {kSpecial, kSpecial}, batch_options, 1);
  result.update(
      train_for(options.at("seconds"), model.parameters(), [&](std::int64_t i) -> TimedStep {
        const TranslationBatch batch =
            batches.batch(i / batches.batches(0), i % batches.batches(0));
        Pass pass = Pass::training(1, static_cast<std::uint64_t>(i), precision);
        return {loss_of(model, batch, pass).loss, static_cast<double>(batch.tgt_out->size()),
                static_cast<double>(batch.src.tokens())};
      }));
  std::cout << result << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw ConfigError("usage: compare_train_attend OPTIONS.json f32|bf16");
    std::ifstream file(argv[1]);
    return run(nlohmann::json::parse(file),
               std::string_view(argv[2]) == "bf16" ? Precision::bf16 : Precision::f32);
  } catch (const std::exception& error) {
    std::cerr << "compare_train_attend: " << error.what() << "\n";
    return 1;
  }
}
