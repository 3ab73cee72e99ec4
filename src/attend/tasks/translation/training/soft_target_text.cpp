#include "attend/tasks/translation/training/soft_target_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "attend/autograd/variable.h"
#include "attend/backend/backend.h"
#include "attend/core/json/json.h"
#include "attend/core/json/json_text.h"
#include "attend/core/strings/quote.h"
#include "attend/data/batching/batcher.h"
#include "attend/error.h"
#include "attend/ops/losses/distillation.h"
#include "attend/tasks/training/part_folder.h"

namespace attend {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::int64_t kPairsOfPart = 4096;  // pairs that a stop may lose
constexpr std::int64_t kBatchTokens = 2048;  // of a pass of the teachers
constexpr const char* kInfoKey = "soft_targets";
constexpr double kShareUnit = 65535.0;

std::filesystem::path part_file(const std::filesystem::path& folder, std::int64_t part) {
  return folder / fmt::format("part-{:06}.safetensors", part + 1);
}

std::string settings_of(const TranslationEnsemble& teachers, const TaughtPairs& text, int k) {
  std::string settings = fmt::format("teacher-top-k = {}\n", k) + to_toml(text.length);
  for (const auto& model : teachers.models())
    settings += fmt::format("# by {}\n", printable(model->source, 500));
  settings += text.checksums;
  for (std::size_t i = 0; i < text.src.size(); ++i)
    settings +=
        fmt::format("# of {} and {}\n", printable(text.src[i], 500), printable(text.tgt[i], 500));
  return settings;
}

template <class Number>
Tensor bytes_of(const std::vector<Number>& numbers) {
  return bytes_tensor(
      {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)});
}

template <class Number>
Number number_at(const Tensor& bytes, std::int64_t i) {
  Number number;
  std::memcpy(&number, tensor_bytes(bytes).data() + i * std::int64_t{sizeof number}, sizeof number);
  return number;
}

// The soft targets of pairs, as a part of the text has them.
struct PartContent {
  std::vector<std::int32_t> tokens;  // of each pair
  std::vector<std::int32_t> classes;
  std::vector<std::uint16_t> shares;

  void add(const Tensor& log_probabilities, const Tensor& of_classes) {
    const Tensor on_host = of_classes.to_host();
    const auto of_row = on_host.span<std::int32_t>();
    classes.insert(classes.end(), of_row.begin(), of_row.end());
    for (const float value : log_probabilities.to_vector())
      shares.push_back(
          static_cast<std::uint16_t>(std::lround(std::exp(double{value}) * kShareUnit)));
  }
  void save(const std::filesystem::path& file, int k, bool is_last) const {
    Checkpoint checkpoint;
    checkpoint.tensors = {{"tokens", Tensor::from(tokens, {std::ssize(tokens)})},
                          {"classes", bytes_of(classes)},
                          {"shares", bytes_of(shares)}};
    checkpoint.metadata[kInfoKey] = json_text(nlohmann::ordered_json{{"k", k}, {"last", is_last}});
    save_checkpoint(file, checkpoint);
  }
};

// The mean of the probabilities of teachers, as logits [N, V].
Tensor mean_logits(const TranslationEnsemble& teachers, const TranslationBatch& batch) {
  std::vector<Tensor> logits;
  for (const auto& teacher : teachers.models()) {
    Pass pass = Pass::inference();
    const EncoderDecoder& network = *teacher->network;
    logits.push_back(
        network
            .project(network.decode(batch.tgt_in, network.encode(batch.src, pass), batch.src, pass))
            .value());
  }
  return mean_of_teachers(std::move(logits));
}

PartContent content_of(const TranslationEnsemble& teachers, const ParallelText& text,
                       const TaughtPairs& files, int k) {
  const TranslationModel& first = teachers.first();
  ReadReport report;
  EncodedPairs pairs =
      encode_parallel(text, first.src_tokenizer, first.tgt_tokenizer, files.length, report);
  PartContent content;
  content.tokens.assign(text.src.size(), 0);
  const PairTokens tokens(first.format.of(files.languages), first.tgt_tokenizer.eos_id());
  for (std::size_t i = 0; i < pairs.origin.size(); ++i)
    content.tokens[static_cast<std::size_t>(pairs.origin[i])] =
        pairs.tgt.length(static_cast<std::int64_t>(i)) + tokens.marks.of_target();
  if (pairs.origin.empty()) return content;
  const TranslationBatcher batches(std::move(pairs), tokens, {kBatchTokens}, std::nullopt);
  const NoGradient guard;
  for (std::int64_t i = 0; i < batches.batches(0); ++i) {
    const Tensor logits = mean_logits(teachers, batches.batch(0, i));
    const Tensor values = Tensor::empty({logits.rows(), k}),
                 classes = Tensor::empty({logits.rows(), k}, DType::i32);
    backend()->log_softmax_top_k(logits, k, values, classes);
    content.add(values, classes);
  }
  return content;
}

}  // namespace

void write_soft_targets(const TranslationEnsemble& teachers, const TaughtPairs& text, int k,
                        const std::filesystem::path& folder,
                        const std::function<void(std::int64_t)>& progress) {
  const auto most =
      std::min<std::int64_t>(kMostSoftTargets, teachers.first().tgt_tokenizer.vocab_size());
  k = static_cast<int>(std::min<std::int64_t>(k, most));
  open_part_folder(folder, settings_of(teachers, text, k), "probabilities");
  ParallelReader reader(text.src, text.tgt);
  ParallelText now, next;
  bool more = reader.read(kPairsOfPart, now);
  std::int64_t done = 0;
  for (std::int64_t part = 0; more; ++part) {
    more = reader.read(kPairsOfPart, next);
    const std::filesystem::path file = part_file(folder, part);
    if (!std::filesystem::exists(file)) content_of(teachers, now, text, k).save(file, k, !more);
    progress(done += std::ssize(now.src));
    now = std::exchange(next, {});
  }
}

SoftTargetText::SoftTargetText(const std::filesystem::path& folder) : folder_(folder.string()) {
  for (bool more = true; more;) {
    const std::filesystem::path file = part_file(folder, std::ssize(parts_));
    if (!std::filesystem::exists(file))
      throw DataError(
          fmt::format("{}: expected the probabilities of teachers as attend distill writes them, "
                      "found {} parts "
                      "without the last",
                      printable(folder_, 500), parts_.size()));
    const Checkpoint checkpoint = load_checkpoint(file);
    const auto info = parse_json(checkpoint.text(kInfoKey), checkpoint.source);
    k_ = info.value("k", std::int64_t{0});
    more = !info.value("last", true);
    std::int64_t first = 0;
    bool is_valid = true;
    for (const std::int32_t tokens : checkpoint.tensor("tokens").span<std::int32_t>()) {
      places_.push_back(
          {static_cast<std::uint32_t>(parts_.size()), static_cast<std::uint32_t>(tokens), first});
      first += tokens;
      is_valid = is_valid && tokens >= 0;
    }
    parts_.push_back({checkpoint.tensor("classes"), checkpoint.tensor("shares")});
    const auto bytes = [&](const Tensor& of, std::size_t size) {
      return tensor_bytes(of).size() == static_cast<std::size_t>(first * k_) * size;
    };
    if (k_ < 1 || !is_valid || !bytes(parts_.back().classes, sizeof(std::int32_t)) ||
        !bytes(parts_.back().shares, sizeof(std::uint16_t)))
      throw DataError(fmt::format("{}: expected {} tokens of {} probabilities each",
                                  checkpoint.source, first, k_));
  }
}

SoftTargets SoftTargetText::of(std::span<const std::int32_t> pairs, float weight) const {
  std::vector<std::int32_t> classes;
  std::vector<float> shares;
  for (const std::int32_t pair : pairs) {
    const Place& place = places_[static_cast<std::size_t>(pair)];
    const Part& part = parts_[place.part];
    for (std::int64_t i = place.first * k_; i < (place.first + place.tokens) * k_; ++i) {
      classes.push_back(number_at<std::int32_t>(part.classes, i));
      shares.push_back(number_at<std::uint16_t>(part.shares, i));
    }
  }
  return SoftTargets(std::move(classes), shares, k_, weight);
}

}  // namespace attend
