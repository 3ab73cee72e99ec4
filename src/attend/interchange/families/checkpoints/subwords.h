// The texts of models of fairseq, OpenNMT-py and eole: lists of entries, and what splits words
// into these.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "attend/interchange/model_directory.h"
#include "attend/text/sentencepiece/sentencepiece_writing.h"
#include "attend/text/tokenizer.h"

namespace attend {

// The entries of fairseq's dict.*.txt by their ids, behind <s>, <pad>, </s> and <unk>. Throws
// DataError.
std::vector<std::string> read_fairseq_dictionary(const ModelDirectory& directory,
                                                 std::string_view name);

// What splits words: a SentencePiece model, the merges of subword-nmt or fastBPE, or nothing, when
// words between spaces are the entries.
struct SubwordFile {
  enum class Kind { none, codes, sentencepiece };
  Kind kind = Kind::none;
  std::string name = {};
};

// Finds it by the names that fairseq has for such files, or as the only *.model. Throws DataError
// for several.
SubwordFile find_subwords(const ModelDirectory& directory);

// A tokenizer of the entries, of which `order` tells the special ones. With merges, an entry ends
// with @@ where the word goes on. Throws DataError.
Tokenizer subword_tokenizer(const ModelDirectory& directory, const SubwordFile& file,
                            const VocabularyOrder& order);

// What the user of a model with this file should do to texts.
void remark_subwords(const SubwordFile& file, std::vector<std::string>& remarks);

}  // namespace attend
