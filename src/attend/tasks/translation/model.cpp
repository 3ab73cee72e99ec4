#include "attend/tasks/translation/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "attend/checkpoint/options_json.h"
#include "attend/core/json/json.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/models/make_encoder_decoder.h"
#include "attend/tasks/model_file/golden.h"
#include "attend/tasks/model_file/model_reading.h"
#include "attend/tasks/translation/scoring.h"

namespace attend {

namespace {

// Vocabulary sizes are stored but are not options: the tokenizers determine them.
ArchitectureConfig read_config(const Checkpoint& checkpoint) {
  ModelOptions options;
  if (checkpoint.metadata.contains(
          "attend.arch")) {  // absent in files from before there were several architectures
    const std::string name = checkpoint.text("attend.arch");
    const auto names = enum_names(options.arch);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw DataError(fmt::format("{}: attend.arch: expected one of {}, found {}",
                                  checkpoint.source, fmt::join(names, ", "), printable(name, 60)));
    options.arch = static_cast<Architecture>(found - names.begin());
  }
  ArchitectureConfig config = options.chosen();
  std::visit(
      [&](auto& one) {
        options_from_json(checkpoint.text("attend.config"), one,
                          checkpoint.source + ": attend.config");
      },
      config);
  return config;
}

std::int64_t layers(const ArchitectureConfig& config) {
  const auto* transformer = std::get_if<TransformerConfig>(&config);
  return transformer == nullptr
             ? 0
             : std::int64_t{transformer->n_encoder_layers} + transformer->n_decoder_layers;
}

// The source and target tokenizers; a joint vocabulary is loaded once.
std::pair<Tokenizer, Tokenizer> read_tokenizers(const Checkpoint& checkpoint) {
  if (checkpoint.find("tokenizer") != nullptr) {
    const Tokenizer joint = read_tokenizer(checkpoint, "tokenizer");
    return {joint, joint};
  }
  return {read_tokenizer(checkpoint, "tokenizer.src"),
          read_decoding_tokenizer(checkpoint, "tokenizer.tgt")};
}

constexpr std::string_view kShortlist = "shortlist.";

Tensor ids_tensor(std::span<const std::int32_t> ids) {
  return Tensor::from(ids, {std::ssize(ids)});
}

std::vector<NamedTensor> shortlist_tensors(const Shortlist& shortlist) {
  return {{"shortlist.always", ids_tensor(shortlist.always)},
          {"shortlist.offsets", ids_tensor(*shortlist.translations.offsets)},
          {"shortlist.translations", ids_tensor(*shortlist.translations.ids)}};
}

std::vector<std::int32_t> read_ids(const Checkpoint& checkpoint, const char* name) {
  const Tensor& tensor = checkpoint.tensor(name);
  if (tensor.dtype() != DType::i32 || tensor.shape().rank() != 1)
    throw DataError(fmt::format("{}: tensor {}: expected a list of ids", checkpoint.source, name));
  const std::span<const std::int32_t> ids = tensor.span<std::int32_t>();
  return {ids.begin(), ids.end()};
}

std::shared_ptr<const Shortlist> read_shortlist(const Checkpoint& checkpoint, const Tokenizer& src,
                                                const Tokenizer& tgt) {
  if (checkpoint.find("shortlist.always") == nullptr) return nullptr;
  auto shortlist = std::make_shared<Shortlist>();
  shortlist->always = read_ids(checkpoint, "shortlist.always");
  const std::vector<std::int32_t> offsets = read_ids(checkpoint, "shortlist.offsets"),
                                  ids = read_ids(checkpoint, "shortlist.translations");
  const bool fits = std::ssize(offsets) == src.vocab_size() + 1 && offsets.front() == 0 &&
                    offsets.back() == std::ssize(ids) &&
                    std::is_sorted(offsets.begin(), offsets.end());
  const bool ends = std::find(shortlist->always.begin(), shortlist->always.end(), tgt.eos_id()) !=
                    shortlist->always.end();
  if (!fits || !ends || !is_in_vocabulary(shortlist->always, tgt) || !is_in_vocabulary(ids, tgt))
    throw DataError(fmt::format("{}: the shortlist does not match the model's vocabularies",
                                checkpoint.source));
  shortlist->translations = Ragged::copy(ids, offsets);
  return shortlist;
}

const std::string kSuppressedKey = "attend.suppressed_tokens";

std::vector<std::int32_t> read_suppressed(const Checkpoint& checkpoint, const Tokenizer& tgt) {
  if (!checkpoint.metadata.contains(kSuppressedKey)) return {};
  const std::string where = checkpoint.source + ": " + kSuppressedKey;
  const std::vector<std::int32_t> ids =
      json_ids(parse_json(checkpoint.text(kSuppressedKey), where), where);
  const bool never_ends = std::find(ids.begin(), ids.end(), tgt.eos_id()) != ids.end();
  if (!is_in_vocabulary(ids, tgt) || never_ends || std::ssize(ids) >= tgt.vocab_size())
    throw DataError(where + ": expected ids of the target vocabulary, without its end of sentence");
  return ids;
}

const std::string kEndsKey = "attend.end_tokens";

std::vector<std::int32_t> read_ends(const Checkpoint& checkpoint, const Tokenizer& tgt) {
  if (!checkpoint.metadata.contains(kEndsKey)) return {tgt.eos_id()};
  const std::string where = checkpoint.source + ": " + kEndsKey;
  std::vector<std::int32_t> ids = json_ids(parse_json(checkpoint.text(kEndsKey), where), where);
  if (ids.empty() || !is_in_vocabulary(ids, tgt))
    throw DataError(where + ": expected ids of the target vocabulary");
  return ids;
}

const std::string kAlignmentKey = "attend.alignment_layer";

int read_aligning_layer(const Checkpoint& checkpoint, const ArchitectureConfig& config) {
  if (!checkpoint.metadata.contains(kAlignmentKey)) return -1;
  const std::string text = checkpoint.text(kAlignmentKey);
  const auto* const transformer = std::get_if<TransformerConfig>(&config);
  for (int layer = 0; transformer != nullptr && layer < transformer->n_decoder_layers; ++layer)
    if (text == std::to_string(layer)) return layer;
  throw DataError(fmt::format("{}: {}: expected a layer of the decoder, found {}",
                              checkpoint.source, kAlignmentKey, printable(text, 60)));
}

const std::string kTrustKey = "attend.trust";

std::shared_ptr<const TrustCalibration> read_trust(const Checkpoint& checkpoint) {
  if (!checkpoint.metadata.contains(kTrustKey)) return nullptr;
  return std::make_shared<const TrustCalibration>(
      read_trust_calibration(checkpoint.text(kTrustKey), checkpoint.source + ": " + kTrustKey));
}

// Returns the format of a model of one pair of languages.
PairFormat usual_format(const Tokenizer& src, const Tokenizer& tgt) {
  return {.marks = {{}, {src.eos_id()}, {tgt.bos_id()}}};
}

PairFormat read_format(const Checkpoint& checkpoint, const Tokenizer& src, const Tokenizer& tgt) {
  if (checkpoint.metadata.contains(kPairFormatKey))
    return read_pair_format(checkpoint.text(kPairFormatKey), {src.vocab_size(), tgt.vocab_size()},
                            checkpoint.source + ": " + kPairFormatKey);
  if (tgt.bos_id() < 0)
    throw DataError(
        fmt::format("{}: tokenizer: expected a token that begins a translation, found none",
                    checkpoint.source));
  return usual_format(src, tgt);
}

// The first `longest` ids; 0: all.
std::vector<std::int32_t> first_ids(std::vector<std::int32_t> ids, std::int64_t longest) {
  if (longest > 0 && std::ssize(ids) > longest) ids.resize(static_cast<std::size_t>(longest));
  return ids;
}

}  // namespace

std::string config_json(const ArchitectureConfig& config) {
  return std::visit([](const auto& one) { return options_to_json(one); }, config);
}

TranslationModel::TranslationModel(std::shared_ptr<EncoderDecoder> network_, Tokenizer src,
                                   Tokenizer tgt, ModelDecoding decoding_,
                                   std::shared_ptr<const Shortlist> shortlist_)
    : network(std::move(network_)),
      src_tokenizer(std::move(src)),
      tgt_tokenizer(std::move(tgt)),
      decoding(decoding_),
      format(usual_format(src_tokenizer, tgt_tokenizer)),
      ends{tgt_tokenizer.eos_id()},
      shortlist(std::move(shortlist_)) {}

std::string TranslationModel::aligning_module() const {
  return fmt::format("decoder.layers.{}.cross_attn", aligning_layer);
}

std::vector<NamedTokenizer> TranslationModel::tokenizers() const {
  if (src_tokenizer.bytes() == tgt_tokenizer.bytes()) return {{"tokenizer", src_tokenizer}};
  return {{"tokenizer.src", src_tokenizer}, {"tokenizer.tgt", tgt_tokenizer}};
}

Metadata TranslationModel::configuration() const {
  const ArchitectureConfig config = network->architecture();
  Metadata metadata{{"attend.arch", std::string(name_of(config))},
                    {"attend.config", config_json(config)},
                    {"attend.decoding", options_to_json(decoding)}};
  if (aligning_layer >= 0) metadata[kAlignmentKey] = fmt::format("{}", aligning_layer);
  if (trust) metadata[kTrustKey] = to_json_text(*trust);
  if (!suppressed.empty())
    metadata[kSuppressedKey] = fmt::format("[{}]", fmt::join(suppressed, ","));
  if (ends != std::vector{tgt_tokenizer.eos_id()})
    metadata[kEndsKey] = fmt::format("[{}]", fmt::join(ends, ","));
  const std::string format_json = pair_format_json(format);
  if (format_json != pair_format_json(usual_format(src_tokenizer, tgt_tokenizer)))
    metadata[kPairFormatKey] = format_json;
  return metadata;
}

std::vector<NamedTensor> TranslationModel::other_tensors() const {
  return shortlist ? shortlist_tensors(*shortlist) : std::vector<NamedTensor>{};
}

TextEncoder TranslationModel::text_encoder() const {
  const PairSpecialTokens marks = format.of_any();
  if (marks.before_source.size() > 1 || marks.after_source.size() != 1)
    throw DataError(fmt::format(
        "{}: expected at most one token before a text and one after it, found {} and {}", source,
        marks.before_source.size(), marks.after_source.size()));
  return {src_tokenizer,
          {.bos = marks.before_source.empty() ? -1 : marks.before_source.front(),
           .eos = marks.after_source.front()},
          network->encoder_layers(),
          network->d_model(),
          [network = network] { return network->src_embeddings(); },
          [network = network](const Ragged& texts, Pass& pass) {
            return network->encode(texts, pass);
          }};
}

std::optional<StackConfig> TranslationModel::stack() const {
  const ArchitectureConfig config = network->architecture();
  const auto* const transformer = std::get_if<TransformerConfig>(&config);
  return transformer == nullptr ? std::nullopt : std::optional<StackConfig>(*transformer);
}

GoldenFormat TranslationModel::golden_format() const {
  return {{{"src", &src_tokenizer}, {"tgt", &tgt_tokenizer}}, "log_probability", "translations"};
}

GoldenInput TranslationModel::random_input(Random& random) const {
  const PairSpecialTokens marks = format.of_any();
  const auto drawn = [&](const Tokenizer& tokenizer, int beside) {
    const std::int64_t learned = longest_input();
    return first_ids(random_ids(random, tokenizer),
                     learned > 0 ? std::max<std::int64_t>(1, learned - beside) : 0);
  };
  std::vector<std::int32_t> src = marks.around(drawn(src_tokenizer, marks.of_source()));
  return {std::move(src), drawn(tgt_tokenizer, marks.of_target())};
}

std::vector<std::vector<float>> TranslationModel::golden_outputs(
    const std::vector<GoldenInput>& inputs) const {
  std::vector<std::vector<std::int32_t>> src, tgt;
  for (const GoldenInput& input : inputs) {
    src.push_back(input[0]);
    tgt.push_back(input[1]);
  }
  std::vector<std::vector<float>> outputs;
  for (const SequenceScore& score : score_pairs(*this, format.of_any(), src, tgt))
    outputs.push_back({score.log_probability});
  return outputs;
}

namespace {

Checkpoint without_training_state(Checkpoint checkpoint) {
  std::erase_if(checkpoint.tensors,
                [](const NamedTensor& t) { return t.name.starts_with(kTrainingState); });
  std::erase_if(checkpoint.metadata,
                [](const auto& entry) { return entry.first.starts_with(kTrainingState); });
  return checkpoint;
}

}  // namespace

Checkpoint with_shortlist(const Checkpoint& checkpoint, const Shortlist& shortlist) {
  Checkpoint result = without_training_state(checkpoint);
  std::erase_if(result.tensors,
                [](const NamedTensor& t) { return t.name.starts_with(kShortlist); });
  for (NamedTensor& tensor : shortlist_tensors(shortlist))
    result.tensors.push_back(std::move(tensor));
  return result;
}

Checkpoint with_trust(const Checkpoint& checkpoint, const TrustCalibration& calibration) {
  Checkpoint result = without_training_state(checkpoint);
  result.metadata[kTrustKey] = to_json_text(calibration);
  return result;
}

TranslationModel translation_model(const Checkpoint& checkpoint) {
  require_task(checkpoint, TranslationModel::kTask);
  auto [src, tgt] = read_tokenizers(checkpoint);
  PairFormat format = read_format(checkpoint, src, tgt);
  ArchitectureConfig config = read_config(checkpoint);
  const auto decoding = read_options_if_any<ModelDecoding>(checkpoint, "attend.decoding");
  common(config).src_vocab_size = src.vocab_size();
  common(config).tgt_vocab_size = tgt.vocab_size();
  std::shared_ptr<EncoderDecoder> network =
      read_network(checkpoint, layers(config), [&] { return make_encoder_decoder(config); });
  auto shortlist = read_shortlist(checkpoint, src, tgt);
  TranslationModel model(std::move(network), std::move(src), std::move(tgt), decoding,
                         std::move(shortlist));
  model.format = std::move(format);
  model.suppressed = read_suppressed(checkpoint, model.tgt_tokenizer);
  model.ends = read_ends(checkpoint, model.tgt_tokenizer);
  model.aligning_layer = read_aligning_layer(checkpoint, config);
  model.trust = read_trust(checkpoint);
  model.source = checkpoint.source;
  model.text_kinds = read_text_kinds(checkpoint);
  return model;
}

PairFormat read_pair_format(const Checkpoint& checkpoint) {
  const auto [src, tgt] = read_tokenizers(checkpoint);
  return read_format(checkpoint, src, tgt);
}

TranslationModel load_translation_model(const std::filesystem::path& path) {
  return read_checkpoint(path, translation_model);
}

}  // namespace attend
