#include "attend/cli/commands/average/held_out_score.h"

#include <fmt/format.h>

#include <numbers>
#include <vector>

#include "attend/core/files/lines.h"
#include "attend/data/corpus.h"
#include "attend/data/labeled_text.h"
#include "attend/error.h"
#include "attend/tasks/classification/engine.h"
#include "attend/tasks/language/perplexity.h"
#include "attend/tasks/model_file/model_quantization.h"
#include "attend/tasks/model_file/model_reading.h"
#include "attend/tasks/translation/model.h"

namespace attend {
namespace {

// Throws ConfigError unless this kind of data is there, and no other.
void require_data(const HeldOutData& data, const char* kind, bool is_there, const char* expected) {
  const int kinds = (!data.src.empty() || !data.tgt.empty() ? 1 : 0) +
                    (data.labeled.empty() ? 0 : 1) + (data.text.empty() ? 0 : 1);
  if (!is_there || kinds != 1)
    throw ConfigError(
        fmt::format("--greedy: {} is measured on held-out data, expected {}", kind, expected));
}

HeldOutScore bleu_on(const HeldOutData& data) {
  require_data(data, "a translator", !data.src.empty() && !data.tgt.empty(),
               "--src and --tgt alone");
  BleuOptions options;
  options.tokenization = data.tokenization;
  return {"BLEU",
          [text = read_parallel(std::vector{data.src}, std::vector{data.tgt}), options](
              const Checkpoint& model) { return measure_translation(model, text, options).bleu; }};
}

HeldOutScore accuracy_on(const HeldOutData& data, const ClassificationModel& model) {
  require_data(data, "a classifier", !data.labeled.empty(), "--labeled alone");
  if (model.problem_type() != ProblemType::single_label || model.pairs)
    throw ConfigError("--greedy: expected a classifier of texts that have a single label");
  return {"accuracy", [texts = read_labeled(std::vector{data.labeled}, {},
                                            {model.problem_type(), model.labels})](
                          const Checkpoint& checkpoint) {
            const auto found =
                ClassificationEngine(classification_model(checkpoint)).classify(texts.texts);
            std::size_t right = 0;
            for (std::size_t i = 0; i < found.size(); ++i)
              right += found[i].label == static_cast<std::size_t>(texts.labels[i]) ? 1 : 0;
            return static_cast<double>(right) / static_cast<double>(found.size());
          }};
}

HeldOutScore probability_on(const HeldOutData& data) {
  require_data(data, "a language model", !data.text.empty(), "--text alone");
  return {
      "log-probability per token", [file = data.text](const Checkpoint& checkpoint) {
        const LanguageModel model = language_model(checkpoint);
        if (!model.text.has_lines())
          throw ConfigError("--greedy: expected a language model of lines, got one of documents");
        const LanguageText text = read_language(std::vector{file}, model.tokenizer);
        return -text_perplexity(model, text).perplexity.bits_per_token() * std::numbers::ln2;
      }};
}

}  // namespace

HeldOutScore held_out_score(const HeldOutData& data, const Checkpoint& model) {
  if (is_for<TranslationModel>(model)) return bleu_on(data);
  if (is_for<ClassificationModel>(model)) return accuracy_on(data, classification_model(model));
  if (is_for<LanguageModel>(model)) return probability_on(data);
  refuse_task(model, "translation, classification or language modeling");
}

}  // namespace attend
