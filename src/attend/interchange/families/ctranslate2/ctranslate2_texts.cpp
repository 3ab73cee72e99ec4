#include "attend/interchange/families/ctranslate2/ctranslate2_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "attend/core/json/json.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/families/ctranslate2/ctranslate2_family_texts.h"
#include "attend/interchange/families/families.h"
#include "attend/models/make_encoder_decoder.h"
#include "attend/text/sentencepiece/sentencepiece_writing.h"

namespace attend {

namespace {

std::vector<std::string> pieces_in_lines(const std::string& text) {
  std::vector<std::string> pieces;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    pieces.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return pieces;
}

bool has_piece(const std::vector<std::string>& pieces, const std::string& piece) {
  return std::find(pieces.begin(), pieces.end(), piece) != pieces.end();
}

bool is_sentencepiece_name(const std::string& name) {
  return name.ends_with(".model") || name.ends_with(".spm");
}

// The SentencePiece models of both sides; nullopt: there are none.
struct SidesOfText {
  std::string source, target;
};
std::optional<SidesOfText> find_sentencepiece(const ModelDirectory& directory) {
  for (const char* end : {".spm", ".model"})
    if (const SidesOfText sides{fmt::format("source{}", end), fmt::format("target{}", end)};
        directory.contains(sides.source) && directory.contains(sides.target))
      return sides;
  std::vector<std::string> found;
  for (const std::string& name : directory.names())
    if (is_sentencepiece_name(name)) found.push_back(name);
  if (found.size() == 1) return SidesOfText{found.front(), found.front()};
  return std::nullopt;
}

// Pieces in the order of the vocabulary; what no text has is a control piece.
VocabularyOrder order_of(const std::vector<std::string>& pieces, const Ctranslate2Config& config,
                         const std::string& start) {
  VocabularyOrder order{.pieces = pieces, .special = {.eos = config.eos, .unk = config.unk}};
  if (has_piece(pieces, start)) order.special.bos = start;
  for (const char* pad : {"<blank>", "<pad>"})
    if (order.special.pad.empty() && has_piece(pieces, pad)) order.special.pad = pad;
  for (const std::string& control : {config.bos, std::string("<s>"), std::string("</s>")})
    if (has_piece(pieces, control) && !has_piece(order.controls, control))
      order.controls.push_back(control);
  return order;
}

// A model whose texts SentencePiece splits, as those of OpenNMT and Marian: nothing more is known.
class PlainTexts {
 public:
  PlainTexts(const Ctranslate2Places& places, const Ctranslate2Config& config, bool from_zero)
      : places_(places), config_(config), from_zero_(from_zero) {}

  TranslationModel read(const SidesOfText& files, Ctranslate2Vocabularies vocabularies,
                        std::vector<std::string>& remarks) const {
    const std::string start = start_of(vocabularies);
    if (from_zero_) {
      vocabularies.target.push_back(start);
      if (vocabularies.joint) vocabularies.source.push_back(start);
    }
    const auto tokenizer = [&](const std::string& file, const std::vector<std::string>& pieces) {
      const std::string bytes = places_.tokenizer.text(file);
      const VocabularyOrder order = order_of(pieces, config_, start);
      require_specials(order, file);
      remark_unknown_pieces(file, bytes, order, remarks);
      return Tokenizer::from_bytes(reorder_sentencepiece(bytes, order));
    };
    const Tokenizer target = tokenizer(files.target, vocabularies.target);
    const bool same = vocabularies.joint && files.source == files.target;
    TranslationModel model(detail::unused_network(),
                           same ? target : tokenizer(files.source, vocabularies.source), target,
                           detail::ctranslate2_decoding());
    set_marks(model);
    if (from_zero_) model.suppressed.push_back(model.special().bos);
    return model;
  }

 private:
  // The piece that the decoder begins with.
  std::string start_of(const Ctranslate2Vocabularies& vocabularies) const {
    constexpr const char* kZero = "<decoder starts>";
    if (from_zero_) return has_piece(vocabularies.target, "<s>") ? kZero : "<s>";
    if (!config_.start)
      throw DataError(
          fmt::format("{}/config.json: \"decoder_start_token\" is null: the language of the "
                      "target; expected a tokenizer_config.json that tells the languages",
                      places_.model.path()));
    return *config_.start;
  }

  void require_specials(const VocabularyOrder& order, const std::string& file) const {
    for (const std::string& needed : {order.special.eos, order.special.unk})
      if (!has_piece(order.pieces, needed))
        throw DataError(fmt::format("{}: expected a piece {} in the vocabulary of {}, found none",
                                    places_.model.path(), quote(needed), quote(file)));
  }

  // Marian's models read the end of a sentence, whoever adds it.
  void set_marks(TranslationModel& model) const {
    PairSpecialTokens& marks = model.format.marks;
    const Tokenizer& source = model.src_tokenizer;
    marks = {};
    if (config_.source_bos) marks.before_source = {source.id(config_.bos)};
    if (config_.source_eos || from_zero_) marks.after_source = {source.eos_id()};
    marks.before_target = {model.special().bos};
    if (model.special().bos < 0 || (config_.source_bos && marks.before_source.front() < 0))
      throw DataError(fmt::format("{}: the vocabulary has no piece that texts begin with",
                                  places_.model.path()));
  }

  const Ctranslate2Places& places_;
  const Ctranslate2Config& config_;
  bool from_zero_;
};

}  // namespace

Ctranslate2Config read_ctranslate2_config(const ModelDirectory& directory) {
  constexpr const char* kFile = "config.json";
  Ctranslate2Config read;
  if (!directory.contains(kFile)) return read;
  ForeignConfig config =
      ForeignConfig::from_json(directory.text(kFile), directory.path() + "/" + kFile);
  read.unk = config.text_or("unk_token", read.unk);
  read.bos = config.text_or("bos_token", read.bos);
  read.eos = config.text_or("eos_token", read.eos);
  if (config.mentions("decoder_start_token") && !config.has("decoder_start_token")) {
    read.start.reset();
  } else {
    read.start = config.text_or("decoder_start_token", read.bos);
  }
  read.source_bos = config.boolean_or("add_source_bos", false);
  read.source_eos = config.boolean_or("add_source_eos", false);
  read.epsilon = static_cast<float>(config.number_or("layer_norm_epsilon", 0.0, between(1e-12, 1)));
  // It is true for every language model; num_heads_kv tells.
  config.ignore({"multi_query_attention"});
  config.require("quantization_type", 0);
  for (const char* size : {"quantization_bits", "quantization_group_size"})
    config.require(size, nullptr);
  config.require_all_known();
  return read;
}

std::optional<std::vector<std::string>> read_ctranslate2_vocabulary(const ModelDirectory& directory,
                                                                    const std::string& name) {
  if (const std::string file = name + ".json"; directory.contains(file)) {
    const std::string where = directory.path() + "/" + file;
    const nlohmann::json list = parse_sorted_json(directory.text(file), where);
    if (!list.is_array() ||
        !std::all_of(list.begin(), list.end(), [](const auto& one) { return one.is_string(); }))
      throw DataError(where + ": expected a list of pieces");
    return list.get<std::vector<std::string>>();
  }
  if (const std::string file = name + ".txt"; directory.contains(file))
    return pieces_in_lines(directory.text(file));
  return std::nullopt;
}

Ctranslate2Vocabularies read_ctranslate2_vocabularies(const ModelDirectory& directory) {
  if (auto shared = read_ctranslate2_vocabulary(directory, "shared_vocabulary"))
    return {*shared, *shared, true};
  auto source = read_ctranslate2_vocabulary(directory, "source_vocabulary"),
       target = read_ctranslate2_vocabulary(directory, "target_vocabulary");
  if (!source || !target)
    throw DataError(
        fmt::format("{}: expected shared_vocabulary.json, or source_vocabulary.json and "
                    "target_vocabulary.json (or .txt), found none of them",
                    directory.path()));
  return {std::move(*source), std::move(*target), false};
}

TranslationModel read_ctranslate2_texts(const Ctranslate2Places& places,
                                        const Ctranslate2Config& config,
                                        const Ctranslate2TextShape& shape,
                                        std::vector<std::string>& remarks) {
  const Ctranslate2Vocabularies vocabularies = read_ctranslate2_vocabularies(places.model);
  if (const auto family = detail::ctranslate2_family(places.tokenizer, shape))
    return detail::read_ctranslate2_family(*family, shape.starts_from_zero, places, config,
                                           vocabularies, remarks);
  if (const auto files = find_sentencepiece(places.tokenizer))
    return PlainTexts(places, config, shape.starts_from_zero).read(*files, vocabularies, remarks);
  throw DataError(
      fmt::format("{}: expected what splits texts into pieces beside model.bin: the tokenizer.json "
                  "or tokenizer_config.json of the original model, source.spm and target.spm, or "
                  "one SentencePiece model (*.model), found none of them",
                  places.tokenizer.path()));
}

}  // namespace attend
