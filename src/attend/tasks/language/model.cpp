#include "attend/tasks/language/model.h"

#include <fmt/format.h>

#include "attend/checkpoint/options_json.h"
#include "attend/checkpoint/parameters.h"
#include "attend/core/error.h"
#include "attend/tasks/model_kind.h"

namespace attend {

namespace {

ContinuousCacheOptions read_cache(const Checkpoint& checkpoint) {
  ContinuousCacheOptions cache;
  if (!checkpoint.metadata.contains("attend.cache")) return cache;
  options_from_json(checkpoint.text("attend.cache"), cache, checkpoint.source + ": attend.cache");
  return cache;
}

}  // namespace

void describe_language_model(Checkpoint& checkpoint, const LanguageModel& model) {
  checkpoint.metadata["attend.task"] = kLanguageModelling;
  checkpoint.metadata["attend.config"] = options_to_json(model.transformer->config());
  checkpoint.metadata["attend.context"] = options_to_json(model.context);
  if (model.cache.used()) checkpoint.metadata["attend.cache"] = options_to_json(model.cache);
  checkpoint.tensors.push_back({"tokenizer", bytes_tensor(model.tokenizer.bytes())});
}

LanguageModel language_model(const Checkpoint& checkpoint) {
  require_task(checkpoint, kLanguageModelling);
  Tokenizer tokenizer = read_tokenizer(checkpoint);
  LanguageTransformerConfig config;
  options_from_json(checkpoint.text("attend.config"), config, checkpoint.source + ": attend.config");
  config.vocab_size = tokenizer.vocab_size();
  LanguageOptions context;
  options_from_json(checkpoint.text("attend.context"), context, checkpoint.source + ": attend.context");
  const ContinuousCacheOptions cache = read_cache(checkpoint);
  if (config.n_layers > std::ssize(checkpoint.tensors))
    throw DataError(fmt::format("{}: attend.config: {} layers need more than {} tensors", checkpoint.source, config.n_layers,
                                checkpoint.tensors.size()));
  try {
    auto transformer = std::make_shared<LanguageTransformer>(config, LanguageTransformer::Purpose::inference);
    load_parameters(checkpoint, transformer->parameters());
    return {std::move(transformer), std::move(tokenizer), context, cache, checkpoint.source};
  } catch (const DataError&) {
    throw;
  } catch (const Error& error) {  // no such shape, or no memory for it
    throw DataError(fmt::format("{}: attend.config: {}", checkpoint.source, error.what()));
  }
}

LanguageModel load_language_model(const std::filesystem::path& path) { return language_model(open_checkpoint(path)); }

}  // namespace attend
