#include "attend/tasks/explanation/attention_maps.h"

#include <algorithm>
#include <array>
#include <utility>

#include "attend/checkpoint/finite.h"

namespace attend {

namespace {

// The maps of all heads, without their first `skipped` rows.
std::vector<AttentionMap> heads_of(const AttentionRecord& record, std::int64_t rows,
                                   std::int64_t cols, std::int64_t skipped = 0) {
  const Tensor weights = record.weights.to_host();
  std::vector<AttentionMap> heads;
  for (int h = 0; h < record.heads; ++h) {
    const float* first = weights.data() + h * rows * cols;
    heads.push_back({rows - skipped, cols, {first + skipped * cols, first + rows * cols}});
  }
  return heads;
}

void check_numbers(const std::vector<AttentionRecord>& records, const std::string& source) {
  for (const AttentionRecord& record : records)
    require_finite(record.weights.to_vector(), "attention weights", source);
}

}  // namespace

AttentionMaps attention_maps(const TranslationModel& model, const PairSpecialTokens& marks,
                             const std::vector<std::int32_t>& src,
                             const std::vector<std::int32_t>& tgt) {
  const NoGradient guard;
  std::vector<AttentionRecord> records;
  Pass pass = Pass::inference();
  pass.attention = &records;

  AttentionMaps maps{src, tgt, {}, {}, {}};
  maps.tgt.insert(maps.tgt.begin(), marks.before_target.begin(), marks.before_target.end());
  const std::int64_t unwritten = marks.of_target() - 1;
  const Ragged source = Ragged::one(src), target = Ragged::one(maps.tgt);
  const Variable memory = model.network->encode(source, pass);
  model.network->decode(target, memory, source, pass);
  check_numbers(records, model.source);
  for (const AttentionRecord& record : records) {
    if (record.module.starts_with("encoder.")) {
      maps.encoder.push_back(heads_of(record, source.tokens(), source.tokens()));
    } else if (record.module.ends_with("self_attn")) {
      maps.decoder.push_back(heads_of(record, target.tokens(), target.tokens(), unwritten));
    } else {
      maps.cross.push_back(heads_of(record, target.tokens(), source.tokens(), unwritten));
    }
  }
  return maps;
}

std::vector<std::vector<AttentionMap>> attention_maps(const SavedModel& model,
                                                      const std::vector<std::int32_t>& text) {
  const NoGradient guard;
  std::vector<AttentionRecord> records;
  Pass pass = Pass::inference();
  pass.attention = &records;
  const Ragged tokens = Ragged::one(text);
  model.text_encoder().run(tokens, pass);
  check_numbers(records, model.source);
  std::vector<std::vector<AttentionMap>> layers;
  for (const AttentionRecord& record : records)
    layers.push_back(heads_of(record, tokens.tokens(), tokens.tokens()));
  return layers;
}

AttentionMap word_map(const AttentionMap& map, std::span<const Tokenizer::Word> row_words,
                      std::span<const Tokenizer::Word> col_words) {
  AttentionMap result{
      static_cast<std::int64_t>(row_words.size()), static_cast<std::int64_t>(col_words.size()), {}};
  for (const Tokenizer::Word& row_word : row_words) {
    for (const Tokenizer::Word& col_word : col_words) {
      float total = 0;
      for (std::int64_t row = row_word.begin; row < row_word.end; ++row) {
        for (std::int64_t col = col_word.begin; col < col_word.end; ++col)
          total += map.weights[static_cast<std::size_t>(row * map.cols + col)];
      }
      result.weights.push_back(total / static_cast<float>(row_word.end - row_word.begin));
    }
  }
  return result;
}

namespace {

// The weights of a pair in the cross-attention of some layers: a [rows, cols] block for each head.
struct CrossBlocks {
  std::vector<const float*> layers;
  int heads = 0;  // the first ones, that align
  std::int64_t rows = 0, cols = 0;
};

// The tokens of a source that words are made of, and the columns of each: from its own to the next.
struct SourceColumns {
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> begins;  // and where the last ones end
};

SourceColumns columns_of(const PairToAlign& pair) {
  SourceColumns columns;
  const std::size_t end = pair.src.size() - pair.marks->after_source.size();
  auto term = pair.terms.begin();
  for (std::size_t i = pair.marks->before_source.size() + pair.context; i < end; ++i) {
    const std::size_t begin = i;
    for (; term != pair.terms.end() && term->begin == i; ++term) i = term->end;
    if (i >= end) break;
    columns.ids.push_back(pair.src[i]);
    columns.begins.push_back(static_cast<std::int64_t>(columns.ids.size() == 1 ? begin : i));
  }
  columns.begins.push_back(static_cast<std::int64_t>(end));
  return columns;
}

// Aligns each target word to the source word that it attends to most. `unwritten`: rows before
// those of the words.
WordPairs aligned_words(const CrossBlocks& blocks, std::span<const Tokenizer::Word> tgt_words,
                        std::span<const Tokenizer::Word> src_words, std::int64_t unwritten,
                        std::span<const std::int64_t> columns) {
  // A target token's row is the one that predicts it.
  const auto weight = [&](const Tokenizer::Word& t, const Tokenizer::Word& s) {
    float total = 0;
    for (const float* const layer : blocks.layers)
      for (int head = 0; head < blocks.heads; ++head)
        for (std::int32_t row = t.begin; row < t.end; ++row)
          for (std::int64_t col = columns[static_cast<std::size_t>(s.begin)];
               col < columns[static_cast<std::size_t>(s.end)]; ++col)
            total += layer[(head * blocks.rows + unwritten + row) * blocks.cols + col];
    return total;
  };
  WordPairs pairs;
  for (std::size_t t = 0; t < tgt_words.size(); ++t) {
    std::size_t best = 0;
    float best_weight = -1;
    for (std::size_t s = 0; s < src_words.size(); ++s) {
      if (const float w = weight(tgt_words[t], src_words[s]); w > best_weight) {
        best = s;
        best_weight = w;
      }
    }
    if (best_weight >= 0) pairs.emplace_back(static_cast<int>(best), static_cast<int>(t));
  }
  return pairs;
}

// Each token as a word.
std::vector<Tokenizer::Word> single_tokens(std::span<const std::int32_t> ids) {
  std::vector<Tokenizer::Word> words;
  for (std::int32_t i = 0; i < std::ssize(ids); ++i)
    words.push_back({.text = {}, .begin = i, .end = i + 1});
  return words;
}

// The records of the cross-attention that aligns: of all layers except the first, if there are
// several, or of the one that has learned it.
std::vector<Tensor> cross_weights(const std::vector<AttentionRecord>& records,
                                  const TranslationModel& model, int& heads) {
  const bool has_learned = model.aligning_layer >= 0;
  std::vector<Tensor> weights;
  for (const AttentionRecord& record : records) {
    if (record.module.ends_with("self_attn")) continue;
    if (has_learned && record.module != model.aligning_module()) continue;
    heads = record.heads;
    weights.push_back(record.weights.to_host());
  }
  if (weights.size() > 1) weights.erase(weights.begin());
  return weights;
}

}  // namespace

std::vector<PairAlignment> pair_alignments(const TranslationModel& model,
                                           std::span<const PairToAlign> pairs) {
  const NoGradient guard;
  RaggedBuilder sources, targets;
  for (const PairToAlign& pair : pairs) {
    std::vector<std::int32_t> tgt = pair.marks->before_target;
    tgt.insert(tgt.end(), pair.tgt.begin(), pair.tgt.end());
    sources.add(pair.src);
    targets.add(tgt);
  }
  const Ragged src = sources.build(), tgt = targets.build();
  Pass encoding = Pass::inference(), decoding = Pass::inference();
  std::vector<AttentionRecord> records;
  decoding.attention = &records;
  model.network->decode(tgt, model.network->encode(src, encoding), src, decoding);
  check_numbers(records, model.source);
  int heads = 0;
  const std::vector<Tensor> weights = cross_weights(records, model, heads);
  const int aligning_heads = model.aligning_layer >= 0 ? 1 : heads;

  std::vector<PairAlignment> alignments;
  std::int64_t at = 0;  // of the blocks of a pair
  for (const PairToAlign& pair : pairs) {
    const PairSpecialTokens& marks = *pair.marks;
    CrossBlocks blocks{{},
                       aligning_heads,
                       std::ssize(marks.before_target) + std::ssize(pair.tgt),
                       std::ssize(pair.src)};
    for (const Tensor& layer : weights) blocks.layers.push_back(layer.data() + at);
    at += heads * blocks.rows * blocks.cols;
    const auto [ids, columns] = columns_of(pair);
    const auto aligned = [&blocks, &marks, &begins = columns](
                             std::span<const Tokenizer::Word> tgt_words,
                             std::span<const Tokenizer::Word> src_words) {
      return aligned_words(blocks, tgt_words, src_words, marks.of_target() - 1, begins);
    };
    PairAlignment& alignment = alignments.emplace_back();
    alignment.words = aligned(model.tgt_tokenizer.words(pair.tgt), model.src_tokenizer.words(ids));
    for (const auto& [source, target] : aligned(single_tokens(pair.tgt), single_tokens(ids)))
      alignment.tokens.push_back(source);
  }
  return alignments;
}

WordPairs word_alignment(const TranslationModel& model, const PairSpecialTokens& marks,
                         const std::vector<std::int32_t>& src,
                         const std::vector<std::int32_t>& tgt) {
  return std::move(pair_alignments(model, std::array{PairToAlign{&marks, src, tgt}}).front().words);
}

}  // namespace attend
