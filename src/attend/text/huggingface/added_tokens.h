// The tokens that were added to a foreign tokenizer. They are found in a text before anything else
// and cut it, as in Hugging Face's tokenizers. Private to text/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/text/prefix_table.h"
#include "attend/text/tokenizer_file.h"

namespace attend::detail {

class AddedTokens {
 public:
  struct Entry {
    AddedPiece token;
    std::string text;  // what it is found by
  };
  // The first of several tokens with the same text is found. Texts may be empty: these are not
  // found.
  explicit AddedTokens(std::vector<Entry> entries);

  struct Part {
    std::size_t begin, end;
    std::int32_t token;  // -1: text between tokens
  };
  // Cuts a text at the tokens in it: at each position, the longest. Special tokens are text with
  // `as_text`. No part is empty.
  std::vector<Part> cut(std::string_view text, SpecialText special) const;

 private:
  bool is_found(const AddedPiece& token, std::string_view text, std::size_t begin, std::size_t end,
                SpecialText special) const;

  std::vector<AddedPiece> tokens_;
  PrefixTable texts_;  // -> index in tokens_
};

}  // namespace attend::detail
