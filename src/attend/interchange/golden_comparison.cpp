#include "attend/interchange/golden_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "attend/checkpoint/safetensors.h"
#include "attend/core/json.h"
#include "attend/decode/beam_search.h"
#include "attend/decode/encoder_decoder_scorer.h"
#include "attend/decode/language_scorer.h"
#include "attend/error.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/translation/model.h"

namespace attend {

namespace {

// The record: texts, their ids, and the values and ids computed from them.
class GoldenRecord {
 public:
  explicit GoldenRecord(const std::filesystem::path& path)
      : file_(SafetensorsFile::open(path)), where_(path.string()) {}

  std::string text(const char* key) const {
    const auto found = file_.metadata().find(key);
    if (found == file_.metadata().end()) throw DataError(fmt::format("{}: no {}", where_, key));
    return found->second;
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> texts;
    for (const auto& one : parse_json(text("texts"), where_)) {
      if (!one.is_string()) throw DataError(where_ + ": texts: expected strings");
      texts.push_back(one.get<std::string>());
    }
    return texts;
  }
  // The sequences of `name`, all ids within the vocabulary of this size.
  Ragged sequences(const std::string& name, std::int64_t vocabulary) const {
    const std::vector<std::int32_t> ids = integers(name), offsets = integers(name + ".offsets");
    const bool fits = !offsets.empty() && offsets.front() == 0 &&
                      offsets.back() == std::ssize(ids) &&
                      std::is_sorted(offsets.begin(), offsets.end());
    const bool known = std::all_of(ids.begin(), ids.end(),
                                   [&](std::int32_t id) { return id >= 0 && id < vocabulary; });
    if (!fits || !known)
      throw DataError(
          fmt::format("{}: {}: expected sequences of ids below {}", where_, name, vocabulary));
    return Ragged::copy(ids, offsets);
  }
  // An undefined tensor if there is none of that name.
  Tensor tensor(const std::string& name) const {
    return file_.contains(name) ? file_.tensor(name) : Tensor();
  }
  const std::string& where() const { return where_; }

 private:
  std::vector<std::int32_t> integers(const std::string& name) const {
    const Tensor found = tensor(name);
    if (!found.defined() || found.dtype() != DType::i32 || found.shape().rank() != 1)
      throw DataError(fmt::format("{}: {}: expected a list of integers", where_, name));
    const std::span<const std::int32_t> values = found.span<std::int32_t>();
    return {values.begin(), values.end()};
  }

  SafetensorsFile file_;
  std::string where_;
};

float largest_difference(const Tensor& ours, const Tensor& theirs, const std::string& what,
                         const std::string& where) {
  if (ours.shape() != theirs.shape() || theirs.dtype() != DType::f32)
    throw DataError(fmt::format("{}: {}: expected {}, found {}", where, what,
                                to_string(ours.shape()), to_string(theirs.shape())));
  const std::vector<float> a = ours.to_vector(), b = theirs.to_vector();
  float largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const float difference = std::abs(a[i] - b[i]) / (1 + std::abs(b[i]));
    if (!(difference <= largest)) largest = difference;  // NaN, too
  }
  return largest;
}

class Comparer {
 public:
  explicit Comparer(const GoldenRecord& record) : record_(record) {}

  void compare(const std::string& what, const std::string& name, const Tensor& ours) {
    const Tensor theirs = record_.tensor(name);
    if (!theirs.defined()) return;
    result.differences.push_back({what, largest_difference(ours, theirs, what, record_.where())});
  }
  void compare_states(const char* stack, const std::vector<Tensor>& states) {
    for (std::size_t layer = 0; layer < states.size(); ++layer)
      compare(layer == 0 ? fmt::format("input of the {}", stack)
                         : fmt::format("{} layer {}", stack, layer),
              fmt::format("{}.{}", stack, layer), states[layer].to_host());
  }
  // Compares the tokens of every text, enclosed in `before` and `after` unless they are negative.
  void compare_ids(const Tokenizer& tokenizer, const Ragged& ids, std::int32_t before,
                   std::int32_t after) {
    const std::vector<std::string> texts = record_.texts();
    if (std::ssize(texts) != ids.sequences())
      throw DataError(record_.where() + ": expected as many sequences as texts");
    result.texts = static_cast<int>(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      std::vector<std::int32_t> ours = tokenizer.encode(texts[i]);
      if (before >= 0) ours.insert(ours.begin(), before);
      if (after >= 0) ours.push_back(after);
      const auto theirs = ids[static_cast<std::int64_t>(i)];
      result.equal_ids += std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end());
    }
  }

  GoldenComparison result;

 private:
  const GoldenRecord& record_;
};

// The rows of the texts whose states were recorded.
std::int64_t recorded_texts(const GoldenRecord& record, const Ragged& written) {
  const Tensor logits = record.tensor("logits");
  const std::int64_t rows = logits.defined() ? logits.rows() : 0;
  std::int64_t texts = 0;
  while (texts < written.sequences() && written.begin_of(texts + 1) <= rows) ++texts;
  return texts;
}

// Decodes every text greedily, up to the length of the record. Returns how many are equal.
int count_equal_written(const TranslationModel& model, const Ragged& src, const Ragged& written) {
  int equal = 0;
  for (std::int64_t i = 0; i < src.sequences(); ++i) {
    const auto expected = written[i].subspan(1);  // after the first token
    EncoderDecoderScorer scorer(*model.network, src.slice(i, i + 1), written[i].front(),
                                model.suppressed);
    BeamSearchOptions greedy;
    greedy.beam_size = 1;
    greedy.max_length = static_cast<int>(std::ssize(expected));
    std::vector<std::int32_t> ours =
        beam_search(scorer, model.special().eos, greedy).front().front().ids;
    if (std::ssize(ours) < std::ssize(expected)) ours.push_back(model.special().eos);
    equal += std::equal(ours.begin(), ours.end(), expected.begin(), expected.end());
  }
  return equal;
}

GoldenComparison compare_translation(const TranslationModel& model, const GoldenRecord& record) {
  const NoGradient guard;
  Comparer comparer(record);
  const Ragged src = record.sequences("ids", model.src_tokenizer.vocab_size()),
               written = record.sequences("written", model.tgt_tokenizer.vocab_size());
  if (src.sequences() != written.sequences())
    throw DataError(record.where() + ": expected as many translations as texts");
  for (const Ragged* side : {&src, &written}) {
    for (std::int64_t i = 0; i < side->sequences(); ++i)
      if (side->length(i) == 0) throw DataError(record.where() + ": a sequence is empty");
  }
  comparer.compare_ids(model.src_tokenizer, src, -1, model.src_tokenizer.eos_id());
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
  comparer.result.equal_written = count_equal_written(model, src, written);
  return comparer.result;
}

// Continues every text greedily. Returns how many continuations are equal.
int count_equal_continuations(const LanguageModel& model, const Ragged& ids,
                              const Ragged& written) {
  int equal = 0;
  for (std::int64_t i = 0; i < ids.sequences(); ++i) {
    const auto expected = written[i].subspan(ids[i].size());
    const auto length = static_cast<std::int64_t>(written[i].size());
    LanguageScorer scorer(*model.network, ids[i],
                          {.context = length, .max_length = length, .cache = {}, .forbidden = {}});
    BeamSearchOptions greedy;
    greedy.beam_size = 1;
    greedy.max_length = static_cast<int>(std::ssize(expected));
    std::vector<std::int32_t> ours =
        beam_search(scorer, model.tokenizer.eos_id(), greedy).front().front().ids;
    if (std::ssize(ours) < std::ssize(expected)) ours.push_back(model.tokenizer.eos_id());
    equal += std::equal(ours.begin(), ours.end(), expected.begin(), expected.end());
  }
  return equal;
}

GoldenComparison compare_language(const LanguageModel& model, const GoldenRecord& record) {
  const NoGradient guard;
  Comparer comparer(record);
  const std::int64_t vocabulary = model.tokenizer.vocab_size();
  const Ragged ids = record.sequences("ids", vocabulary),
               written = record.sequences("written", vocabulary);
  for (std::int64_t i = 0; i < ids.sequences(); ++i) {
    if (ids.length(i) == 0 || ids.sequences() != written.sequences() ||
        written.length(i) <= ids.length(i))
      throw DataError(record.where() + ": expected a continuation of every text");
  }
  const bool begins = model.first_token != model.tokenizer.eos_id();
  comparer.compare_ids(model.tokenizer, ids, begins ? model.first_token : -1, -1);
  const Ragged looked_into = written.slice(0, recorded_texts(record, written));
  Pass pass = Pass::inference();
  std::vector<Tensor> states;
  pass.hidden = &states;
  const Variable hidden = model.network->hidden(looked_into, pass);
  comparer.compare_states("decoder", states);
  comparer.compare("logits", "logits", model.network->project(hidden).value().to_host());
  comparer.result.equal_written = count_equal_continuations(model, ids, written);
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
    throw DataError(fmt::format("{}: expected a record of a {} model, found {}", record.where(),
                                model.task(), kind));
  return visit_model(
      model,
      [&](const TranslationModel& translation) { return compare_translation(translation, record); },
      [&](const LanguageModel& language) { return compare_language(language, record); },
      [&](const SavedModel& other) -> GoldenComparison {
        throw DataError(
            fmt::format("{}: a {} model has no comparison", record.where(), other.task()));
      });
}

}  // namespace attend
