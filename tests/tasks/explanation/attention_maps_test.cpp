#include "attend/tasks/explanation/attention_maps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "attend/core/random/random.h"
#include "tasks/small_model.h"

namespace attend {
namespace {

class AttentionMapsOfAPair : public testing::Test {
 protected:
  AttentionMapsOfAPair() : maps_(attention_maps(model_, model_.format.of({}), src_, tgt_)) {}

  // Calls check(map) for every layer and head.
  template <class Check>
  static void each(const std::vector<std::vector<AttentionMap>>& layers, const Check& check) {
    for (const auto& heads : layers) {
      for (const AttentionMap& map : heads) check(map);
    }
  }

  static float at(const AttentionMap& map, std::int64_t row, std::int64_t col) {
    return map.weights[static_cast<std::size_t>(row * map.cols + col)];
  }

  static void expect_rows_sum_to_one(const AttentionMap& map) {
    ASSERT_EQ(static_cast<std::int64_t>(map.weights.size()), map.rows * map.cols);
    for (std::int64_t row = 0; row < map.rows; ++row) {
      const auto first = map.weights.begin() + row * map.cols;
      EXPECT_NEAR(std::accumulate(first, first + map.cols, 0.0), 1.0, 1e-5) << "row " << row;
    }
    for (const float weight : map.weights) EXPECT_GE(weight, 0.0f);
  }

  TranslationModel model_ = small_model();
  std::vector<std::int32_t> src_ = source_ids(model_, "the old dog catches the small cat");
  std::vector<std::int32_t> tgt_ = model_.tgt_tokenizer.encode("der alte hund fischt");
  AttentionMaps maps_;
};

TEST_F(AttentionMapsOfAPair, CoverEveryLayerAndHead) {
  ASSERT_EQ(maps_.encoder.size(), 3u);
  ASSERT_EQ(maps_.decoder.size(), 2u);
  ASSERT_EQ(maps_.cross.size(), 2u);
  for (const auto* layers : {&maps_.encoder, &maps_.decoder, &maps_.cross}) {
    for (const auto& heads : *layers) EXPECT_EQ(heads.size(), 4u);
  }
}

TEST_F(AttentionMapsOfAPair, HaveTheSizesOfTheSentences) {
  const auto src = static_cast<std::int64_t>(src_.size()),
             tgt = static_cast<std::int64_t>(tgt_.size()) + 1;
  EXPECT_EQ(maps_.src, src_);
  ASSERT_EQ(static_cast<std::int64_t>(maps_.tgt.size()), tgt);
  EXPECT_EQ(maps_.tgt.front(), model_.tgt_tokenizer.bos_id());
  EXPECT_TRUE(std::equal(tgt_.begin(), tgt_.end(), maps_.tgt.begin() + 1));
  const auto expect_size = [](std::int64_t rows, std::int64_t cols) {
    return [=](const AttentionMap& map) {
      EXPECT_EQ(map.rows, rows);
      EXPECT_EQ(map.cols, cols);
    };
  };
  each(maps_.encoder, expect_size(src, src));
  each(maps_.decoder, expect_size(tgt, tgt));
  each(maps_.cross, expect_size(tgt, src));
}

TEST_F(AttentionMapsOfAPair, HaveRowsThatSumToOne) {
  for (const auto* layers : {&maps_.encoder, &maps_.decoder, &maps_.cross})
    each(*layers, expect_rows_sum_to_one);
}

TEST_F(AttentionMapsOfAPair, DoNotLookAheadInTheDecoder) {
  each(maps_.decoder, [](const AttentionMap& map) {
    for (std::int64_t row = 0; row < map.rows; ++row) {
      for (std::int64_t col = 0; col < map.cols; ++col) {
        EXPECT_EQ(at(map, row, col) > 0.0f, col <= row) << "row " << row << ", column " << col;
      }
    }
  });
}

TEST_F(AttentionMapsOfAPair, DifferBetweenHeadsAndLayers) {
  EXPECT_NE(maps_.cross[0][0].weights, maps_.cross[0][1].weights);
  EXPECT_NE(maps_.cross[0][0].weights, maps_.cross[1][0].weights);
}

TEST_F(AttentionMapsOfAPair, KeepTheirSumsByWords) {
  const auto src_words = model_.src_tokenizer.words(maps_.src),
             tgt_words = model_.tgt_tokenizer.words(maps_.tgt);
  ASSERT_LT(src_words.size(), maps_.src.size()) << "the test needs a word of several pieces";
  ASSERT_LT(tgt_words.size(), maps_.tgt.size());
  each(maps_.encoder, [&](const AttentionMap& map) {
    expect_rows_sum_to_one(word_map(map, src_words, src_words));
  });
  each(maps_.decoder, [&](const AttentionMap& map) {
    expect_rows_sum_to_one(word_map(map, tgt_words, tgt_words));
  });
  each(maps_.cross, [&](const AttentionMap& map) {
    const AttentionMap words = word_map(map, tgt_words, src_words);
    EXPECT_EQ(words.rows, static_cast<std::int64_t>(tgt_words.size()));
    EXPECT_EQ(words.cols, static_cast<std::int64_t>(src_words.size()));
    expect_rows_sum_to_one(words);
  });
}

// A decoder that begins with a second mark reads what one reads whose text begins with that token.
TEST_F(AttentionMapsOfAPair, BeginWithWhatPredictsTheFirstToken) {
  const PairSpecialTokens usual = model_.format.of({});
  PairSpecialTokens two_marks = usual;
  two_marks.before_target.push_back(tgt_.back());
  std::vector<std::int32_t> written = tgt_;
  written.insert(written.begin(), tgt_.back());
  const AttentionMaps marked = attention_maps(model_, two_marks, src_, tgt_),
                      longer = attention_maps(model_, usual, src_, written);
  EXPECT_EQ(marked.tgt, longer.tgt);
  const auto expect_the_last_rows = [](const AttentionMap& map, const AttentionMap& whole) {
    EXPECT_EQ(map.rows, whole.rows - 1);
    EXPECT_EQ(map.cols, whole.cols);
    EXPECT_EQ(map.weights,
              std::vector<float>(whole.weights.begin() + whole.cols, whole.weights.end()));
  };
  for (std::size_t layer = 0; layer < marked.cross.size(); ++layer) {
    for (std::size_t head = 0; head < marked.cross[layer].size(); ++head) {
      expect_the_last_rows(marked.decoder[layer][head], longer.decoder[layer][head]);
      expect_the_last_rows(marked.cross[layer][head], longer.cross[layer][head]);
    }
  }
}

TEST(WordMap, SumsColumnsAndAveragesRows) {
  const AttentionMap pieces{3, 3, {0.5f, 0.25f, 0.25f, 0.25f, 0.25f, 0.5f, 0.0f, 0.0f, 1.0f}};
  const std::vector<Tokenizer::Word> words{{"first", 0, 2}, {"second", 2, 3}};
  const AttentionMap map = word_map(pieces, words, words);
  EXPECT_EQ(map.rows, 2);
  EXPECT_EQ(map.cols, 2);
  EXPECT_EQ(map.weights, (std::vector<float>{0.625f, 0.375f, 0.0f, 1.0f}));
}

TEST_F(AttentionMapsOfAPair, AlignEveryTargetWordWithASourceWord) {
  const auto pairs = word_alignment(model_, model_.format.of({}), src_, tgt_);
  const auto src_words = static_cast<int>(model_.src_tokenizer.words(src_).size()) -
                         1;  // eos is no word to align with
  const auto tgt_words = model_.tgt_tokenizer.words(tgt_).size();
  ASSERT_EQ(pairs.size(), tgt_words);
  for (std::size_t t = 0; t < pairs.size(); ++t) {
    EXPECT_EQ(pairs[t].second, static_cast<int>(t));
    EXPECT_GE(pairs[t].first, 0);
    EXPECT_LT(pairs[t].first, src_words);
  }
}

// The last of the two layers decides, and what comes before the sentence is left out.
TEST_F(AttentionMapsOfAPair, AlignEveryTargetTokenWithTheSourceTokenItLooksAtMost) {
  const PairSpecialTokens marks = model_.format.of({});
  const AttentionMaps maps = attention_maps(model_, marks, src_, tgt_);
  for (const std::size_t context : {0, 2}) {
    const std::vector<int> tokens =
        pair_alignments(model_, std::array{PairToAlign{&marks, src_, tgt_, context}})
            .front()
            .tokens;
    ASSERT_EQ(tokens.size(), tgt_.size());
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      std::vector<float> totals(src_.size() - context - marks.after_source.size());
      for (const AttentionMap& head : maps.cross.back())
        for (std::size_t s = 0; s < totals.size(); ++s)
          totals[s] += head.weights[t * src_.size() + context + s];
      EXPECT_EQ(tokens[t], std::max_element(totals.begin(), totals.end()) - totals.begin()) << t;
    }
  }
}

TEST_F(AttentionMapsOfAPair, AlignByTheHeadThatHasLearnedToAlone) {
  const PairSpecialTokens marks = model_.format.of({});
  const std::array pairs{PairToAlign{&marks, src_, tgt_}, PairToAlign{&marks, src_, tgt_}};
  for (const int layer : {0, 1}) {
    model_.aligning_layer = layer;
    const AttentionMap& head = maps_.cross[static_cast<std::size_t>(layer)].front();
    for (const PairAlignment& alignment : pair_alignments(model_, pairs)) {
      ASSERT_EQ(alignment.tokens.size(), tgt_.size());
      for (std::size_t t = 0; t < tgt_.size(); ++t) {
        const auto row = head.weights.begin() + static_cast<std::ptrdiff_t>(t * src_.size());
        const auto end = row + std::ssize(src_) - std::ssize(marks.after_source);
        EXPECT_EQ(alignment.tokens[t], std::max_element(row, end) - row) << layer << ' ' << t;
      }
    }
  }
}

TEST_F(AttentionMapsOfAPair, CountTheTokensOfATermWithTheTokenBeforeIt) {
  const PairSpecialTokens marks = model_.format.of({});
  const AttentionMaps maps = attention_maps(model_, marks, src_, tgt_);
  const std::array terms{TokenRange{1, 2}};
  const std::vector<int> tokens =
      pair_alignments(model_, std::array{PairToAlign{&marks, src_, tgt_, 0, terms}}).front().tokens;
  ASSERT_EQ(tokens.size(), tgt_.size());
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    std::vector<float> totals(src_.size() - 1 - marks.after_source.size());
    for (const AttentionMap& head : maps.cross.back())
      for (std::size_t s = 0; s <= totals.size(); ++s)
        totals[s == 0 ? 0 : s - 1] += head.weights[t * src_.size() + s];
    EXPECT_EQ(tokens[t], std::max_element(totals.begin(), totals.end()) - totals.begin()) << t;
  }
}

// For each target word the source word that it looks at most in the layers from `first_layer` on.
std::vector<int> most_looked_at(const TranslationModel& model, const PairSpecialTokens& marks,
                                const AttentionMaps& maps, std::size_t first_layer) {
  const auto before = marks.before_source.size();
  const auto src_words = model.src_tokenizer.words(
      std::span(maps.src).subspan(before, maps.src.size() - before - marks.after_source.size()));
  const auto tgt_words =
      model.tgt_tokenizer.words(std::span(maps.tgt).subspan(marks.before_target.size()));
  std::vector<int> most;
  for (const Tokenizer::Word& target : tgt_words) {
    std::vector<double> totals(src_words.size(), 0.0);
    for (std::size_t layer = first_layer; layer < maps.cross.size(); ++layer) {
      for (const AttentionMap& head : maps.cross[layer]) {
        for (std::int64_t row = target.begin; row < target.end; ++row) {
          for (std::size_t s = 0; s < src_words.size(); ++s) {
            for (std::int64_t col = src_words[s].begin; col < src_words[s].end; ++col)
              totals[s] += head.weights[static_cast<std::size_t>(row * head.cols + col) + before];
          }
        }
      }
    }
    most.push_back(
        static_cast<int>(std::max_element(totals.begin(), totals.end()) - totals.begin()));
  }
  return most;
}

std::vector<std::int32_t> random_words(Random& random, const Tokenizer& tokenizer) {
  std::vector<std::int32_t> ids(7);
  for (std::int32_t& id : ids)
    id = 4 + static_cast<std::int32_t>(
                 random.below(static_cast<std::uint64_t>(tokenizer.vocab_size()) - 4));
  return ids;
}

// The first of the two layers is left out. Only pairs for which that makes a difference show it.
void expect_alignment_by_last_layer(const TranslationModel& model, const PairSpecialTokens& marks) {
  Random random({1, 5});
  int differences = 0;
  for (int i = 0; i < 60; ++i) {
    const std::vector<std::int32_t> src = marks.around(random_words(random, model.src_tokenizer)),
                                    tgt = random_words(random, model.tgt_tokenizer);
    const AttentionMaps maps = attention_maps(model, marks, src, tgt);
    std::vector<int> found;
    for (const auto& [source, target] : word_alignment(model, marks, src, tgt))
      found.push_back(source);
    const std::vector<int> of_last = most_looked_at(model, marks, maps, 1);
    EXPECT_EQ(found, of_last);
    differences += most_looked_at(model, marks, maps, 0) != of_last ? 1 : 0;
  }
  EXPECT_GT(differences, 0) << "the first layer changed nothing: the test proved nothing";
}

TEST_F(AttentionMapsOfAPair, AlignByTheCrossAttentionOfTheLastLayers) {
  expect_alignment_by_last_layer(model_, model_.format.of({}));
}

TEST_F(AttentionMapsOfAPair, AlignWordsBehindTheMarksOfTheLanguages) {
  PairSpecialTokens marks = model_.format.of({});
  marks.before_source = {src_.front()};
  marks.before_target.push_back(tgt_.front());
  expect_alignment_by_last_layer(model_, marks);
}

TEST_F(AttentionMapsOfAPair, AlignNothingToAnEmptySentence) {
  EXPECT_TRUE(word_alignment(model_, model_.format.of({}), src_, {}).empty());
  EXPECT_TRUE(
      word_alignment(model_, model_.format.of({}), {model_.src_tokenizer.eos_id()}, tgt_).empty());
}

}  // namespace
}  // namespace attend
