#include "attend/interchange/families/checkpoints/eole_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <utility>

#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/weights/foreign_weights.h"

namespace attend {

namespace {

// What eole does to texts in training alone.
constexpr std::array<std::string_view, 7> kTrainingTransforms{
    "filtertoolong", "filtertooshort", "clean", "switchout", "tokendrop", "tokenmask", "bart"};

SubwordFile::Kind read_eole_transforms(ForeignConfig& config) {
  constexpr const char* kTransforms = "transforms";
  SubwordFile::Kind kind = SubwordFile::Kind::none;
  if (!config.has(kTransforms)) return kind;
  for (const std::string& name : config.texts(kTransforms)) {
    if (name == "sentencepiece") {
      kind = SubwordFile::Kind::sentencepiece;
    } else if (name == "bpe") {
      kind = SubwordFile::Kind::codes;
    } else if (std::find(kTrainingTransforms.begin(), kTrainingTransforms.end(), name) ==
               kTrainingTransforms.end()) {
      config.refuse(kTransforms, fmt::format("what {} does to texts is not supported; "
                                             "supported: sentencepiece, bpe",
                                             quote(name)));
    }
  }
  return kind;
}

// The file that splits the texts of a side. A model that shares its vocabulary has one.
SubwordFile read_eole_subwords(const EoleFiles& files, std::string side) {
  const SubwordFile::Kind kind = read_eole_transforms(files.config);
  if (kind == SubwordFile::Kind::none) return find_subwords(files.directory);
  const char* const transform = kind == SubwordFile::Kind::codes ? "bpe" : "sentencepiece";
  if (files.config.boolean_or("share_vocab", false)) side = "src";
  ForeignConfig& settings = files.config.object("transforms_configs").object(transform);
  if (!settings.text_or(side + "_subword_vocab", "").empty())
    settings.require(side + "_vocab_threshold", 0);
  const std::string name =
      std::filesystem::path(settings.text(side + "_subword_model")).filename().string();
  if (name.empty() || !files.directory.contains(name))
    throw DataError(fmt::format("{}: expected the file {}, which splits words",
                                files.directory.path(), quote(name)));
  return {kind, name};
}

// Every entry once, and the special ones among them.
void check_entries(const EoleFiles& files, const std::vector<std::string>& entries,
                   std::string_view side) {
  std::set<std::string_view> known;
  for (const std::string& entry : entries)
    if (!known.insert(entry).second)
      throw DataError(fmt::format("{}/vocab.json, {}: expected every entry once, found {} twice",
                                  files.directory.path(), side, quote(entry)));
  const SpecialPieces& special = files.special;
  for (const std::string* one : {&special.bos, &special.eos, &special.pad, &special.unk})
    if (!known.contains(*one))
      throw DataError(
          fmt::format("{}/vocab.json, {}: expected the entry {} of specials, found none",
                      files.directory.path(), side, quote(*one)));
}

}  // namespace

TensorTable open_eole_weights(const ModelDirectory& directory) {
  TensorTable weights(directory.path());
  for (const std::string& name : directory.names()) {
    if (!name.starts_with("model.") || !name.ends_with(".safetensors")) continue;
    const TensorTable shard = open_foreign_weights(directory.open(name));
    for (const ForeignTensor& tensor : shard.tensors()) weights.add(tensor);
  }
  std::vector<std::string> factors;
  for (const ForeignTensor& tensor : weights.tensors())
    if (tensor.name.ends_with(".layer_scalar")) factors.push_back(tensor.name);
  for (const std::string& name : factors)
    for (const float factor : weights.read(name).to_vector())
      if (factor != 1.0f)
        throw DataError(
            fmt::format("{}: {}: expected 1, found {}; factors of layers are not "
                        "supported",
                        directory.path(), name, factor));
  return weights;
}

Tokenizer eole_tokenizer(const EoleFiles& files, const std::string& side,
                         std::vector<std::string>& remarks) {
  const std::vector<std::string>& entries = side == "src" ? files.source : files.target;
  check_entries(files, entries, side);
  const SubwordFile file = read_eole_subwords(files, side);
  if (side == "tgt") remark_subwords(file, remarks);
  return subword_tokenizer(files.directory, file,
                           {.pieces = entries, .controls = {}, .special = files.special});
}

std::int32_t eole_start(const EoleFiles& files) {
  const SpecialPieces& special = files.special;
  const bool is_special =
      files.start == special.bos || files.start == special.eos || files.start == special.pad;
  const auto found = std::find(files.target.begin(), files.target.end(), files.start);
  // eole puts no start before a text that begins with its word.
  if (!is_special || found == files.target.end())
    throw DataError(
        fmt::format("{}/vocab.json, decoder_start_token: expected the bos, eos or pad "
                    "token of specials, found {}",
                    files.directory.path(), quote(files.start)));
  return static_cast<std::int32_t>(found - files.target.begin());
}

}  // namespace attend
