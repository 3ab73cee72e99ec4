// What beam search tells about its steps.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "attend/decode/beam_search.h"
#include "attend/decode/running_batch.h"
#include "decode/table_model.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Steps = std::vector<BeamStep>;

BeamSearchOptions heard_beam(int beam_size, int max_length = 0) {
  BeamSearchOptions options;
  options.beam_size = options.n_best = beam_size;
  options.max_length = max_length;
  options.length_penalty = 0.7f;
  return options;
}

struct HeardSearch {
  std::vector<std::vector<Hypothesis>> found;
  std::vector<Steps> steps;  // of each sentence
};

// Each sentence is searched with options of its own.
HeardSearch hear(TableModel& model, const std::vector<BeamSearchOptions>& options) {
  HeardSearch heard;
  heard.steps.resize(options.size());
  heard.found = decode_all(model, [&](const DecodeRequest& arrival, std::size_t sentence) {
    return BeamSearch(
        arrival, TableModel::kEos, options[sentence], {},
        [&heard, sentence](const BeamStep& step) { heard.steps[sentence].push_back(step); });
  });
  return heard;
}

// The outputs that steps tell of, by the tokens on the way to them.
struct HeardOutput {
  TableModel::Prefix ids;
  float log_probability, score;
  bool complete;
  auto operator<=>(const HeardOutput&) const = default;
};

std::set<HeardOutput> outputs_of(const Steps& steps, const TableModel::Prefix& forced = {}) {
  std::set<HeardOutput> outputs;
  std::vector<TableModel::Prefix> live{forced};
  for (const BeamStep& step : steps) {
    std::vector<TableModel::Prefix> next;
    for (const BeamCandidate& c : step.candidates) {
      TableModel::Prefix ids = live.at(static_cast<std::size_t>(c.parent));
      EXPECT_EQ(std::ssize(ids), step.written);
      if (c.fate == BeamFate::ended) {
        EXPECT_EQ(c.token, TableModel::kEos);
        outputs.insert({ids, c.log_probability, c.score, true});
        continue;
      }
      ids.push_back(c.token);
      if (c.fate == BeamFate::cut) outputs.insert({ids, c.log_probability, c.score, false});
      if (c.fate == BeamFate::kept) next.push_back(ids);
    }
    live = std::move(next);
  }
  EXPECT_TRUE(live.empty()) << "nothing goes on after the last step";
  return outputs;
}

std::set<HeardOutput> outputs_of(const std::vector<Hypothesis>& found) {
  std::set<HeardOutput> outputs;
  for (const Hypothesis& h : found) outputs.insert({h.ids, h.log_probability, h.score, h.complete});
  return outputs;
}

TEST(BeamListener, HearsTheWayToEveryOutput) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    for (const int beam : {1, 2, 5}) {
      TableModel model({0}, 6, random_logits(seed));
      const HeardSearch heard = hear(model, {heard_beam(beam)});
      const std::set<HeardOutput> told = outputs_of(heard.steps[0]);
      for (const HeardOutput& output : outputs_of(heard.found[0]))
        EXPECT_TRUE(told.contains(output)) << "seed " << seed << ", beam " << beam;
      EXPECT_GE(told.size(), heard.found[0].size());
    }
  }
}

TEST(BeamListener, ChangesNothing) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    TableModel heard_model({0}, 6, random_logits(seed)), model({0}, 6, random_logits(seed));
    const HeardSearch heard = hear(heard_model, {heard_beam(3)});
    EXPECT_EQ(outputs_of(heard.found[0]),
              outputs_of(beam_search(model, TableModel::kEos, heard_beam(3))[0]));
  }
}

TEST(BeamListener, HearsTheProbabilitiesOfTheModel) {
  const TableModel::Logits logits = random_logits(4);
  TableModel model({0}, 5, logits);
  std::vector<std::pair<TableModel::Prefix, float>> live{{{}, 0.0f}};
  const HeardSearch heard = hear(model, {heard_beam(2)});
  for (const BeamStep& step : heard.steps[0]) {
    std::vector<std::pair<TableModel::Prefix, float>> next;
    float last = std::numeric_limits<float>::infinity();
    EXPECT_EQ(step.candidates.size(), 3 * live.size()) << "one more than the beam of each";
    for (const BeamCandidate& c : step.candidates) {
      const auto& [ids, before] = live.at(static_cast<std::size_t>(c.parent));
      const std::vector<float> of_all = logits(0, ids);
      double total = 0;
      for (const float logit : of_all) total += std::exp(logit);
      const double expected = of_all[static_cast<std::size_t>(c.token)] - std::log(total);
      EXPECT_NEAR(c.token_score, expected, 1e-5);
      EXPECT_EQ(c.log_probability, before + c.token_score);
      EXPECT_FLOAT_EQ(c.score,
                      c.log_probability / std::pow(static_cast<float>(step.written + 1), 0.7f));
      EXPECT_LE(c.log_probability, last);
      last = c.log_probability;
      if (c.fate != BeamFate::kept) continue;
      next.push_back({ids, c.log_probability});
      next.back().first.push_back(c.token);
    }
    EXPECT_LE(next.size(), 2u);
    live = std::move(next);
  }
}

// Those beside it ask for more candidates, and join at other places.
TEST(BeamListener, HearsTheSameWhateverIsBesideASentence) {
  const TableModel::Logits logits = random_logits(7, 12);
  const std::vector<BeamSearchOptions> options{heard_beam(2), heard_beam(6), heard_beam(1)};
  TableModel together({0, 1, 2}, 6, logits);
  const HeardSearch all = hear(together, options);
  for (int sentence = 0; sentence < 3; ++sentence) {
    const auto at = static_cast<std::size_t>(sentence);
    TableModel alone({sentence}, 6, logits);
    const Steps own = hear(alone, {options[at]}).steps[0];
    ASSERT_EQ(own.size(), all.steps[at].size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      ASSERT_EQ(own[i].candidates.size(), all.steps[at][i].candidates.size());
      for (std::size_t k = 0; k < own[i].candidates.size(); ++k) {
        EXPECT_EQ(own[i].candidates[k].token, all.steps[at][i].candidates[k].token);
        EXPECT_EQ(own[i].candidates[k].fate, all.steps[at][i].candidates[k].fate);
      }
    }
  }
}

TEST(BeamListener, HearsWhatFollowsAForcedBeginning) {
  TableModel model({}, 6, random_logits(3));
  model.join(0, {5, 6}, {2, 3});
  const HeardSearch heard = hear(model, {heard_beam(2)});
  EXPECT_EQ(heard.steps[0].front().written, 2);
  const std::set<HeardOutput> told = outputs_of(heard.steps[0], {2, 3});
  for (const HeardOutput& output : outputs_of(heard.found[0])) EXPECT_TRUE(told.contains(output));
}

TEST(BeamListener, HearsWhatWasCut) {
  TableModel model({0}, 9, constant_logits({1, -30, 2, 0}));
  const HeardSearch heard = hear(model, {heard_beam(2, 3)});
  ASSERT_EQ(heard.steps[0].size(), 3u);
  int cut = 0;
  for (const BeamCandidate& c : heard.steps[0].back().candidates)
    cut += c.fate == BeamFate::cut ? 1 : 0;
  EXPECT_EQ(cut, 2);
}

TEST(BeamListener, EndsASearchByThrowing) {
  TableModel model({0}, 9, random_logits(1));
  expect_error<DataError>(
      [&] {
        decode_all(model, [](const DecodeRequest& arrival, std::size_t) {
          return BeamSearch(arrival, TableModel::kEos, heard_beam(2), {},
                            [](const BeamStep&) { throw DataError("enough"); });
        });
      },
      {"enough"});
}

}  // namespace
}  // namespace attend
