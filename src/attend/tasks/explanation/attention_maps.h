// The attention weights of a sentence pair, for every layer and head, from one pass over the whole
// pair.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "attend/tasks/model_file/saved_model.h"
#include "attend/tasks/translation/model.h"
#include "attend/translator.h"

namespace attend {

struct AttentionMaps {
  // Ids with the marks of a source: rows of encoder, columns of encoder and cross.
  std::vector<std::int32_t> src;
  // Ids after those that the decoder begins with: columns of decoder. The rows of decoder and cross
  // are those of what predicts the target and its end: the last mark, then each token.
  std::vector<std::int32_t> tgt;
  // [layer][head]
  std::vector<std::vector<AttentionMap>> encoder;
  std::vector<std::vector<AttentionMap>> decoder;
  std::vector<std::vector<AttentionMap>> cross;
};

// src has the marks of a source around it, tgt none. Both functions throw DataError if a weight is
// not finite.
AttentionMaps attention_maps(const TranslationModel& model, const PairSpecialTokens& marks,
                             const std::vector<std::int32_t>& src,
                             const std::vector<std::int32_t>& tgt);

// The weights of the encoder of a model of single texts, [layer][head]; `text` comes from the ids()
// of a ClassificationModel or an EmbeddingModel.
std::vector<std::vector<AttentionMap>> attention_maps(const SavedModel& model,
                                                      const std::vector<std::int32_t>& text);

// Converts a map of tokens to one of words: sums over the columns of a word and averages over its
// rows, so that rows still sum to 1. The words cover the map's rows and columns, like those of
// Tokenizer::words().
AttentionMap word_map(const AttentionMap& map, std::span<const Tokenizer::Word> row_words,
                      std::span<const Tokenizer::Word> col_words);

// Pairs (source word, target word).
using WordPairs = std::vector<std::pair<int, int>>;

// src has the marks of a source around it, tgt none.
struct PairToAlign {
  const PairSpecialTokens* marks = nullptr;
  std::span<const std::int32_t> src, tgt;
  std::size_t context = 0;  // tokens of src after the marks that no word is aligned to
  // Tokens of src that belong to the token before them, or to the next one where there is none.
  std::span<const TokenRange> terms = {};
};

struct PairAlignment {
  WordPairs words;
  std::vector<int> tokens;  // the source token of each target token, without the marks
};

// Aligns each target word to the source word it attends to most, and each target token in the same
// way: with the head that has learned word alignments, or with cross-attention averaged over the
// heads of all layers except the first. Words as grouped
// by the tokenizers, without the marks. The pairs are read together, and their alignments are those
// that each has alone.
std::vector<PairAlignment> pair_alignments(const TranslationModel& model,
                                           std::span<const PairToAlign> pairs);
WordPairs word_alignment(const TranslationModel& model, const PairSpecialTokens& marks,
                         const std::vector<std::int32_t>& src,
                         const std::vector<std::int32_t>& tgt);

}  // namespace attend
