#include "attend/tasks/translation_model.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "attend/checkpoint/options_json.h"
#include "attend/checkpoint/parameters.h"
#include "attend/core/error.h"

namespace attend {

namespace {

constexpr const char* kTask = "translation";

// The vocabulary sizes belong to the file but are no options: the tokenizers decide them.
TransformerConfig read_config(const Checkpoint& checkpoint) {
  TransformerConfig config;
  options_from_json(checkpoint.text("attend.config"), config, checkpoint.source);
  return config;
}

Tokenizer read_tokenizer(const Checkpoint& checkpoint, const char* name) {
  const Tensor* own = checkpoint.find(name);
  const Tensor& bytes = own != nullptr ? *own : checkpoint.tensor("tokenizer");
  try {
    return Tokenizer::from_bytes(tensor_bytes(bytes));
  } catch (const Error& error) {
    throw DataError(fmt::format("{}: {}", checkpoint.source, error.what()));
  }
}

}  // namespace

void describe_translation_model(Checkpoint& checkpoint, const TransformerConfig& config, const Tokenizer& src, const Tokenizer& tgt) {
  checkpoint.metadata["attend.task"] = kTask;
  checkpoint.metadata["attend.config"] = options_to_json(config);
  if (src.bytes() == tgt.bytes()) {
    checkpoint.tensors.push_back({"tokenizer", bytes_tensor(src.bytes())});
  } else {
    checkpoint.tensors.push_back({"tokenizer.src", bytes_tensor(src.bytes())});
    checkpoint.tensors.push_back({"tokenizer.tgt", bytes_tensor(tgt.bytes())});
  }
}

TranslationModel translation_model(const Checkpoint& checkpoint) {
  if (const std::string& task = checkpoint.text("attend.task"); task != kTask)
    throw DataError(fmt::format("{}: expected a model for {}, found one for {}", checkpoint.source, kTask, task));
  Tokenizer src = read_tokenizer(checkpoint, "tokenizer.src");
  Tokenizer tgt = read_tokenizer(checkpoint, "tokenizer.tgt");
  TransformerConfig config = read_config(checkpoint);
  config.src_vocab_size = src.vocab_size();
  config.tgt_vocab_size = tgt.vocab_size();
  if (const std::int64_t layers = std::int64_t{config.n_encoder_layers} + config.n_decoder_layers; layers > std::ssize(checkpoint.tensors))
    throw DataError(
        fmt::format("{}: attend.config: {} layers need more than {} tensors", checkpoint.source, layers, checkpoint.tensors.size()));
  try {
    auto transformer = std::make_shared<Transformer>(config, Transformer::Purpose::inference);
    read_parameters(checkpoint, transformer->parameters(), transformer->parameters().values());
    return {std::move(transformer), std::move(src), std::move(tgt)};
  } catch (const DataError&) {
    throw;
  } catch (const Error& error) {  // no such shape, or no memory for it
    throw DataError(fmt::format("{}: attend.config: {}", checkpoint.source, error.what()));
  }
}

TranslationModel load_translation_model(const std::filesystem::path& path) { return translation_model(load_checkpoint(path)); }

}  // namespace attend
