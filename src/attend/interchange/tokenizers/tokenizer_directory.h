// The tokenizer of a Hugging Face model directory, whichever files say what it is.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "attend/interchange/tokenizers/tokenizer_json.h"

namespace attend {

// Returns the content of a file of the directory, or nullopt if there is none of that name.
using FileText = std::function<std::optional<std::string>(std::string_view name)>;

struct TokenizerDirectoryOptions {
  std::int64_t ids = 0;     // as in read_tokenizer_json()
  bool pad_begins = false;  // T5: the padding token also begins what the decoder writes
  // The tokens that the tokenizer puts around a text are its bos and eos, whatever the files call
  // so
  bool marks_are_ends = false;
};

// Reads tokenizer.json, or a SentencePiece model, or vocab.txt (WordPiece), or vocab.json and
// merges.txt (byte-level BPE), with the tokens of tokenizer_config.json, special_tokens_map.json
// and added_tokens.json. As in transformers, the class that tokenizer_config.json or config.json
// names takes only the vocabulary from a file (named_tokenizers.h). `path` begins the messages.
// Throws DataError when none of them is there or one cannot be used.
ForeignTokenizer read_tokenizer_directory(const FileText& file, const std::string& path,
                                          const TokenizerDirectoryOptions& options = {});

// The special tokens that the files of the directory name; some may be empty.
SpecialPieces read_special_pieces(const FileText& file, const std::string& path);

}  // namespace attend
