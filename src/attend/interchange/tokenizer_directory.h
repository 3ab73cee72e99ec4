// The tokenizer of a Hugging Face model directory, whichever files say what it is.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "attend/interchange/tokenizer_json.h"

namespace attend {

// Returns the content of a file of the directory, or nullopt if there is none of that name.
using FileText = std::function<std::optional<std::string>(std::string_view name)>;

// Reads tokenizer.json, or vocab.txt (WordPiece), or vocab.json and merges.txt (byte-level BPE),
// with the special tokens of tokenizer_config.json and special_tokens_map.json. As in transformers,
// the class that tokenizer_config.json or config.json names takes only the vocabulary from a
// tokenizer.json (named_tokenizers.h). `path` begins the messages; `ids` is as in
// read_tokenizer_json(). Throws DataError when none of them is there or one cannot be used.
ForeignTokenizer read_tokenizer_directory(const FileText& file, const std::string& path,
                                          std::int64_t ids = 0);

// The special tokens that the files of the directory name; some may be empty.
SpecialPieces read_special_pieces(const FileText& file, const std::string& path);
// The tokens that tokenizer_config.json, special_tokens_map.json and added_tokens.json add to the
// tokenizer.
std::vector<NamedToken> read_named_tokens(const FileText& file, const std::string& path);

}  // namespace attend
