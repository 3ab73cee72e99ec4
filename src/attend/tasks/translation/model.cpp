#include "attend/tasks/translation/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/checkpoint/options_json.h"
#include "attend/checkpoint/parameters.h"
#include "attend/core/error.h"
#include "attend/core/option_fields.h"
#include "attend/core/quote.h"
#include "attend/models/make_encoder_decoder.h"
#include "attend/tasks/golden_ids.h"

namespace attend {

namespace {

constexpr const char* kTask = "translation";

// The vocabulary sizes belong to the file but are no options: the tokenizers decide them.
ArchitectureConfig read_config(const Checkpoint& checkpoint) {
  ModelOptions options;
  if (checkpoint.metadata.contains("attend.arch")) {  // files from before there were several have none
    const std::string name = checkpoint.text("attend.arch");
    const auto names = enum_names(options.arch);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw DataError(
          fmt::format("{}: attend.arch: expected one of {}, found {}", checkpoint.source, fmt::join(names, ", "), printable(name, 60)));
    options.arch = static_cast<Architecture>(found - names.begin());
  }
  ArchitectureConfig config = options.chosen();
  std::visit([&](auto& one) { options_from_json(checkpoint.text("attend.config"), one, checkpoint.source + ": attend.config"); }, config);
  return config;
}

// A number of layers that no file could hold would only cost memory.
void check_layers(const ArchitectureConfig& config, const Checkpoint& checkpoint) {
  const auto* transformer = std::get_if<TransformerConfig>(&config);
  if (transformer == nullptr) return;
  const std::int64_t layers = std::int64_t{transformer->n_encoder_layers} + transformer->n_decoder_layers;
  if (layers > std::ssize(checkpoint.tensors))
    throw DataError(
        fmt::format("{}: attend.config: {} layers need more than {} tensors", checkpoint.source, layers, checkpoint.tensors.size()));
}

// Files from before decoding was recorded have none.
TranslationDecoding read_decoding(const Checkpoint& checkpoint) {
  TranslationDecoding decoding;
  if (!checkpoint.metadata.contains("attend.decoding")) return decoding;
  options_from_json(checkpoint.text("attend.decoding"), decoding, checkpoint.source + ": attend.decoding");
  return decoding;
}

Tokenizer read_tokenizer(const Checkpoint& checkpoint, const char* name) {
  try {
    return Tokenizer::from_bytes(tensor_bytes(checkpoint.tensor(name)));
  } catch (const Error& error) {
    throw DataError(fmt::format("{}: {}", checkpoint.source, error.what()));
  }
}

struct Tokenizers {
  Tokenizer src, tgt;
};

// A joint vocabulary is built once.
Tokenizers read_tokenizers(const Checkpoint& checkpoint) {
  if (checkpoint.find("tokenizer") == nullptr)
    return {read_tokenizer(checkpoint, "tokenizer.src"), read_tokenizer(checkpoint, "tokenizer.tgt")};
  const Tokenizer joint = read_tokenizer(checkpoint, "tokenizer");
  return {joint, joint};
}

constexpr std::string_view kShortlist = "shortlist.";

Tensor ids_tensor(const std::vector<std::int32_t>& ids) { return Tensor::from(ids, {std::ssize(ids)}); }

void add_shortlist(Checkpoint& checkpoint, const Shortlist& shortlist) {
  checkpoint.tensors.push_back({"shortlist.always", ids_tensor(shortlist.always)});
  checkpoint.tensors.push_back({"shortlist.offsets", ids_tensor(*shortlist.translations.offsets)});
  checkpoint.tensors.push_back({"shortlist.translations", ids_tensor(*shortlist.translations.ids)});
}

std::vector<std::int32_t> read_ids(const Checkpoint& checkpoint, const char* name) {
  const Tensor& tensor = checkpoint.tensor(name);
  if (tensor.dtype() != DType::i32 || tensor.shape().rank() != 1)
    throw DataError(fmt::format("{}: tensor {}: expected a list of ids", checkpoint.source, name));
  const std::span<const std::int32_t> ids = tensor.span<std::int32_t>();
  return {ids.begin(), ids.end()};
}

std::shared_ptr<const Shortlist> read_shortlist(const Checkpoint& checkpoint, const Tokenizer& src, const Tokenizer& tgt) {
  if (checkpoint.find("shortlist.always") == nullptr) return nullptr;
  auto shortlist = std::make_shared<Shortlist>();
  shortlist->always = read_ids(checkpoint, "shortlist.always");
  const std::vector<std::int32_t> offsets = read_ids(checkpoint, "shortlist.offsets"), ids = read_ids(checkpoint, "shortlist.translations");
  const bool fits = std::ssize(offsets) == src.vocab_size() + 1 && offsets.front() == 0 && offsets.back() == std::ssize(ids) &&
                    std::is_sorted(offsets.begin(), offsets.end());
  const bool ends = std::find(shortlist->always.begin(), shortlist->always.end(), tgt.eos_id()) != shortlist->always.end();
  if (!fits || !ends || !is_in_vocabulary(shortlist->always, tgt) || !is_in_vocabulary(ids, tgt))
    throw DataError(fmt::format("{}: its shortlist is not one for its vocabularies", checkpoint.source));
  shortlist->translations = Ragged::copy(ids, offsets);
  return shortlist;
}

}  // namespace

std::string config_json(const ArchitectureConfig& config) {
  return std::visit([](const auto& one) { return options_to_json(one); }, config);
}

void describe_translation_model(Checkpoint& checkpoint, const TranslationModel& model) {
  const Tokenizer& src = model.src_tokenizer;
  const Tokenizer& tgt = model.tgt_tokenizer;
  checkpoint.metadata["attend.task"] = kTask;
  checkpoint.metadata["attend.arch"] = name_of(model.network->architecture());
  checkpoint.metadata["attend.config"] = config_json(model.network->architecture());
  checkpoint.metadata["attend.decoding"] = options_to_json(model.decoding);
  if (src.bytes() == tgt.bytes()) {
    checkpoint.tensors.push_back({"tokenizer", bytes_tensor(src.bytes())});
  } else {
    checkpoint.tensors.push_back({"tokenizer.src", bytes_tensor(src.bytes())});
    checkpoint.tensors.push_back({"tokenizer.tgt", bytes_tensor(tgt.bytes())});
  }
  if (model.shortlist) add_shortlist(checkpoint, *model.shortlist);
}

Checkpoint with_shortlist(const Checkpoint& checkpoint, const Shortlist& shortlist) {
  Checkpoint result = checkpoint;
  std::erase_if(result.tensors, [](const NamedTensor& t) { return t.name.starts_with(kTrainingState) || t.name.starts_with(kShortlist); });
  std::erase_if(result.metadata, [](const auto& entry) { return entry.first.starts_with(kTrainingState); });
  add_shortlist(result, shortlist);
  return result;
}

TranslationModel translation_model(const Checkpoint& checkpoint) {
  if (const std::string& task = checkpoint.text("attend.task"); task != kTask)
    throw DataError(fmt::format("{}: expected a model for {}, found one for {}", checkpoint.source, kTask, printable(task, 60)));
  auto [src, tgt] = read_tokenizers(checkpoint);
  ArchitectureConfig config = read_config(checkpoint);
  const TranslationDecoding decoding = read_decoding(checkpoint);
  common(config).src_vocab_size = src.vocab_size();
  common(config).tgt_vocab_size = tgt.vocab_size();
  check_layers(config, checkpoint);
  try {
    auto network = make_encoder_decoder(config, EncoderDecoder::Purpose::inference);
    load_parameters(checkpoint, network->parameters());
    auto shortlist = read_shortlist(checkpoint, src, tgt);
    return {std::move(network), std::move(src), std::move(tgt), decoding, std::move(shortlist), checkpoint.source};
  } catch (const DataError&) {
    throw;
  } catch (const Error& error) {  // no such shape, or no memory for it
    throw DataError(fmt::format("{}: attend.config: {}", checkpoint.source, error.what()));
  }
}

TranslationModel load_translation_model(const std::filesystem::path& path) { return translation_model(open_checkpoint(path)); }

}  // namespace attend
