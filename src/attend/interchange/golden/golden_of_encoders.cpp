#include "attend/interchange/golden/golden_of_encoders.h"

#include <algorithm>

#include "attend/core/strings/unicode.h"
#include "attend/error.h"

namespace attend::detail {

namespace {

// Compares the tokens of all texts, and the states of the first ones. Returns the tokens.
// `ids_of`: the tokens of a text; `run`: a pass of the model.
template <class Model, class IdsOf, class Run>
Ragged compare_encoder(const Model& model, const GoldenRecord& record, GoldenComparer& comparer,
                       const IdsOf& ids_of, const Run& run) {
  const Ragged ids = record.sequences("ids", model.tokenizer.vocab_size());
  for (std::int64_t i = 0; i < ids.sequences(); ++i)
    if (ids.length(i) == 0) throw DataError(record.where() + ": a sequence is empty");
  std::vector<std::vector<std::int32_t>> ours;
  for (const std::string& text : record.texts()) ours.push_back(ids_of(text));
  comparer.compare_ids(ids, ours);
  const Tensor input = record.tensor("encoder.0");
  const std::int64_t rows = input.defined() ? input.rows() : 0;
  std::int64_t texts = 0;
  while (texts < ids.sequences() && ids.begin_of(texts + 1) <= rows) ++texts;
  if (texts == 0) return ids;
  std::vector<Tensor> states;
  Pass pass = Pass::inference();
  pass.hidden = &states;
  run(ids.slice(0, texts), pass);
  comparer.compare_states("encoder", states);
  return ids;
}

// Texts with the same largest logit.
int count_equal_classes(const Tensor& ours, const Tensor& theirs) {
  int equal = 0;
  for (std::int64_t b = 0; b < ours.rows(); ++b) {
    const auto best = [b](const Tensor& logits) {
      const float* const row = logits.row(b);
      return std::max_element(row, row + logits.cols()) - row;
    };
    equal += best(ours) == best(theirs);
  }
  return equal;
}

}  // namespace

GoldenComparison compare_classification(const ClassificationModel& model_of_texts,
                                        const GoldenRecord& record) {
  const NoGradient guard;
  GoldenComparer comparer(record);
  ClassificationModel model = model_of_texts;
  const std::vector<std::string> texts = record.texts();
  model.pairs = std::any_of(texts.begin(), texts.end(),
                            [](const std::string& text) { return text.find('\t') != text.npos; });
  const auto run = [&](const Ragged& some, Pass& pass) { return model.logits(some, pass); };
  const auto ids_of = [&](const std::string& text) { return model.ids(text); };
  const Ragged ids = compare_encoder(model, record, comparer, ids_of, run);
  Pass pass = Pass::inference();
  const Tensor logits = run(ids, pass).value().to_host();
  comparer.compare("logits", "logits", logits);
  comparer.result.written = "labels";
  if (const Tensor theirs = record.tensor("logits"); theirs.defined())
    comparer.result.equal_written = count_equal_classes(logits, theirs);
  return comparer.result;
}

GoldenComparison compare_tagging(const TaggingModel& model, const GoldenRecord& record) {
  const NoGradient guard;
  GoldenComparer comparer(record);
  std::vector<std::int32_t> rows;  // of the first tokens of all words
  std::int32_t before = 0;
  const auto ids_of = [&](const std::string& text) {
    const std::vector<std::string_view> words = unicode::split(text);
    const TaggedPart part =
        model.parts(std::vector<std::string>(words.begin(), words.end())).front();
    for (const std::int32_t row : part.rows) rows.push_back(before + row);
    before += static_cast<std::int32_t>(part.ids.size());
    return part.ids;
  };
  const auto run = [&](const Ragged& some, Pass& of) { return model.network->encode(some, of); };
  const Ragged ids = compare_encoder(model, record, comparer, ids_of, run);
  if (comparer.result.equal_ids != comparer.result.texts) return comparer.result;
  Pass pass = Pass::inference();
  const Tensor logits = model.network->forward(ids, rows, pass).value().to_host();
  comparer.compare("logits", "logits", logits);
  comparer.result.written = "";
  return comparer.result;
}

GoldenComparison compare_embedding(const EmbeddingModel& model, const GoldenRecord& record) {
  const NoGradient guard;
  GoldenComparer comparer(record);
  const auto run = [&](const Ragged& some, Pass& of) { return model.network->encode(some, of); };
  const auto ids_of = [&](const std::string& text) { return model.ids(text); };
  const Ragged ids = compare_encoder(model, record, comparer, ids_of, run);
  Pass pass = Pass::inference();
  comparer.compare("vectors", "vectors", model.network->forward(ids, pass).value().to_host());
  comparer.result.written = "";
  return comparer.result;
}

}  // namespace attend::detail
