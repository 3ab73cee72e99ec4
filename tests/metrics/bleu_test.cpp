#include "attend/metrics/bleu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "attend/core/random/random.h"
#include "attend/error.h"
#include "core/scoped_threads.h"
#include "metrics/goldens.h"

namespace attend {
namespace {

template <class E>
E named(const std::string& name) {
  const auto names = enum_names(E{});
  return static_cast<E>(std::find(names.begin(), names.end(), name) - names.begin());
}

References first_references(int count) {
  return {goldens::kReferences.begin(), goldens::kReferences.begin() + count};
}

BleuOptions options_of(const goldens::Bleu& golden) {
  BleuOptions options;
  options.tokenization = named<BleuTokenization>(golden.tokenization);
  options.lowercase = golden.lowercase;
  options.smoothing = named<BleuSmoothing>(golden.smoothing);
  options.smoothing_value = golden.smoothing_value;
  options.max_order = golden.max_order;
  options.effective_order = golden.effective_order;
  return options;
}

std::string message_of(const std::vector<std::string>& hypotheses, const References& references) {
  try {
    corpus_bleu(hypotheses, references);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Bleu, EqualsSacrebleu) {
  ASSERT_FALSE(goldens::kBleu.empty());
  for (const auto& golden : goldens::kBleu) {
    const BleuOptions options = options_of(golden);
    const References references = first_references(golden.references);
    const BleuScore score = corpus_bleu(goldens::kCorpora.at(golden.corpus), references, options);
    SCOPED_TRACE(golden.corpus + ": " + golden.line);
    EXPECT_NEAR(score.score, golden.score, 1e-9);
    EXPECT_NEAR(score.brevity_penalty, golden.brevity_penalty, 1e-12);
    EXPECT_EQ(score.hypothesis_length, golden.hypothesis_length);
    EXPECT_EQ(score.reference_length, golden.reference_length);
    ASSERT_EQ(score.precisions.size(), golden.precisions.size());
    for (std::size_t n = 0; n < score.precisions.size(); ++n)
      EXPECT_NEAR(score.precisions[n], golden.precisions[n], 1e-9) << n + 1;
  }
}

TEST(Bleu, PrintsTheLineOfSacrebleu) {
  for (const auto& golden : goldens::kBleu) {
    const BleuOptions options = options_of(golden);
    const auto score = corpus_bleu(goldens::kCorpora.at(golden.corpus),
                                   first_references(golden.references), options);
    EXPECT_EQ(
        format_bleu(score, bleu_signature(options, static_cast<std::size_t>(golden.references))),
        golden.line);
  }
}

TEST(Bleu, OfASentenceEqualsSacrebleu) {
  for (const auto& golden : goldens::kSentences) {
    EXPECT_NEAR(sentence_bleu(golden.hypothesis, golden.references).score, golden.bleu, 1e-9)
        << golden.hypothesis;
  }
}

// The score of the papers on Multi30k and others: tokens as they stand, lower-cased, and no
// smoothing.
TEST(Bleu, IsMultiBleuWithoutTokenizationLowercased) {
  BleuOptions options;
  options.tokenization = BleuTokenization::none;
  options.lowercase = true;
  options.smoothing = BleuSmoothing::none;
  const auto& hypotheses = goldens::kCorpora.at("A");
  EXPECT_NEAR(corpus_bleu(hypotheses, first_references(1), options).score, goldens::kMultiBleu[0],
              1e-9);
  EXPECT_NEAR(corpus_bleu(hypotheses, first_references(2), options).score, goldens::kMultiBleu[1],
              1e-9);
  // A corpus with a match of every order is not smoothed, so the default smoothing gives the same.
  options.smoothing = BleuSmoothing::exp;
  EXPECT_NEAR(corpus_bleu(hypotheses, first_references(1), options).score, goldens::kMultiBleu[0],
              1e-9);
}

// Example 2 of Papineni et al. 2002: seven times "the" matches as often as one reference has it,
// twice.
TEST(Bleu, ClipsRepeatedWords) {
  const std::vector<std::string> hypotheses{"the the the the the the the"};
  const auto score =
      corpus_bleu(hypotheses, {{"the cat is on the mat"}, {"there is a cat on the mat"}});
  EXPECT_EQ(score.counts[0], 2);
  EXPECT_EQ(score.totals[0], 7);
  EXPECT_EQ(score.counts[1], 0);
}

TEST(Bleu, TakesTheShorterOfEquallyCloseReferences) {
  const std::vector<std::string> hypotheses{"a b c d"};
  EXPECT_EQ(corpus_bleu(hypotheses, {{"a b c d e"}, {"a b c"}}).reference_length, 3);
}

TEST(Bleu, OfACopyIs100) {
  const auto& lines = goldens::kReferences[0];
  EXPECT_NEAR(corpus_bleu(lines, {lines}).score, 100, 1e-9);
}

TEST(Bleu, SaysWhichLineStillCarriesSubwords) {
  EXPECT_EQ(message_of({"fine", "a sub@@ word"}, {{"fine", "a subword"}}).substr(0, 22),
            "hypotheses, line 2: ex");
  EXPECT_NE(
      message_of({"fine", "\u2581a \u2581word"}, {{"fine", "a word"}}).find("hypotheses, line 2"),
      std::string::npos);
  EXPECT_NE(
      message_of({"fine", "a"}, {{"fine", "a"}, {"ends wi@@", "a"}}).find("reference 2, line 1"),
      std::string::npos);
  EXPECT_EQ(message_of({"mail me@@home", "@@ alone"}, {{"me@@home", "@@ alone"}}), "no error");
}

TEST(Bleu, ScoresSubwordsWhenAllowed) {
  BleuOptions options;
  options.allow_subwords = true;
  const std::vector<std::string> lines{"a sub@@ word in four"};
  EXPECT_NEAR(corpus_bleu(lines, {lines}, options).score, 100, 1e-9);
}

TEST(Bleu, RefusesTextsThatDoNotFitTogether) {
  const std::vector<std::string> none, one{"a"};
  EXPECT_THROW(corpus_bleu(none, {{}}), ConfigError);
  EXPECT_THROW(corpus_bleu(one, {}), ConfigError);
  EXPECT_NE(message_of({"a", "b"}, {{"a"}}).find("got 2 and 1"), std::string::npos);
  EXPECT_NE(message_of({"a", "\xc3("}, {{"a", "b"}}).find("line 2"), std::string::npos);
  BleuOptions options;
  options.max_order = 0;
  EXPECT_THROW(corpus_bleu(one, {one}, options), ConfigError);
}

TEST(Bleu, SignatureNamesTheBootstrap) {
  EXPECT_EQ(bleu_signature({}, 1, {.bootstrap = 1000}),
            "nrefs:1|bs:1000|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|version:attend-0.2.0");
}

// 100,000 pairs of 25 words; generous, because tests share the machine and may run without
// optimization.
TEST(Bleu, ScoresALargeCorpusInSeconds) {
#if defined(ATTEND_EMULATED)
  constexpr double kSeconds = 600;
#elif defined(__SANITIZE_THREAD__)
  constexpr double kSeconds = 90;
#else
  constexpr double kSeconds = 30;
#endif
  Random random({1, 2});
  std::vector<std::string> hypotheses(100000), references(100000);
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    for (int word = 0; word < 25; ++word) {
      const std::string next = "word" + std::to_string(random.below(3000)) + ' ';
      references[i] += next;
      hypotheses[i] += random.uniform() < 0.8f ? next : "other, ";
    }
  }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_GT(corpus_bleu(hypotheses, {references}).score, 10);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  RecordProperty("seconds", std::to_string(seconds.count()));
  EXPECT_LT(seconds.count(), kSeconds);
}

TEST(Bleu, DoesNotDependOnThreads) {
  std::vector<std::string> hypotheses, references;
  for (int copy = 0; copy < 100; ++copy) {
    hypotheses.insert(hypotheses.end(), goldens::kCorpora.at("A").begin(),
                      goldens::kCorpora.at("A").end());
    references.insert(references.end(), goldens::kReferences[0].begin(),
                      goldens::kReferences[0].end());
  }
  const auto counts = [&](int count) {
    const ScopedThreads scope(count);
    return bleu_counts(hypotheses, {references}).values;
  };
  EXPECT_EQ(counts(4), counts(1));
}

}  // namespace
}  // namespace attend
