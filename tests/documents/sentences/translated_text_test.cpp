#include "attend/documents/sentences/translated_text.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

Translation translation_with(std::initializer_list<const char*> texts) {
  Translation translation;
  for (const char* text : texts) translation.candidates.emplace_back().text = text;
  return translation;
}

bool any_fits(std::string_view) { return true; }

TEST(TranslatedText, KeepsTheWhiteSpaceBetweenSentences) {
  TranslatedTexts all =
      cut_texts({{" One.  Two.\n\nThree.\t"}, {""}, {"Four"}}, "en", {}, any_fits);
  EXPECT_EQ(all.sentences(), (std::vector<std::string>{"One.", "Two.", "Three.", "Four"}));
  EXPECT_EQ(all.cut, 0);
  all.set_translations({translation_with({"Eins."}), translation_with({"Zwei."}),
                        translation_with({"Drei."}), translation_with({"Vier"})});
  EXPECT_EQ(all.texts[0].translation(0), " Eins.  Zwei.\n\nDrei.\t");
  EXPECT_EQ(all.texts[1].translation(0), "");
  EXPECT_EQ(all.texts[2].translation(0), "Vier");
}

TEST(TranslatedText, PutsSpacesWhereTheLanguageOfTheTranslationHasThem) {
  const auto translated = [](const char* text, std::vector<const char*> sentences) {
    TranslatedTexts all = cut_texts({{text}}, "zh", {}, any_fits);
    std::vector<Translation> translations;
    for (const char* sentence : sentences) translations.push_back(translation_with({sentence}));
    all.set_translations(std::move(translations));
    return all.texts[0].translation(0);
  };
  EXPECT_EQ(translated("我爱你。你爱我。", {"I love you.", "You love me."}),
            "I love you. You love me.");
  EXPECT_EQ(translated("I love you. You love me.", {"我爱你。", "你爱我。"}), "我爱你。你爱我。");
  EXPECT_EQ(translated("我爱你。你爱我。", {"愛してる。", "愛されてる。"}),
            "愛してる。愛されてる。");
  EXPECT_EQ(translated("One.\nTwo.", {"一。", "二。"}), "一。\n二。");
  EXPECT_EQ(translated("One. Two.", {"一。", "OK."}), "一。 OK.");
}

TEST(TranslatedText, TakesTheLastCandidateWhereThereAreFewer) {
  TranslatedTexts all = cut_texts({{"One. Two."}}, "en", {}, any_fits);
  all.set_translations({translation_with({"Eins.", "Ein."}), translation_with({"Zwei."})});
  EXPECT_EQ(all.texts[0].translation(1), "Ein. Zwei.");
  EXPECT_EQ(all.texts[0].translation(7), "Ein. Zwei.");
}

TEST(TranslatedText, CutsSentencesThatDoNotFitAndCountsThem) {
  const auto fits = [](std::string_view text) { return text.size() <= 10; };
  TranslatedTexts all = cut_texts({{"Short. This is long, and it ends."}}, "en", {}, fits);
  EXPECT_EQ(all.cut, 1);
  EXPECT_GT(all.sentences().size(), 2u);
  std::vector<Translation> same;
  for (const std::string& part : all.sentences()) {
    EXPECT_LE(part.size(), 10u);
    same.push_back(translation_with({part.c_str()}));
  }
  all.set_translations(std::move(same));
  EXPECT_EQ(all.texts[0].translation(0), all.texts[0].text);
}

TEST(TranslatedText, SentencesDoNotEndWithinProtectedSpans) {
  const std::string text = "Run `a. B? C` now. See {{ x. Y }}! Then stop.";
  const auto sentences = [&](const SpanPatterns& protect) {
    std::vector<std::string> all = cut_texts({{text}}, "en", protect, any_fits).sentences();
    return all;
  };
  EXPECT_EQ(sentences(SpanPatterns(std::vector<std::string>{"common"})),
            (std::vector<std::string>{"Run `a. B? C` now.", "See {{ x. Y }}!", "Then stop."}));
  EXPECT_GT(sentences({}).size(), 3u);
}

TEST(TranslatedTexts, NeedAlignmentsOnlyWhereElementsBeginOrEndBetweenWords) {
  const std::string text = "A dog. \xe2\x80\x9eTwo\xe2\x80\x9c cats! One. Red cars";
  const auto place = [&](std::string_view what) { return text.find(what); };
  const auto cut = [&](std::vector<std::size_t> cuts) {
    return cut_texts({{text, std::move(cuts)}}, "en", {}, any_fits).cut_sentences();
  };
  using Flags = std::vector<bool>;
  EXPECT_EQ(cut({}), (Flags{false, false, false, false}));
  EXPECT_EQ(cut({0, place("."), place(" \xe2"), place("Two"), place("One"), text.size()}),
            (Flags{false, false, false, false}));
  EXPECT_EQ(cut({place("dog"), place("\xe2\x80\x9c cats"), place("cats"), place("d cars")}),
            (Flags{true, true, false, true}));
}

TEST(TranslatedTexts, KnowWhichSentencesBeginADocument) {
  const auto first = [](std::vector<SourceText> texts) {
    return cut_texts(std::move(texts), "en", {}, any_fits).first_sentences();
  };
  using Numbers = std::vector<std::size_t>;
  EXPECT_EQ(first({{"One. Two."}, {"Three."}, {"Four.", {}, true}, {"Five."}}), (Numbers{0, 2, 4}));
  EXPECT_EQ(first({{""}, {"One."}}), (Numbers{0}));
}

}  // namespace
}  // namespace attend
