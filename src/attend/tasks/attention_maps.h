// The attention weights of a sentence pair, of every layer and head, taken from one pass over the
// whole of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "attend/tasks/classification/model.h"
#include "attend/tasks/translation/model.h"
#include "attend/translator.h"

namespace attend {

struct AttentionMaps {
  std::vector<std::int32_t> src;  // ids with eos: rows of encoder, columns of encoder and cross
  std::vector<std::int32_t>
      tgt;  // ids with bos in front: rows of decoder and cross, columns of decoder
  // [layer][head]
  std::vector<std::vector<AttentionMap>> encoder;
  std::vector<std::vector<AttentionMap>> decoder;
  std::vector<std::vector<AttentionMap>> cross;
};

// src ends with eos; tgt has neither bos nor eos. Throws DataError when a weight is not finite, as
// the next one does.
AttentionMaps attention_maps(const TranslationModel& model, const std::vector<std::int32_t>& src,
                             const std::vector<std::int32_t>& tgt);

// Of a classifier's encoder, [layer][head]; `text` as ClassificationModel::ids() gives it.
std::vector<std::vector<AttentionMap>> attention_maps(const ClassificationModel& model,
                                                      const std::vector<std::int32_t>& text);

// A map of tokens as one of words: summed over the columns of a word, averaged over its rows, so
// that rows still sum to one. The words cover the map's rows and columns, as those of
// Tokenizer::words() do.
AttentionMap word_map(const AttentionMap& map, std::span<const Tokenizer::Word> row_words,
                      std::span<const Tokenizer::Word> col_words);

// Pairs (source word, target word): each target word is bound to the source word it attends to
// most, by the cross-attention averaged over the heads of all layers but the first. By words as the
// tokenizers see them, eos excluded.
std::vector<std::pair<int, int>> word_alignment(const TranslationModel& model,
                                                const std::vector<std::int32_t>& src,
                                                const std::vector<std::int32_t>& tgt);

}  // namespace attend
