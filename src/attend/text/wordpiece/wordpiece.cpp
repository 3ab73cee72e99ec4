#include "attend/text/wordpiece/wordpiece.h"

#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/text/normalization/source_map.h"
#include "attend/text/wordpiece/wordpiece_decoder.h"
#include "attend/text/wordpiece/wordpiece_words.h"

namespace attend::detail {
namespace {

bool is_continuation_piece(std::string_view piece) {
  return piece.size() > kContinuation.size() && piece.starts_with(kContinuation);
}

PrefixTable table_of(const Vocabulary& vocabulary, bool continuing) {
  std::vector<std::pair<std::string, std::int32_t>> entries;
  for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
    const std::string_view piece = vocabulary.piece(id);
    if (vocabulary.is_control(id) || vocabulary.is_unknown(id)) continue;
    if (is_continuation_piece(piece) != continuing) continue;
    entries.emplace_back(piece.substr(continuing ? kContinuation.size() : 0), id);
  }
  return PrefixTable(std::move(entries));
}

}  // namespace

WordPiece::WordPiece(WordPieceDescription description)
    : options_(std::move(description)),
      vocabulary_(std::move(options_.vocabulary)),
      begins_(table_of(vocabulary_, false)),
      continues_(table_of(vocabulary_, true)) {
  if (vocabulary_.special().unk < 0) throw DataError("it has no unknown token");
}

std::int32_t WordPiece::id(std::string_view piece) const {
  const std::int32_t found = vocabulary_.find(piece);
  return found < 0 ? vocabulary_.special().unk : found;
}

bool WordPiece::continues_word(std::int32_t id) const {
  return !vocabulary_.is_control(id) && is_continuation_piece(vocabulary_.piece(id));
}

std::vector<std::int32_t> WordPiece::encode(std::string_view text) const {
  refuse_long_text(text.size());
  std::vector<std::int32_t> ids;
  std::string cleaned;
  if (!options_.normalization.changes_nothing())
    text = cleaned = normalized(text, options_.normalization);
  for_each_word(text, options_, [&](std::string_view word) { encode_word(word, ids); });
  return ids;
}

// A word with an unknown part is unknown as a whole.
void WordPiece::encode_word(std::string_view word, std::vector<std::int32_t>& ids) const {
  const std::size_t before = ids.size();
  bool known = word.size() <= kLongestWord || count_code_points(word) <= kLongestWord;
  for (std::size_t at = 0; known && at < word.size();) {
    const PrefixTable::Match match = (at == 0 ? begins_ : continues_).longest(word.substr(at));
    known = match.length > 0;
    if (known) ids.push_back(match.value);
    at += match.length;
  }
  if (known) return;
  ids.resize(before);
  ids.push_back(vocabulary_.special().unk);
}

// The pieces of a word are its letters, one after the other; an unknown one is the whole word.
std::vector<TokenSpan> WordPiece::spans(std::string_view text) const {
  refuse_long_text(text.size());
  const auto words_of = [this](std::string_view part, const auto& use) {
    for_each_word(normalized(part, options_.normalization), options_, use);
  };
  const SourceMap source(text, [&](std::string_view character) {
    std::string letters;
    words_of(character, [&](std::string_view word) { letters += word; });
    return letters;
  });
  std::vector<TokenSpan> spans;
  std::size_t letters = 0;
  words_of(text, [&](std::string_view word) {
    std::vector<std::int32_t> ids;
    encode_word(word, ids);
    for (const std::int32_t id : ids) {
      const std::size_t mark = continues_word(id) ? kContinuation.size() : 0,
                        length = is_unknown(id) ? word.size() : piece(id).size() - mark;
      spans.push_back(source.source(letters, letters + length));
      letters += length;
    }
  });
  return spans;
}

std::unique_ptr<TextDecoder> WordPiece::decoder() const {
  return std::make_unique<WordPieceDecoder>(*this);
}

}  // namespace attend::detail
