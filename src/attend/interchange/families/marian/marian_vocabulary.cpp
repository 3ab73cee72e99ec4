#include "attend/interchange/families/marian/marian_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/error.h"
#include "attend/interchange/families/bart/bart_type.h"
#include "attend/interchange/formats/yaml.h"
#include "attend/text/sentencepiece/sentencepiece_writing.h"

namespace attend {

namespace {

constexpr std::string_view kEndPiece = "</s>", kUnknownPiece = "<unk>", kStartPiece = "<s>";

bool is_sentencepiece(std::string_view name) { return name.ends_with(".spm"); }

// A piece per line, or pieces with their ids.
std::vector<std::string> read_list(const ModelDirectory& directory, const std::string& name) {
  const std::string content = directory.text(name), where = directory.path() + "/" + name;
  if (!name.ends_with(".txt")) return pieces_by_id(parse_yaml(content, where), where);
  std::vector<std::string> pieces;
  for (std::size_t begin = 0; begin < content.size();) {
    const std::size_t end = std::min(content.find('\n', begin), content.size());
    pieces.push_back(content.substr(begin, end - begin));
    begin = end + 1;
  }
  return pieces;
}

// The model of a language whose words stand between spaces.
std::string word_model(const VocabularyOrder& order) {
  constexpr std::string_view kSpace = "▁";
  using detail::PieceType;
  SentencePieceDescription description{.type = detail::ModelType::word, .special = order.special};
  for (const std::string& piece : order.pieces) {
    const bool control =
        piece == kEndPiece || piece == order.special.bos ||
        std::find(order.controls.begin(), order.controls.end(), piece) != order.controls.end();
    if (control || piece == kUnknownPiece) {
      description.pieces.push_back(
          {piece, 0.0f, control ? PieceType::control : PieceType::unknown});
    } else {
      description.pieces.push_back({std::string(kSpace) + piece});
    }
  }
  return sentencepiece_bytes(description);
}

}  // namespace

Tokenizer read_marian_vocabulary(const ModelDirectory& directory,
                                 const MarianVocabulary& vocabulary) {
  const std::string& file = vocabulary.file;
  VocabularyOrder order{
      .special = {.eos = std::string(kEndPiece), .unk = std::string(kUnknownPiece)}};
  order.pieces = is_sentencepiece(file) ? sentencepiece_pieces(directory.text(file))
                                        : read_list(directory, file);
  order.controls = fill_up(order.pieces, vocabulary.embeddings, directory);
  if (vocabulary.begins) {
    const bool taken =
        std::find(order.pieces.begin(), order.pieces.end(), kStartPiece) != order.pieces.end();
    order.special.bos = taken ? "<decoder starts>" : kStartPiece;
    order.pieces.push_back(order.special.bos);
  }
  for (const std::string_view needed : {kEndPiece, kUnknownPiece})
    if (std::find(order.pieces.begin(), order.pieces.end(), needed) == order.pieces.end())
      throw DataError(
          fmt::format("{}/{}: expected a piece {}, found none", directory.path(), file, needed));
  if (is_sentencepiece(file) || directory.contains(vocabulary.sentencepiece))
    return Tokenizer::from_bytes(reorder_sentencepiece(
        directory.text(is_sentencepiece(file) ? file : vocabulary.sentencepiece), order));
  return Tokenizer::from_bytes(word_model(order));
}

}  // namespace attend
