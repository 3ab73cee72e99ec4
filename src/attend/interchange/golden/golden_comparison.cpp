#include "attend/interchange/golden/golden_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "attend/core/strings/counted.h"
#include "attend/decode/beam_search.h"
#include "attend/decode/scorers/encoder_decoder_scorer.h"
#include "attend/error.h"
#include "attend/interchange/golden/golden_of_encoders.h"
#include "attend/interchange/golden/golden_record.h"
#include "attend/tasks/language/engine.h"
#include "attend/tasks/translation/model.h"

namespace attend {

namespace {

using detail::GoldenComparer;
using detail::GoldenRecord;

// The rows of the texts whose states were recorded.
std::int64_t recorded_texts(const GoldenRecord& record, const Ragged& written) {
  const Tensor logits = record.tensor("logits");
  const std::int64_t rows = logits.defined() ? logits.rows() : 0;
  std::int64_t texts = 0;
  while (texts < written.sequences() && written.begin_of(texts + 1) <= rows) ++texts;
  return texts;
}

// Decodes every text greedily, up to the length of the record. Returns how many are equal.
int count_equal_written(const TranslationModel& model, const PairSpecialTokens& marks,
                        const Ragged& src, const Ragged& written) {
  int equal = 0;
  const std::vector<std::int32_t>& begin = marks.before_target;
  for (std::int64_t i = 0; i < src.sequences(); ++i) {
    if (written.length(i) <= std::ssize(begin) ||
        !std::equal(begin.begin(), begin.end(), written[i].begin()))
      continue;
    const auto expected = written[i].subspan(begin.size());
    EncoderDecoderScorer scorer(*model.network, src.slice(i, i + 1), begin);
    BeamSearchOptions greedy;
    greedy.beam_size = 1;
    greedy.min_length = model.decoding.min_length;
    greedy.no_repeat_ngram = model.decoding.no_repeat_ngram;
    greedy.max_length = static_cast<int>(std::ssize(expected));
    const Hypothesis ours =
        beam_search(scorer, EndTokens(model.ends), greedy, {.suppressed = model.suppressed})
            .front()
            .front();
    std::vector<std::int32_t> ids = ours.ids;
    if (ours.end >= 0) ids.push_back(ours.end);
    equal += std::equal(ids.begin(), ids.end(), expected.begin(), expected.end());
  }
  return equal;
}

GoldenComparison compare_translation(const TranslationModel& model, const GoldenRecord& record) {
  const NoGradient guard;
  GoldenComparer comparer(record);
  const Ragged src = record.sequences("ids", model.src_tokenizer.vocab_size()),
               written = record.sequences("written", model.tgt_tokenizer.vocab_size());
  if (src.sequences() != written.sequences())
    throw DataError(record.where() + ": expected as many translations as texts");
  for (const Ragged* side : {&src, &written}) {
    for (std::int64_t i = 0; i < side->sequences(); ++i)
      if (side->length(i) == 0) throw DataError(record.where() + ": a sequence is empty");
  }
  const PairSpecialTokens marks = model.format.of(record.languages());
  comparer.compare_ids(model.src_tokenizer, src, marks);
  const std::int64_t texts = recorded_texts(record, written);
  const Ragged looked_into = src.slice(0, texts), prefixes = written.slice(0, texts);
  Pass pass = Pass::inference();
  std::vector<Tensor> states;
  pass.hidden = &states;
  const Variable memory = model.network->encode(looked_into, pass);
  comparer.compare_states("encoder", states);
  states.clear();
  const Variable hidden = model.network->decode(prefixes, memory, looked_into, pass);
  comparer.compare_states("decoder", states);
  comparer.compare("logits", "logits", model.network->project(hidden).value().to_host());
  comparer.result.equal_written = count_equal_written(model, marks, src, written);
  return comparer.result;
}

// Continues every text greedily, as `attend generate` does. Returns how many continuations are
// equal.
int count_equal_continuations(const LanguageModel& model, const GoldenRecord& record,
                              const Ragged& ids, const Ragged& written) {
  const GenerationEngine engine(model);
  const std::vector<std::string> texts = record.texts();
  int equal = 0;
  for (std::int64_t i = 0; i < ids.sequences(); ++i) {
    const auto expected = written[i].subspan(ids[i].size());
    GenerationOptions greedy = engine.default_options();
    greedy.sampling = {.top_k = 1};
    greedy.max_tokens = static_cast<int>(std::ssize(expected));
    greedy.one_line = model.text.has_lines();
    const std::vector<std::int32_t> ours =
        engine.generate(texts[static_cast<std::size_t>(i)], greedy).ids;
    equal += std::equal(ours.begin(), ours.end(), expected.begin(), expected.end());
  }
  return equal;
}

GoldenComparison compare_language(const LanguageModel& model, const GoldenRecord& record) {
  const NoGradient guard;
  GoldenComparer comparer(record);
  const std::int64_t vocabulary = model.tokenizer.vocab_size();
  const Ragged ids = record.sequences("ids", vocabulary),
               written = record.sequences("written", vocabulary);
  for (std::int64_t i = 0; i < ids.sequences(); ++i) {
    if (ids.length(i) == 0 || ids.sequences() != written.sequences() ||
        written.length(i) <= ids.length(i))
      throw DataError(record.where() + ": expected a continuation of every text");
  }
  std::vector<std::vector<std::int32_t>> prompts;
  for (const std::string& text : record.texts()) prompts.push_back(model.prompt_ids(text));
  comparer.compare_ids(ids, prompts);
  const Ragged looked_into = written.slice(0, recorded_texts(record, written));
  Pass pass = Pass::inference();
  std::vector<Tensor> states;
  pass.hidden = &states;
  const Variable hidden = model.network->hidden(looked_into, pass);
  comparer.compare_states("decoder", states);
  comparer.compare("logits", "logits", model.network->project(hidden).value().to_host());
  comparer.result.equal_written = count_equal_continuations(model, record, ids, written);
  return comparer.result;
}

}  // namespace

const GoldenDifference* GoldenComparison::first_above(float tolerance) const {
  const auto found = std::find_if(
      differences.begin(), differences.end(),
      [tolerance](const GoldenDifference& one) { return !(one.largest <= tolerance); });
  return found == differences.end() ? nullptr : &*found;
}

GoldenComparison compare_with_golden(const SavedModel& model, const std::filesystem::path& golden) {
  const GoldenRecord record(golden);
  const std::string kind = record.text("kind");
  if (kind != model.task())
    throw DataError(fmt::format("{}: expected a record of {} model, found {}", record.where(),
                                with_article(model.task()), kind));
  return visit_model(
      model,
      [&](const TranslationModel& translation) { return compare_translation(translation, record); },
      [&](const LanguageModel& language) { return compare_language(language, record); },
      [&](const ClassificationModel& classifier) {
        return detail::compare_classification(classifier, record);
      },
      [&](const TaggingModel& tagger) { return detail::compare_tagging(tagger, record); },
      [&](const EmbeddingModel& embedder) { return detail::compare_embedding(embedder, record); },
      [&](const SavedModel& other) -> GoldenComparison {
        throw DataError(fmt::format("{}: {} model has no comparison", record.where(),
                                    with_article(other.task())));
      });
}

}  // namespace attend
