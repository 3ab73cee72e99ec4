#include "attend/tasks/model_file/model_quantization.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/translation/engine.h"

namespace attend {

Checkpoint quantize_model(const Checkpoint& model, WeightBits bits) {
  Checkpoint quantized = quantize_checkpoint(model, load_model(model)->parameters(), bits);
  add_golden_samples(quantized, *load_model(quantized));
  return quantized;
}

TranslationMeasure measure_translation(const Checkpoint& model, const ParallelText& text,
                                       const BleuOptions& options, const Advance& advance) {
  const TranslationEngine translator(translation_model(model));
  const auto started = std::chrono::steady_clock::now();
  std::vector<std::string> hypotheses;
  const auto window = static_cast<std::size_t>(TranslationOptions{}.window);
  for (std::span<const std::string> src = text.src; !src.empty();) {
    const auto next = src.first(std::min(window, src.size()));
    src = src.subspan(next.size());
    for (const Translation& translation : translator.translate(next))
      hypotheses.push_back(translation.text());
    if (advance) advance(std::ssize(next));
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started;
  return {corpus_bleu(hypotheses, {text.tgt}, options).score, elapsed.count()};
}

}  // namespace attend
