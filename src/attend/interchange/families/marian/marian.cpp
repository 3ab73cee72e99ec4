// MarianMT, as transformers has it: OPUS-MT and its relatives (Tiedemann & Thottingal 2020).
#include <algorithm>
#include <array>

#include "attend/interchange/families/bart/bart_type.h"
#include "attend/models/make_encoder_decoder.h"
#include "attend/tasks/translation/model.h"
#include "attend/text/sentencepiece/sentencepiece_writing.h"

namespace attend {

namespace {

// Pieces that name the language to translate into, ">>fra<<", stand before a source.
std::vector<PairFormat::Language> target_languages(const std::vector<std::string>& src) {
  constexpr std::string_view kBegin = ">>", kEnd = "<<";
  std::vector<PairFormat::Language> languages;
  for (std::size_t id = 0; id < src.size(); ++id) {
    const std::string& piece = src[id];
    if (piece.size() > kBegin.size() + kEnd.size() && piece.starts_with(kBegin) &&
        piece.ends_with(kEnd))
      languages.push_back({piece.substr(kBegin.size(), piece.size() - kBegin.size() - kEnd.size()),
                           static_cast<std::int32_t>(id)});
  }
  std::sort(languages.begin(), languages.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return languages;
}

// Tables of positions, without rows before the first one.
constexpr std::array kMarianPositions{
    NameRule{"src_positions.weight", "model.encoder.embed_positions.weight"},
    NameRule{"tgt_positions.weight", "model.decoder.embed_positions.weight"},
};

// Sinusoids, unless the weights hold other positions.
PositionKind read_positions(ForeignConfig& config) {
  return config.boolean_or("static_position_embeddings", true) ? PositionKind::sinusoidal_halves
                                                               : PositionKind::learned;
}

const std::string& piece_of(const std::vector<std::string>& pieces, ForeignConfig& config,
                            const char* key) {
  return pieces[static_cast<std::size_t>(
      config.integer(key, between(0, static_cast<double>(pieces.size()) - 1)))];
}

// The tokenizer of a side, "source.spm" or "target.spm". Adds remarks on its pieces.
Tokenizer read_side(const ModelDirectory& directory, const char* file, const VocabularyOrder& order,
                    std::vector<std::string>& remarks) {
  const std::string bytes = directory.text(file);
  if (file == std::string_view("source.spm")) refuse_added_tokens(directory, order);
  remark_unknown_pieces(file, bytes, order, remarks);
  return Tokenizer::from_bytes(reorder_sentencepiece(bytes, order));
}

}  // namespace

ForeignModel read_marian(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  TransformerConfig shape = read_bart_type(config, {.positions = read_positions(config)});
  const bool shared = config.boolean_or("share_encoder_decoder_embeddings", true);
  const std::vector<std::string> src = read_piece_ids(directory, "vocab.json");
  const std::vector<std::string> tgt =
      shared ? src : read_piece_ids(directory, "target_vocab.json");
  const bool tied = config.boolean_or("tie_word_embeddings", true);
  EmbeddingTensors tables = kBartTypeEmbeddings;
  if (!shared) tables.shared = tables.decoder;
  const ForeignEmbeddings embeddings = find_embeddings(directory, tables, tied,
                                                       shared ? TiedEmbeddings::all
                                                       : tied ? TiedEmbeddings::target
                                                              : TiedEmbeddings::none);
  shape.tie_embeddings = embeddings.tied;
  shape.tgt_vocab_size = static_cast<int>(
      config.integer_or("decoder_vocab_size", shape.src_vocab_size, kVocabularySizes));

  // The decoder begins with the padding piece, which is never written.
  const GenerationSettings generation = read_generation(directory, config, shape.tgt_vocab_size);
  const std::string pad = piece_of(tgt, config, "pad_token_id");
  const NumberRange ids = between(0, static_cast<double>(tgt.size()) - 1);
  const auto end = static_cast<std::size_t>(config.integer_or_integers("eos_token_id", ids).at(0));
  if (!generation.start) config.refuse("decoder_start_token_id", "expected a token");
  const SpecialPieces special{tgt.at(static_cast<std::size_t>(*generation.start)), tgt[end], pad,
                              "<unk>"};
  const auto languages = target_languages(src);
  std::vector<std::string> controls;
  for (const PairFormat::Language& language : languages)
    controls.push_back(src[static_cast<std::size_t>(language.token)]);
  std::vector<std::string> remarks;
  const auto tokenizer = [&](const char* file, const std::vector<std::string>& pieces,
                             const std::vector<std::string>& without_text) {
    return read_side(directory, file, {pieces, without_text, special}, remarks);
  };
  auto network = std::shared_ptr<EncoderDecoder>(make_encoder_decoder(shape));
  TranslationModel model(
      std::move(network), tokenizer("source.spm", src, controls),
      tokenizer("target.spm", tgt, shared ? controls : std::vector<std::string>{}),
      generation.after(generation.first ? 2 : 1));
  model.suppressed = generation.suppressed;
  if (!generation.ends.empty()) model.ends = generation.ends;
  if (generation.first) model.format.marks.before_target.push_back(*generation.first);
  if (const std::int32_t id = model.tgt_tokenizer.id(pad);
      std::find(model.suppressed.begin(), model.suppressed.end(), id) == model.suppressed.end())
    model.suppressed.push_back(id);
  model.format.languages = languages;
  if (!languages.empty()) model.format.marks.before_source = {PairFormat::kTargetLanguage};
  std::vector<NameRule> names = embeddings.names;
  names.insert(names.end(), std::begin(kMarianPositions), std::end(kMarianPositions));
  ForeignModel foreign{std::make_shared<TranslationModel>(std::move(model)),
                       bart_type_names(names)};
  foreign.remarks = std::move(remarks);
  if (shape.positions != PositionKind::learned)
    foreign.ignorable.assign(std::begin(kBartTypeSinusoids), std::end(kBartTypeSinusoids));
  for (const std::string_view table : tables.all()) foreign.ignorable.push_back(table);
  return foreign;
}

}  // namespace attend
