#include "attend/models/recurrent.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "attend/error.h"
#include "attend/models/stack/stack_decoding.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/embedding.h"
#include "attend/ops/slices.h"

namespace attend {

namespace {

using Numbers = std::vector<std::int32_t>;

AdditiveAttentionOptions attention_options(const RecurrentConfig& config) {
  return {config.hidden_width(), 2 * config.hidden_width(), config.attention_width(),
          config.attention};
}

// One query per hypothesis, whose source is sentence[r]. Adjacent hypotheses of one sentence attend
// to its memory as a group.
AttentionLayout hypotheses_layout(const Numbers& sentence, const Ids& src_offsets) {
  Numbers offsets{0}, sentences;
  for (const std::int32_t s : sentence) {
    if (sentences.empty() || sentences.back() != s) {
      sentences.push_back(s);
      offsets.push_back(offsets.back());
    }
    ++offsets.back();
  }
  return {std::move(offsets), src_offsets, std::move(sentences)};
}

// The rows of a ragged batch, with its sequences reordered.
struct Reordered {
  Reordered(const Ids& sequences, const Ids& from) {
    Numbers all, ends{0};
    for (const std::int32_t s : *sequences) {
      for (std::int32_t row = from[s]; row < from[s + 1]; ++row) all.push_back(row);
      ends.push_back(static_cast<std::int32_t>(all.size()));
    }
    rows = std::move(all);
    offsets = std::move(ends);
  }
  Ids rows, offsets;
};

// One query for each of the first `rows` sequences, none for the others.
Ids one_each(std::int64_t rows, std::int64_t sequences) {
  Numbers offsets(static_cast<std::size_t>(sequences) + 1, static_cast<std::int32_t>(rows));
  std::iota(offsets.begin(), offsets.begin() + static_cast<std::ptrdiff_t>(rows), 0);
  return offsets;
}

// Assembles weights computed step by step as in AttentionRecord: a [Tq, Tk] block for each sequence
// of the batch.
class WeightBlocks {
 public:
  WeightBlocks(const Ragged& tgt, const Ragged& src) : src_offsets_(src.offsets) {
    std::int64_t size = 0;
    for (std::int64_t s = 0; s < tgt.sequences(); ++s) {
      begin_.push_back(size);
      size += std::int64_t{tgt.offsets[s + 1] - tgt.offsets[s]} * keys(s);
    }
    weights_ = Tensor::empty({size});
  }

  // Adds a row of weights of step t for each of the first sequences of `order`.
  void add(const Tensor& rows, std::int64_t t, std::int64_t count, const Ids& order) {
    std::int64_t from = 0;
    for (std::int64_t r = 0; r < count; ++r) {
      const std::int32_t s = order[r];
      const std::int64_t to = begin_[static_cast<std::size_t>(s)] + t * keys(s);
      weights_.slice_rows(to, to + keys(s)).copy_from(rows.slice_rows(from, from + keys(s)));
      from += keys(s);
    }
  }
  const Tensor& weights() const { return weights_; }

 private:
  std::int64_t keys(std::int64_t s) const { return src_offsets_[s + 1] - src_offsets_[s]; }
  Ids src_offsets_;
  std::vector<std::int64_t> begin_;
  Tensor weights_;
};

}  // namespace

Recurrent::Recurrent(const RecurrentConfig& config)
    : EncoderDecoder(config),
      encoder_(parameters_, "encoder", config.d_model, config.hidden_width()),
      initial_(parameters_, "decoder.initial", 2 * config.hidden_width(), config.hidden_width()),
      attention_(parameters_, "decoder.attention", attention_options(config)),
      decoder_(parameters_, "decoder.gru", config.d_model, config.hidden_width()),
      context_proj_(parameters_, "decoder.context_proj", 2 * config.hidden_width(),
                    3 * config.hidden_width(), /*bias=*/false),
      readout_(parameters_, "decoder.readout", 3 * config.hidden_width() + config.d_model,
               config.d_model) {}

Variable Recurrent::embed(const Parameter& table, const Ids& ids, Pass& pass) const {
  const float scale = std::sqrt(static_cast<float>(config().d_model));
  return embedding(*table, ids, scale, {}, pass.dropout(config().dropout));
}

Variable Recurrent::encode(const Ragged& src, Pass& pass) const {
  const Variable words = embed(src_embedding_, src.ids, pass);
  const Variable memory = encoder_.forward(words, *src.offsets, pass);
  if (pass.hidden != nullptr) {
    pass.hidden->push_back(words.value());
    pass.hidden->push_back(memory.value());
  }
  return memory;
}

Variable Recurrent::initial_states(const Variable& memory, const Ids& offsets,
                                   const Pass& pass) const {
  const std::int64_t sequences = static_cast<std::int64_t>(offsets->size()) - 1;
  std::vector<float> shares;
  for (std::int64_t s = 0; s < sequences; ++s) {
    const std::int32_t length = offsets[s + 1] - offsets[s];
    shares.insert(shares.end(), static_cast<std::size_t>(length),
                  1.0f / static_cast<float>(std::max(1, length)));
  }
  const Variable mean = attention_sum(Variable(Tensor::from(shares, {memory.dim(0)})), memory,
                                      {one_each(sequences, sequences), offsets});
  return initial_.forward(mean, pass, Activation::tanh);
}

Variable Recurrent::next_states(const Variable& from_words, const Variable& contexts,
                                const Variable& states, const Pass& pass) const {
  return decoder_.step(add(from_words, context_proj_.forward(contexts, pass)), states, pass);
}

Variable Recurrent::read_out(const Variable& states, const Variable& contexts,
                             const Variable& words, const Pass& pass) const {
  return readout_.forward(concat_columns(concat_columns(states, contexts), words), pass,
                          Activation::tanh);
}

Variable Recurrent::decode(const Ragged& tgt, const Variable& memory, const Ragged& src,
                           Pass& pass) const {
  if (tgt.sequences() != src.sequences())
    throw ShapeError(
        fmt::format("[decode] expected as many target as source sequences, got [{}] and [{}]",
                    tgt.sequences(), src.sequences()));
  const TimeSteps steps(*tgt.offsets, TimeDirection::forward);
  if (steps.steps() == 0) return Variable(Tensor::zeros({0, config().d_model}));
  const Variable words = gather_rows(embed(tgt_embedding_, tgt.ids, pass), steps.order());
  const Variable from_words = decoder_.project_input(words, pass);

  const Reordered sorted(steps.sequences(), src.offsets);
  const Variable sorted_memory = gather_rows(memory, sorted.rows);
  const AdditiveAttention::Memory attended = attention_.project_memory(sorted_memory, pass);
  std::optional<WeightBlocks> blocks;
  if (pass.attention != nullptr) blocks.emplace(tgt, src);

  Variable state = initial_states(sorted_memory, sorted.offsets, pass);
  std::vector<Variable> states, contexts;
  for (std::int64_t t = 0; t < steps.steps(); ++t) {
    const Variable before = slice_rows(state, 0, steps.rows(t));
    Tensor weights;
    contexts.push_back(attention_.forward(
        before, attended, {one_each(steps.rows(t), src.sequences()), sorted.offsets}, pass,
        blocks ? &weights : nullptr));
    if (blocks) blocks->add(weights, t, steps.rows(t), steps.sequences());
    state = next_states(slice_rows(from_words, steps.begin(t), steps.begin(t + 1)), contexts.back(),
                        before, pass);
    states.push_back(state);
  }
  if (blocks) pass.attention->push_back({"decoder.attention", 1, blocks->weights()});
  const Variable hidden = read_out(concat_rows(states), concat_rows(contexts), words, pass);
  return gather_rows(dropout(hidden, pass.dropout(config().dropout)), steps.inverse());
}

class Recurrent::State final : public DecodingState {
 public:
  explicit State(const Recurrent& model) : model_(model) {}

  std::int64_t hypotheses() const override { return static_cast<std::int64_t>(sentence_.size()); }

  void join(const Ragged& src) override {
    const NoGradient guard;
    Pass pass = Pass::inference();
    const Variable memory = model_.encode(src, pass),
                   states = model_.initial_states(memory, src.offsets, pass);
    const AdditiveAttention::Memory more = model_.attention_.project_memory(memory, pass);
    drop_unused_sources();
    const bool first = sentence_.empty();
    memory_.values = first ? more.values : concat_rows({memory_.values, more.values});
    memory_.keys = first ? more.keys : concat_rows({memory_.keys, more.keys});
    state_ = first ? states : concat_rows({state_, states});
    Numbers offsets = first ? Numbers{0} : Numbers(src_offsets_->begin(), src_offsets_->end());
    const std::int32_t before = offsets.back();
    for (std::int64_t s = 0; s < src.sequences(); ++s) {
      sentence_.push_back(static_cast<std::int32_t>(offsets.size()) - 1);
      offsets.push_back(before + src.begin_of(s + 1));
    }
    src_offsets_ = std::move(offsets);
  }

  // One token of each hypothesis.
  Tensor advance(std::span<const std::int32_t> parents, const Ragged& tokens) override {
    const NoGradient guard;
    Pass pass = Pass::inference();
    check_step(hypotheses(), parents, *tokens.ids);
    const Variable words = model_.embed(model_.tgt_embedding_, tokens.ids, pass);
    const Variable before = gather_rows(state_, Numbers(parents.begin(), parents.end()));
    Numbers sentence;
    for (const std::int32_t parent : parents)
      sentence.push_back(sentence_[static_cast<std::size_t>(parent)]);
    sentence_ = std::move(sentence);
    const Variable contexts = model_.attention_.forward(
        before, memory_, hypotheses_layout(sentence_, src_offsets_), pass);
    state_ = model_.next_states(model_.decoder_.project_input(words, pass), contexts, before, pass);
    return model_.read_out(state_, contexts, words, pass).value();
  }

 private:
  // Keeps the memory of the sources that have a hypothesis.
  void drop_unused_sources() {
    if (sentence_.empty()) return;
    const std::int64_t sources = src_offsets_.size() - 1;
    Numbers number(static_cast<std::size_t>(sources), -1), rows, offsets{0};  // new number of each
    for (const std::int32_t s : sentence_) number[static_cast<std::size_t>(s)] = 0;
    for (std::int64_t s = 0; s < sources; ++s) {
      std::int32_t& kept = number[static_cast<std::size_t>(s)];
      if (kept < 0) continue;
      kept = static_cast<std::int32_t>(offsets.size()) - 1;
      for (std::int32_t row = src_offsets_[s]; row < src_offsets_[s + 1]; ++row)
        rows.push_back(row);
      offsets.push_back(static_cast<std::int32_t>(rows.size()));
    }
    if (std::ssize(offsets) == sources + 1) return;
    for (std::int32_t& s : sentence_) s = number[static_cast<std::size_t>(s)];
    memory_.values = gather_rows(memory_.values, rows);
    memory_.keys = gather_rows(memory_.keys, rows);
    src_offsets_ = std::move(offsets);
  }

  const Recurrent& model_;
  AdditiveAttention::Memory memory_;  // values [N, 2H], keys [N, A]
  Ids src_offsets_;                   // B+1
  Variable state_;                    // [R, H]
  Numbers sentence_;                  // of each hypothesis
};

void Recurrent::see_later_tokens() { refuse_to_see_later_tokens(); }

std::unique_ptr<DecodingState> Recurrent::decoding() const {
  return std::make_unique<State>(*this);
}

}  // namespace attend
