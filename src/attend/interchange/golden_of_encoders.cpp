#include "attend/interchange/golden_of_encoders.h"

#include <algorithm>

#include "attend/error.h"

namespace attend::detail {

namespace {

// Compares the tokens of all texts, and the states of the first ones. Returns the tokens.
template <class Model>
Ragged compare_encoder(const Model& model, const GoldenRecord& record, GoldenComparer& comparer) {
  const Ragged ids = record.sequences("ids", model.tokenizer.vocab_size());
  for (std::int64_t i = 0; i < ids.sequences(); ++i)
    if (ids.length(i) == 0) throw DataError(record.where() + ": a sequence is empty");
  std::vector<std::vector<std::int32_t>> ours;
  for (const std::string& text : record.texts()) ours.push_back(model.ids(text));
  comparer.compare_ids(ids, ours);
  const Tensor input = record.tensor("encoder.0");
  const std::int64_t rows = input.defined() ? input.rows() : 0;
  std::int64_t texts = 0;
  while (texts < ids.sequences() && ids.begin_of(texts + 1) <= rows) ++texts;
  if (texts == 0) return ids;
  std::vector<Tensor> states;
  Pass pass = Pass::inference();
  pass.hidden = &states;
  model.network->encode(ids.slice(0, texts), pass);
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

GoldenComparison compare_classification(const ClassificationModel& model,
                                        const GoldenRecord& record) {
  const NoGradient guard;
  GoldenComparer comparer(record);
  const Ragged ids = compare_encoder(model, record, comparer);
  Pass pass = Pass::inference();
  const Tensor logits = model.network->forward(ids, pass).value().to_host();
  comparer.compare("logits", "logits", logits);
  comparer.result.written = "labels";
  if (const Tensor theirs = record.tensor("logits"); theirs.defined())
    comparer.result.equal_written = count_equal_classes(logits, theirs);
  return comparer.result;
}

GoldenComparison compare_embedding(const EmbeddingModel& model, const GoldenRecord& record) {
  const NoGradient guard;
  GoldenComparer comparer(record);
  const Ragged ids = compare_encoder(model, record, comparer);
  Pass pass = Pass::inference();
  comparer.compare("vectors", "vectors", model.network->forward(ids, pass).value().to_host());
  comparer.result.written = "";
  return comparer.result;
}

}  // namespace attend::detail
