#include "attend/tasks/translation/training/targets.h"

#include <filesystem>
#include <string>
#include <vector>

#include "attend/core/files/lines.h"
#include "attend/error.h"
#include "attend/translation_metrics.h"
#include "checkpoint/test_folder.h"
#include "tasks/translation/small_translator.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

struct TargetsOf {
  std::vector<std::string> src, tgt;
};

class Targets : public FolderTest {
 protected:
  Targets() : sentences_(random_sentences(2300)) {
    sentences_[7] = "";
    lines("src", sentences_);
    source_.src = {path("src").string()};
  }

  void lines(const std::string& name, const std::vector<std::string>& texts) const {
    std::string all;
    for (const std::string& text : texts) all += text + "\n";
    write(path(name), all);
  }
  TargetFiles written(const TargetOptions& options, const std::string& to) const {
    return write_targets(translator(), source_, options, path(to), [](std::int64_t) {});
  }
  // The sentences with what the translator says to them, as far as neither is blank.
  TargetsOf best(int beam_size) const {
    TranslationOptions decoding = translator().default_options();
    decoding.beam.beam_size = beam_size;
    const std::vector<Translation> all = translator().translate(sentences_, decoding);
    TargetsOf pairs;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (sentences_[i].empty() || all[i].text().empty()) continue;
      pairs.src.push_back(sentences_[i]);
      pairs.tgt.push_back(all[i].text());
    }
    return pairs;
  }

  std::vector<std::string> sentences_;
  TargetSource source_;
};

TEST_F(Targets, AreTheTranslationsOfAllSentencesUnlessOneIsBlank) {
  const TargetFiles files = written({.beam_size = 2}, "targets");
  const TargetsOf expected = best(2);
  EXPECT_EQ(files.pairs, std::ssize(expected.src));
  EXPECT_LT(files.pairs, 2300);
  EXPECT_EQ(read_lines(files.src.string()), expected.src);
  EXPECT_EQ(read_lines(files.tgt.string()), expected.tgt);
}

TEST_F(Targets, GoOnWithTheFirstPartThatIsMissing) {
  const TargetFiles whole = written({.beam_size = 1}, "whole");
  int parts = 0;
  const auto stop = [&](std::int64_t sentences) {
    EXPECT_EQ(sentences, 1000 * ++parts);
    if (parts == 2) throw ConfigError("stopped");
  };
  EXPECT_THROW(write_targets(translator(), source_, {.beam_size = 1}, path("parts"), stop),
               ConfigError);
  EXPECT_FALSE(std::filesystem::exists(path("parts/tgt.txt")));
  const auto first = std::filesystem::last_write_time(path("parts/part-000001.tgt"));
  std::vector<std::int64_t> seen;
  const TargetFiles rest =
      write_targets(translator(), source_, {.beam_size = 1}, path("parts"), [&](std::int64_t done) {
        seen.push_back(done);
        if (done == 2300) return;
        EXPECT_EQ(std::filesystem::last_write_time(path("parts/part-000001.tgt")), first);
      });
  EXPECT_EQ(seen, (std::vector<std::int64_t>{1000, 2000, 2300}));
  EXPECT_EQ(read_lines(rest.src.string()), read_lines(whole.src.string()));
  EXPECT_EQ(read_lines(rest.tgt.string()), read_lines(whole.tgt.string()));
  EXPECT_FALSE(std::filesystem::exists(path("parts/part-000001.tgt"))) << "joined";
}

TEST_F(Targets, MayBeTheNearestToGivenTranslations) {
  sentences_.resize(40);
  sentences_[7] = "the dog";
  lines("src", sentences_);
  lines("tgt", random_sentences(40));
  source_.tgt = {path("tgt").string()};
  const TargetFiles files = written({.targets = TargetChoice::nearest, .beam_size = 4}, "nearest");
  const std::vector<std::string> chosen = read_lines(files.tgt.string()),
                                 given = read_lines(path("tgt").string());
  TranslationOptions decoding = translator().default_options();
  decoding.beam.beam_size = decoding.beam.n_best = 4;
  const std::vector<Translation> all = translator().translate(sentences_, decoding);
  ASSERT_EQ(chosen.size(), all.size());
  int others = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::vector<std::string> reference{given[i]};
    const double score = sentence_chrf(chosen[i], reference);
    for (const TranslationCandidate& candidate : all[i].candidates)
      EXPECT_GE(score, sentence_chrf(candidate.text, reference)) << candidate.text;
    others += chosen[i] != all[i].text() ? 1 : 0;
  }
  EXPECT_GT(others, 0);
}

TEST_F(Targets, MayBeSamplesOfASeed) {
  sentences_.resize(5);
  lines("src", sentences_);
  const TargetOptions options{.targets = TargetChoice::sample, .samples = 3};
  const TargetFiles files = written(options, "one");
  const std::vector<std::string> src = read_lines(files.src.string()),
                                 tgt = read_lines(files.tgt.string());
  EXPECT_GT(files.pairs, 10);
  EXPECT_EQ(src[0], src[1]);
  EXPECT_NE(tgt[0], tgt[1]);
  EXPECT_EQ(read_lines(written(options, "same").tgt.string()), read_lines(files.tgt.string()));
  source_.seed = 2;
  expect_error<ConfigError>([&] { written(options, "one"); }, {"made by other models"});
  EXPECT_NE(read_lines(written(options, "other").tgt.string()), read_lines(files.tgt.string()));
}

TEST_F(Targets, RefuseAFolderWithOtherTargets) {
  sentences_.resize(3);
  lines("src", sentences_);
  written({.beam_size = 2}, "targets");
  expect_error<ConfigError>([&] { written({.beam_size = 3}, "targets"); },
                            {"made by other models, of another text or with other options"});
}

TEST_F(Targets, RefuseAFolderOfAnotherTextInTheSameFile) {
  sentences_.resize(3);
  lines("src", sentences_);
  written({}, "targets");
  lines("src", {"the dog", "a cat"});
  expect_error<ConfigError>([&] { written({}, "targets"); }, {"of another text"});
}

TEST_F(Targets, MayBeSamplesAmongTheMostLikelyTokens) {
  sentences_.resize(5);
  lines("src", sentences_);
  TargetOptions options{.targets = TargetChoice::sample, .samples = 2};
  options.sampling.top_k = 1;
  const std::vector<std::string> greedy = read_lines(written(options, "k").tgt.string());
  ASSERT_GT(greedy.size(), 1u);
  EXPECT_EQ(greedy[0], greedy[1]) << "both are the most likely one";
  options.sampling = {.top_p = 0};
  EXPECT_EQ(read_lines(written(options, "p").tgt.string()), greedy);
  options.sampling = {.temperature = 0};
  EXPECT_EQ(read_lines(written(options, "cold").tgt.string()), greedy);
  options.sampling = {};
  EXPECT_NE(read_lines(written(options, "all").tgt.string()), greedy);
}

TEST_F(Targets, MayBeSeveralOfTheBeam) {
  sentences_.resize(5);
  lines("src", sentences_);
  TargetOptions options{.beam_size = 4};
  const std::vector<std::string> best = read_lines(written(options, "one").tgt.string());
  options.n_best = 3;
  EXPECT_EQ(options.of_a_sentence(), 3);
  const std::vector<std::string> all = read_lines(written(options, "three").tgt.string());
  ASSERT_GE(all.size(), 2 * best.size());
  EXPECT_EQ(all.front(), best.front());
  EXPECT_NE(all[1], all[0]);
}

TEST_F(Targets, MayHaveNoise) {
  sentences_.resize(30);
  lines("src", sentences_);
  TargetOptions options;
  const std::vector<std::string> clean = read_lines(written(options, "clean").tgt.string());
  options.noise = {.blank = 1};
  const std::vector<std::string> blank = read_lines(written(options, "blank").tgt.string());
  ASSERT_EQ(blank.size(), clean.size());
  EXPECT_TRUE(blank.front().starts_with("<blank>")) << blank.front();
  options.noise = {.drop = 0.3, .swap = 3};
  const std::vector<std::string> noisy = read_lines(written(options, "noisy").tgt.string());
  EXPECT_NE(noisy, clean);
  EXPECT_EQ(read_lines(written(options, "again").tgt.string()), noisy);
  source_.seed = 2;
  EXPECT_NE(read_lines(written(options, "other").tgt.string()), noisy);
  expect_error<ConfigError>([&] { written(options, "noisy"); }, {"made by other models"});
}

TEST_F(Targets, RefuseToChooseWithoutGivenTranslations) {
  expect_error<ConfigError>([&] { written({.targets = TargetChoice::nearest}, "targets"); },
                            {"targets: expected given translations"});
}

TEST_F(Targets, RefuseATextWithoutSentences) {
  lines("src", {"", "  "});
  expect_error<DataError>([&] { written({}, "targets"); }, {"no sentence", "src"});
}

}  // namespace
}  // namespace attend
