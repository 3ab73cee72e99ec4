// What is heard of the search for translations.
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <sstream>

#include "core/scoped_threads.h"
#include "tasks/translation/small_translator.h"

namespace attend {
namespace {

const std::vector<std::string> kHeard{"the old dog", "a cat", "", "dogs catch the small fish"};

// The steps of each sentence.
struct HeardSteps {
  std::mutex mutex;
  std::map<std::size_t, std::vector<BeamStep>> of;

  TranslationOptions options() {
    TranslationOptions options = beam_of(3, 3);
    options.search_listener = [this](std::size_t sentence, const BeamStep& step) {
      const std::lock_guard lock(mutex);
      of[sentence].push_back(step);
    };
    return options;
  }
  // The tokens of the best output that ended or was cut.
  std::vector<std::int32_t> best(std::size_t sentence, std::size_t prefix = 0) const {
    std::vector<std::vector<std::int32_t>> live{std::vector<std::int32_t>(prefix, -1)};
    std::vector<std::int32_t> best;
    float score = -1e9f;
    bool complete = false;
    for (const BeamStep& step : of.at(sentence)) {
      std::vector<std::vector<std::int32_t>> next;
      for (const BeamCandidate& c : step.candidates) {
        std::vector<std::int32_t> ids = live.at(static_cast<std::size_t>(c.parent));
        const bool ends = c.fate == BeamFate::ended;
        if (!ends) ids.push_back(c.token);
        if (c.fate == BeamFate::kept) next.push_back(ids);
        if (!ends && c.fate != BeamFate::cut) continue;
        if (complete && !ends) continue;
        if ((ends && !complete) || c.score > score) {
          best = ids;
          score = c.score;
          complete = ends;
        }
      }
      live = std::move(next);
    }
    return best;
  }
};

std::vector<std::int32_t> written(const Translation& translation) {
  std::vector<std::int32_t> ids;
  for (const std::string& token : translation.candidates.front().tokens)
    ids.push_back(translator().model().tgt_tokenizer.id(token));
  return ids;
}

TEST(SearchListener, HearsTheSearchOfEverySentence) {
  const ScopedThreads threads(3);
  HeardSteps heard;
  const auto found = translator().translate(kHeard, heard.options());
  EXPECT_EQ(heard.of.size(), 3u) << "an empty line is not searched";
  for (const std::size_t sentence : {0, 1, 3})
    EXPECT_EQ(heard.best(sentence), written(found[sentence])) << sentence;
  expect_same(found, translator().translate(kHeard, beam_of(3, 3)));
}

TEST(SearchListener, CallsTheLinesOfAStreamByTheirNumbers) {
  HeardSteps heard;
  std::istringstream stream("a cat\n\xff\n\nthe old dog\n");
  LineReader lines(stream, "in");
  std::vector<Translation> found;
  AnswerSink<Translation> sink;
  sink.accept = [&](const Translation& t) { found.push_back(t); };
  sink.reject = [](const LineError&) {};
  translator().translate(lines, sink, heard.options());
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(heard.of.size(), 2u);
  EXPECT_EQ(heard.best(0), written(found[0]));
  EXPECT_EQ(heard.best(3), written(found[2]));
}

TEST(SearchListener, HearsNothingOfSamples) {
  HeardSteps heard;
  TranslationOptions options = heard.options();
  options.sampling = SamplingOptions{.max_length = 5};
  translator().translate(kHeard, options);
  EXPECT_TRUE(heard.of.empty());
}

TEST(SearchListener, HearsWhatFollowsAPrefix) {
  HeardSteps heard;
  TranslationOptions options = heard.options();
  options.prefixes = {"der"};
  const auto found = translator().translate(kHeard, options);
  const std::size_t prefix = translator().model().tgt_tokenizer.encode("der").size();
  EXPECT_EQ(heard.of[1].front().written, static_cast<int>(prefix));
  std::vector<std::int32_t> expected = written(found[1]);
  std::fill_n(expected.begin(), prefix, -1);
  EXPECT_EQ(heard.best(1, prefix), expected);
}

}  // namespace
}  // namespace attend
