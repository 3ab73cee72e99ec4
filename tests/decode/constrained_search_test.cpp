// Beam search for outputs with and without some phrases, beside all outputs there are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "attend/decode/beam_search.h"
#include "attend/decode/running_batch.h"
#include "attend/error.h"
#include "decode/table_model.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Output = TableModel::Prefix;
constexpr std::size_t kLongest = 5;

struct Wishes {
  std::vector<Output> required;
  std::vector<Output> forbidden;

  std::shared_ptr<const PhraseRules> rules() const {
    std::vector<PhrasePaths> paths;
    for (const Output& phrase : forbidden) paths.push_back(one_path(phrase));
    return std::make_shared<PhraseRules>(required, paths);
  }
  bool fit(const Output& output) const {
    const auto holds = [&](const Output& phrase) {
      return std::search(output.begin(), output.end(), phrase.begin(), phrase.end()) !=
             output.end();
    };
    return std::all_of(required.begin(), required.end(), holds) &&
           std::none_of(forbidden.begin(), forbidden.end(), holds);
  }
};

const std::vector<Wishes> kWishes{
    {},
    {{{2}}, {}},
    {{{3, 2}}, {}},
    {{{2, 2, 3}}, {}},
    {{{0}, {3, 3}}, {}},
    {{{2}, {3}, {0}}, {}},
    {{}, {{2}}},
    {{}, {{0, 3}, {3, 2}, {2, 2}}},
    {{{3, 0}}, {{0, 0}, {2}}},
    {{{2, 3}, {0}}, {{0, 2}, {3, 3}}},
};

// All outputs that fit, best first, cut ones last.
std::vector<Hypothesis> all_that_fit(const TableModel::Logits& logits, const Wishes& wishes,
                                     const Output& forced = {}) {
  std::vector<Hypothesis> all;
  const auto add = [&](const Output& ids, double log_probability, bool complete) {
    if (!wishes.fit(ids)) return;
    const double length = static_cast<double>(ids.size()) + (complete ? 1 : 0);
    all.push_back({ids,
                   static_cast<float>(log_probability / std::pow(length, 0.8)),
                   static_cast<float>(log_probability),
                   {},
                   complete});
  };
  const auto from = [&](const auto& self, const Output& ids, double log_probability) -> void {
    if (ids.size() == kLongest) return add(ids, log_probability, false);
    const std::vector<float> next = logits(0, ids);
    double total = 0;
    for (const float logit : next) total += std::exp(logit);
    for (std::int32_t token = 0; token < 4; ++token) {
      const double longer =
          log_probability + next[static_cast<std::size_t>(token)] - std::log(total);
      if (token == TableModel::kEos) {
        add(ids, longer, true);
        continue;
      }
      Output extended = ids;
      extended.push_back(token);
      self(self, extended, longer);
    }
  };
  from(from, forced, 0);
  std::sort(all.begin(), all.end(), [](const Hypothesis& a, const Hypothesis& b) {
    return a.complete != b.complete ? a.complete : a.score > b.score;
  });
  return all;
}

BeamSearchOptions wide_beam(int beam_size) {
  BeamSearchOptions options;
  options.beam_size = options.n_best = beam_size;
  options.length_penalty = 0.8f;
  return options;
}

std::vector<Hypothesis> search(TableModel& model, const Wishes& wishes,
                               const BeamSearchOptions& options) {
  return decode_all(model, [&](const DecodeRequest& arrival, std::size_t) {
    return BeamSearch(arrival, TableModel::kEos, options, {.phrases = wishes.rules()});
  })[0];
}

void expect_all(const std::vector<Hypothesis>& found, const std::vector<Hypothesis>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].ids, expected[i].ids) << "rank " << i;
    EXPECT_EQ(found[i].complete, expected[i].complete);
    EXPECT_NEAR(found[i].score, expected[i].score, 1e-5);
    EXPECT_NEAR(found[i].log_probability, expected[i].log_probability, 1e-5);
  }
}

TEST(ConstrainedSearch, FindsAllThatFitWhenTheBeamHoldsEverything) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const TableModel::Logits logits = random_logits(seed);
    for (std::size_t i = 0; i < kWishes.size(); ++i) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", wishes " + std::to_string(i));
      TableModel model({0}, kLongest, logits);
      expect_all(search(model, kWishes[i], wide_beam(400)), all_that_fit(logits, kWishes[i]));
    }
  }
}

TEST(ConstrainedSearch, CountsWhatAForcedBeginningHas) {
  const Output forced{3, 2};
  const TableModel::Logits logits = random_logits(8);
  for (const Wishes& wishes :
       {Wishes{{{3, 2}}, {}}, Wishes{{{2, 0}}, {{0, 3}}}, Wishes{{{2, 2, 3}}, {}}}) {
    TableModel model({}, kLongest, logits);
    model.join(0, {}, forced);
    expect_all(search(model, wishes, wide_beam(400)), all_that_fit(logits, wishes, forced));
  }
}

// Where a forbidden phrase takes the room of a required one, a narrow beam may find nothing.
TEST(ConstrainedSearch, FitsWithAnyBeam) {
  int failed = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const TableModel::Logits logits = random_logits(seed);
    for (const Wishes& wishes : kWishes) {
      const Hypothesis best = all_that_fit(logits, wishes).front();
      for (const int beam : {1, 2, 3, 5, 8}) {
        TableModel model({0}, kLongest, logits);
        try {
          const std::vector<Hypothesis> found = search(model, wishes, wide_beam(beam));
          ASSERT_FALSE(found.empty());
          for (const Hypothesis& h : found) EXPECT_TRUE(wishes.fit(h.ids)) << "seed " << seed;
          if (found[0].complete != best.complete) continue;
          EXPECT_LE(found[0].score, best.score + 1e-5f);
        } catch (const DataError&) {
          EXPECT_FALSE(wishes.required.empty() || wishes.forbidden.empty());
          EXPECT_LT(beam, 5);
          ++failed;
        }
      }
    }
  }
  EXPECT_LT(failed, 40) << "of 2000 searches";
}

// Of the best outputs, a beam of 8 finds most.
TEST(ConstrainedSearch, FindsTheBestWithAModestBeam) {
  int best_found = 0, searches = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const TableModel::Logits logits = random_logits(seed);
    for (const Wishes& wishes : kWishes) {
      TableModel model({0}, kLongest, logits);
      ++searches;
      best_found +=
          search(model, wishes, wide_beam(8))[0].ids == all_that_fit(logits, wishes).front().ids
              ? 1
              : 0;
    }
  }
  EXPECT_GT(best_found, searches * 8 / 10);
}

TEST(ConstrainedSearch, WithoutPhrasesIsTheUsualOne) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    for (const int beam : {1, 2, 5}) {
      TableModel constrained({0}, 6, random_logits(seed)), usual({0}, 6, random_logits(seed));
      const auto found = search(constrained, {}, wide_beam(beam));
      const auto expected = beam_search(usual, TableModel::kEos, wide_beam(beam))[0];
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].ids, expected[i].ids);
        EXPECT_EQ(found[i].log_probability, expected[i].log_probability);
      }
    }
  }
}

TEST(ConstrainedSearch, TakesARequiredTokenHoweverUnlikely) {
  TableModel model({0}, 8, constant_logits({2, 1, 3, -30}));
  const Hypothesis found = search(model, {{{3, 3}}, {}}, wide_beam(2))[0];
  EXPECT_TRUE(Wishes({{{3, 3}}, {}}).fit(found.ids));
  EXPECT_LT(found.log_probability, -60);
}

TEST(ConstrainedSearch, FindsTheSameWhateverIsBesideASentence) {
  const TableModel::Logits logits = random_logits(5, 9);
  const Wishes own{{{5, 6}, {7}}, {{2}}};
  TableModel together({0, 1, 2}, 9, logits);
  const auto all = decode_all(together, [&](const DecodeRequest& arrival, std::size_t sentence) {
    return BeamSearch(arrival, TableModel::kEos, wide_beam(sentence == 1 ? 4 : 8),
                      {.phrases = sentence == 1 ? own.rules() : nullptr});
  });
  TableModel alone({1}, 9, logits);
  const auto found = search(alone, own, wide_beam(4));
  ASSERT_EQ(found.size(), all[1].size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].ids, all[1][i].ids);
    EXPECT_EQ(found[i].log_probability, all[1][i].log_probability);
  }
}

TEST(ConstrainedSearch, RefusesWhatCannotBeFound) {
  const auto searched = [](const Wishes& wishes, const BeamSearchOptions& options,
                           const Output& forced = {}) {
    TableModel model({}, kLongest, random_logits(1));
    model.join(0, {}, forced);
    search(model, wishes, options);
  };
  expect_error<DataError>(
      [&] {
        searched({{{2, 2, 2}, {3, 3, 3}}, {}}, wide_beam(2));
      },
      {"room for the 6 tokens", "max_length 5"});
  expect_error<DataError>(
      [&] {
        searched({{{2, 2, 2}}, {}}, wide_beam(2), {3, 3, 3});
      },
      {"room for the 3 tokens", "got 2"});
  expect_error<DataError>(
      [&] {
        searched({{}, {{3, 2}}}, wide_beam(2), {3, 2});
      },
      {"the prefix contains a forbidden phrase"});
  BeamSearchOptions options = wide_beam(2);
  options.no_repeat_ngram = 1;
  expect_error<DataError>(
      [&] {
        searched({{{2, 2}}, {}}, options);
      },
      {"found no output of at most 5 tokens with all"});
}

}  // namespace
}  // namespace attend
