#include "attend/tasks/model_quantization.h"

#include <chrono>

#include "attend/checkpoint/quantization.h"
#include "attend/tasks/registry.h"
#include "attend/tasks/translation/engine.h"

namespace attend {

Checkpoint quantize_model(const Checkpoint& model) {
  Checkpoint quantized = quantize_checkpoint(model, load_model(model)->parameters());
  add_golden_samples(quantized, *load_model(quantized));
  return quantized;
}

TranslationMeasure measure_translation(const Checkpoint& model, std::span<const std::string> src,
                                       const std::vector<std::string>& tgt,
                                       const BleuOptions& options) {
  const TranslationEngine translator(translation_model(model));
  const auto started = std::chrono::steady_clock::now();
  std::vector<std::string> hypotheses;
  for (const Translation& translation : translator.translate(src))
    hypotheses.push_back(translation.text());
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started;
  return {corpus_bleu(hypotheses, {tgt}, options).score, elapsed.count()};
}

}  // namespace attend
