#include "attend/tasks/translation/protected_sentence.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "attend/core/random/random.h"
#include "attend/error.h"
#include "tasks/translation/small_translator.h"

namespace attend {
namespace {

using Texts = std::vector<std::string>;

const StandIns kStandIns{{"Tom", "Mary", "John"}, {"3", "4", "30"}};

ProtectedSentence protect(const std::string& text, const Texts& patterns = {"common"}) {
  return {text, SpanPatterns(patterns).find(text), kStandIns};
}

// A sentence and its translation by the model, with the alignment of its words.
std::string restored(const std::string& sentence, const std::string& translation,
                     std::vector<std::pair<int, int>> alignment = {}) {
  TranslationCandidate candidate;
  candidate.text = translation;
  candidate.alignment = std::move(alignment);
  protect(sentence).restore(candidate);
  return candidate.text;
}

TEST(ProtectedSentence, HidesSpansBehindWords) {
  const ProtectedSentence sentence = protect("{name} has %d files in $HOME.");
  EXPECT_EQ(sentence.text(), "Tom has 3 files in Mary.");
  EXPECT_EQ(sentence.stand_ins(), (Texts{"Tom", "3", "Mary"}));
  EXPECT_EQ(restored("{name} has %d files in $HOME.", "In Mary hat Tom 3 Dateien."),
            "In $HOME hat {name} %d Dateien.");
}

TEST(ProtectedSentence, IsReadWithItsSpansAndWithoutTags) {
  const ProtectedSentence sentence = protect("<b>{name}</b> has %d files.");
  EXPECT_EQ(sentence.readable_source(), "{name} has %d files.");
  EXPECT_EQ(sentence.readable("3 Dateien hat Tom."), "%d Dateien hat {name}.");
  EXPECT_EQ(sentence.readable("3 Dateien."), "%d Dateien. {name}");
}

TEST(ProtectedSentence, TakesWordsThatTheSentenceDoesNotHave) {
  EXPECT_EQ(protect("tom sees {x} and 3 of %d").text(), "tom sees Mary and 3 of 4");
  EXPECT_EQ(protect("{a}").text(), "") << "there is nothing to translate";
  EXPECT_EQ(protect("{a}").original(), "{a}");
}

TEST(ProtectedSentence, FindsWordsInLettersOfEitherCaseAndWithEndings) {
  EXPECT_EQ(restored("{x} sleeps", "toms schläft"), "{x}s schläft");
  EXPECT_EQ(restored("%d sleep", "30 und 3 schlafen"), "30 und %d schlafen");
}

TEST(ProtectedSentence, PutsTagsAroundTheWordsThatTranslateTheirs) {
  const std::string source = "The <b>old dog</b> <x id=\"1\"/> sleeps<br>.";
  EXPECT_EQ(protect(source).text(), "The old dog sleeps.");
  EXPECT_EQ(restored(source, "Der alte Hund schläft.", {{0, 0}, {1, 1}, {2, 2}, {3, 3}}),
            "Der <b>alte Hund</b> <x id=\"1\"/> schläft<br>.");
  EXPECT_EQ(restored(source, "Es schläft der alte Hund.", {{0, 2}, {1, 3}, {2, 4}, {3, 1}}),
            "Es <x id=\"1\"/> schläft<br> der <b>alte Hund</b>.");
}

TEST(ProtectedSentence, AlignsTheWordsOfBothTextsWithTheirSpans) {
  TranslationCandidate candidate;
  candidate.text = "Nun Tom essen";
  candidate.alignment = {{1, 0}, {0, 1}, {2, 2}};
  const std::string source = "`a b c` now eat";
  EXPECT_EQ(protect(source).text(), "Tom now eat");
  protect(source).restore(candidate);
  EXPECT_EQ(candidate.text, "Nun `a b c` essen");
  using Pairs = std::vector<std::pair<int, int>>;
  EXPECT_EQ(
      candidate.alignment,
      (Pairs{
          {3, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2}, {2, 3}, {4, 4}}));
}

// A model that says anything, with names and numbers in its vocabularies.
TranslationEngine translator_with_names() {
  TranslationModel model = small_model();
  const Texts text{"Tom sees Tom and Mary sees the old dog", "3 of 4 eat 5 fish, 6 and 7"};
  model.src_tokenizer = model.tgt_tokenizer = small_tokenizer(text);
  TransformerConfig config = small_config(model.src_tokenizer, model.tgt_tokenizer);
  model.network = std::make_shared<Transformer>(config, 3);
  return TranslationEngine(std::move(model));
}

// Random sentences with spans.
void expect_every_span_once(const TranslationEngine& engine) {
  const Texts spans{"{name}",        "%d",    "https://a.org/b?c", "<b>",   "</b>",
                    "<x id=\"1\"/>", "`a b`", "{{ x }}",           "$HOME", "%s",
                    "a@b.org"};
  Random random({1, 9});
  Texts sentences = random_sentences(200);
  std::vector<std::map<std::string, int>> expected;
  for (std::string& sentence : sentences) {
    std::map<std::string, int> counts;
    for (std::uint64_t left = 1 + random.below(6); left > 0; --left) {
      const std::string& span = spans[random.below(spans.size())];
      sentence = random.below(2) == 0 ? sentence + " " + span : span + " " + sentence;
      ++counts[span];
    }
    expected.push_back(counts);
  }
  TranslationOptions options = beam_of(3);
  options.beam.max_length = 60;
  options.protect = {"common"};
  const std::vector<Translation> translations = engine.translate(sentences, options);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    for (const auto& [span, count] : expected[i]) {
      int found = 0;
      const std::string& text = translations[i].text();
      for (std::size_t at = text.find(span); at != text.npos; at = text.find(span, at + 1)) ++found;
      EXPECT_EQ(found, count) << span << " of " << sentences[i] << " in " << text;
    }
  }
}

TEST(ProtectedSentence, EverySpanIsInTheTranslationOnce) {
  expect_every_span_once(translator_with_names());
}

TEST(ProtectedSentence, SpansNeedNoWordsOfTheVocabulary) { expect_every_span_once(translator()); }

TEST(ProtectedSentence, LeavesOtherSentencesAlone) {
  TranslationOptions options = beam_of(3);
  const Texts sentences = random_sentences(20);
  const std::vector<Translation> plain = translator().translate(sentences, options);
  options.protect = {"common"};
  const std::vector<Translation> with = translator().translate(sentences, options);
  for (std::size_t i = 0; i < sentences.size(); ++i) expect_same(with[i], plain[i]);
}

TEST(ProtectedSentence, KeepsItsSpansInSamplesToo) {
  TranslationOptions options = beam_of(1, 3);
  options.sampling = SamplingOptions{};
  options.protect = {"common"};
  const Translation translation =
      translator().translate(Texts{"the dog sees {name} and %d"}, options).front();
  for (const TranslationCandidate& candidate : translation.candidates) {
    EXPECT_NE(candidate.text.find("{name}"), std::string::npos) << candidate.text;
    EXPECT_NE(candidate.text.find("%d"), std::string::npos) << candidate.text;
  }
}

TEST(ProtectedSentence, OfPatternsThatAreNoneIsRefused) {
  TranslationOptions options = beam_of(1);
  options.protect = {"["};
  EXPECT_THROW(translator().translate(Texts{"the dog"}, options), ConfigError);
}

}  // namespace
}  // namespace attend
