#include "attend/interchange/tokenizers/tokenizer_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend::detail {
namespace {

constexpr std::int64_t kMostForeignPieces = std::int64_t{1} << 22;

AddedToken read_added(JsonObject& json) {
  AddedToken token{{.id = static_cast<std::int32_t>(json.integer("id", 0, kMostForeignPieces - 1)),
                    .special = json.flag("special", false),
                    .normalized = json.flag("normalized", false),
                    .single_word = json.flag("single_word", false),
                    .lstrip = json.flag("lstrip", false),
                    .rstrip = json.flag("rstrip", false)},
                   json.text("content")};
  json.finish();
  return token;
}

}  // namespace

ForeignVocabulary::ForeignVocabulary(JsonObject& file, const TokenNames& names, std::int64_t ids)
    : where_(file.where()), wanted_ids_(ids), special_(names.special), named_(names.added) {
  if (file.find("added_tokens") == nullptr) return;
  for (JsonObject& json : file.objects("added_tokens")) added_.push_back(read_added(json));
}

void ForeignVocabulary::add(std::string_view piece, std::int64_t id, const std::string& where) {
  if (id < 0 || id >= kMostForeignPieces)
    throw DataError(fmt::format("{}: {} has the id {}", where, quote(piece), id));
  const auto index = static_cast<std::size_t>(id);
  if (pieces_.size() <= index) pieces_.resize(index + 1);
  if (!pieces_[index].empty() && pieces_[index] != piece)
    throw DataError(
        fmt::format("{}: {} and {} have the same id", where, quote(pieces_[index]), quote(piece)));
  const auto [entry, is_new] = ids_.emplace(piece, static_cast<std::int32_t>(id));
  if (!is_new && entry->second != id)
    throw DataError(fmt::format("{}: {} has two ids", where, quote(piece)));
  pieces_[index] = piece;
}

void ForeignVocabulary::add_all(const nlohmann::json& pieces, const std::string& where) {
  if (!pieces.is_object()) throw DataError(fmt::format("{}: expected pieces with ids", where));
  for (const auto& [piece, id] : pieces.items()) {
    if (!id.is_number_integer())
      throw DataError(fmt::format("{}: {} has no id", where, quote(piece)));
    add(piece, id.get<std::int64_t>(), where);
  }
}

void ForeignVocabulary::finish(std::string_view unknown, const ForeignTemplate& marks) {
  in_model_.resize(pieces_.size());
  for (std::size_t i = 0; i < pieces_.size(); ++i) in_model_[i] = !pieces_[i].empty();
  for (const AddedToken& token : added_) add(token.text, token.piece.id, where_ + ": added_tokens");
  add_named_tokens();
  for (const AddedToken& token : added_)
    if (token.piece.special) controls_[token.text] = true;
  if (!unknown.empty()) special_.unk = unknown;
  if (special_.bos.empty() && !marks.prefix.empty()) special_.bos = marks.prefix.front();
  if (special_.eos.empty() && !marks.suffix.empty()) special_.eos = marks.suffix.back();
  for (const char* pad : {"[PAD]", "<pad>"})
    if (special_.pad.empty() && is_control(pad)) special_.pad = pad;
  for (std::string* name : {&special_.bos, &special_.eos, &special_.pad, &special_.unk}) {
    if (name->empty()) continue;
    if (id(*name) < 0)
      throw DataError(
          fmt::format("{}: the special token {} is not in the vocabulary", where_, quote(*name)));
    if (*name != special_.unk) controls_[*name] = true;
  }
  // GPT-2 has one token for everything.
  if (special_.unk == special_.bos || special_.unk == special_.eos) special_.unk.clear();
  if (!special_.unk.empty()) controls_.erase(special_.unk);
  const std::int64_t unused = wanted_ids_ - std::ssize(pieces_);
  if (unused > 0 && unused <= kMostUnusedPieces)
    pieces_.resize(static_cast<std::size_t>(wanted_ids_));
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (!pieces_[i].empty()) continue;
    add(filler_piece(static_cast<std::int64_t>(i)), static_cast<std::int64_t>(i), where_);
    controls_[pieces_[i]] = true;
  }
}

std::int32_t ForeignVocabulary::id(std::string_view piece) const {
  const auto found = ids_.find(std::string(piece));
  return found == ids_.end() ? -1 : found->second;
}

std::vector<std::int32_t> ForeignVocabulary::outside_model() const {
  std::vector<std::int32_t> ids;
  for (std::size_t i = 0; i < pieces_.size(); ++i)
    if (i >= in_model_.size() || !in_model_[i]) ids.push_back(static_cast<std::int32_t>(i));
  return ids;
}

std::vector<AddedPiece> ForeignVocabulary::added_pieces() const {
  std::vector<AddedPiece> pieces;
  for (const AddedToken& token : added_) {
    if (token.text == filler_piece(token.piece.id)) continue;  // found in no text
    pieces.push_back(token.piece);
    pieces.back().special = token.piece.special || is_control(token.text);
  }
  return pieces;
}

// The id of a token that is new.
std::int32_t ForeignVocabulary::next_id() const {
  const auto size = static_cast<std::int32_t>(std::count(in_model_.begin(), in_model_.end(), true));
  std::int32_t next = size;
  for (const AddedToken& token : added_) next = std::max(next, token.piece.id + 1);
  return next;
}

// A token that is there already gets the flags of this one.
void ForeignVocabulary::add_token(const NamedToken& token) {
  if (token.text.empty()) return;
  const auto found = std::find_if(added_.begin(), added_.end(),
                                  [&](const AddedToken& one) { return one.text == token.text; });
  AddedPiece piece = token.piece;
  piece.id = id(token.text);
  if (found != added_.end()) {
    found->piece = piece;
    return;
  }
  if (piece.id < 0) {
    piece.id = next_id();
    add(token.text, piece.id, where_ + ": added tokens");
  }
  added_.push_back({piece, token.text});
}

// The model has no embedding for these tokens at the end. Usual ones may be superfluous.
void ForeignVocabulary::drop_tokens_without_embedding(std::size_t before) {
  while (pieces_.size() > before && std::ssize(pieces_) > wanted_ids_) {
    const std::string& last = pieces_.back();
    const bool is_usual = std::any_of(named_.begin(), named_.end(), [&](const NamedToken& token) {
      return token.is_usual && token.text == last;
    });
    if (wanted_ids_ == 0 && !is_usual) return;
    std::erase_if(added_, [&](const AddedToken& one) { return one.text == last; });
    ids_.erase(last);
    pieces_.pop_back();
  }
}

// Tokens that only the names mention are added when a tokenizer is loaded.
void ForeignVocabulary::add_named_tokens() {
  const std::size_t before = pieces_.size();
  for (const NamedToken& token : named_) add_token(token);
  drop_tokens_without_embedding(before);
  for (const std::string* name : {&special_.bos, &special_.eos, &special_.unk, &special_.pad}) {
    const bool has = std::any_of(added_.begin(), added_.end(),
                                 [&](const AddedToken& one) { return one.text == *name; });
    if (!has && id(*name) >= 0) add_token({*name, {.special = true}});
  }
}

std::vector<std::int32_t> ForeignVocabulary::ids(const std::vector<std::string>& pieces) const {
  std::vector<std::int32_t> result;
  for (const std::string& piece : pieces) {
    if (id(piece) < 0)
      throw DataError(
          fmt::format("{}: the special token {} is not in the vocabulary", where_, quote(piece)));
    result.push_back(id(piece));
  }
  return result;
}

PieceList ForeignVocabulary::list() const {
  PieceList list{
      .pieces = pieces_,
      .special = {id(special_.bos), id(special_.eos), id(special_.pad), id(special_.unk)}};
  for (std::int32_t id = 0; id < std::ssize(pieces_); ++id)
    if (is_control(pieces_[static_cast<std::size_t>(id)])) list.controls.push_back(id);
  return list;
}

}  // namespace attend::detail

namespace attend {

std::string filler_piece(std::int64_t id) { return fmt::format("<unused {}>", id); }

}  // namespace attend
