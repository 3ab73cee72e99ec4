// The vocabulary of a tokenizer.json: the pieces of its model, and those that were added. Private
// to interchange/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "attend/core/json/json_object.h"
#include "attend/interchange/tokenizers/tokenizer_json.h"
#include "attend/interchange/tokenizers/tokenizer_parts.h"
#include "attend/text/sentencepiece/sentencepiece_writing.h"
#include "attend/text/tokenizer_file.h"

namespace attend::detail {

struct AddedToken {
  AddedPiece piece;
  std::string text;
};

class ForeignVocabulary {
 public:
  // `ids`: as in read_tokenizer_json(). Throws DataError for ids that are out of range or taken
  // twice.
  ForeignVocabulary(JsonObject& file, const TokenNames& names, std::int64_t ids);

  // A piece of the model, by its id; then the added ones.
  void add(std::string_view piece, std::int64_t id, const std::string& where);
  void add_all(const nlohmann::json& pieces, const std::string& where);  // {"piece": id}
  void finish(std::string_view unknown, const ForeignTemplate& marks);

  const std::vector<std::string>& pieces() const { return pieces_; }
  const SpecialPieces& special() const { return special_; }
  bool is_control(std::string_view piece) const { return controls_.contains(std::string(piece)); }
  std::int32_t id(std::string_view piece) const;  // -1: there is none
  // The ids of the pieces that the model itself does not have.
  std::vector<std::int32_t> outside_model() const;
  std::vector<AddedPiece> added_pieces() const;
  PieceList list() const;
  std::vector<std::int32_t> ids(const std::vector<std::string>& pieces) const;

 private:
  void add_named_tokens();
  void add_token(const NamedToken& token);
  std::int32_t next_id() const;
  void drop_tokens_without_embedding(std::size_t before);

  std::string where_;
  std::int64_t wanted_ids_;
  std::vector<std::string> pieces_;
  std::vector<bool> in_model_;  // by id
  std::unordered_map<std::string, std::int32_t> ids_;
  std::unordered_map<std::string, bool> controls_;
  std::vector<AddedToken> added_;
  SpecialPieces special_;
  std::vector<NamedToken> named_;
};

}  // namespace attend::detail
