#include "attend/documents/sentences/sentences.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

std::vector<std::string> sentences(std::string_view text, std::string_view language = "en") {
  std::vector<std::string> found;
  for (const TextSpan span : find_sentences(text, language)) found.emplace_back(span.of(text));
  return found;
}
using Texts = std::vector<std::string>;

TEST(Sentences, EndAtMarksBeforeWhatCanBeginOne) {
  EXPECT_EQ(sentences("A dog. A cat! Who? 3 mice..."),
            (Texts{"A dog.", "A cat!", "Who?", "3 mice..."}));
  EXPECT_EQ(sentences("He said \"go.\" She went. (All. Did.)"),
            (Texts{"He said \"go.\"", "She went.", "(All.", "Did.)"}));
  EXPECT_EQ(sentences("Really?! Yes… No"), (Texts{"Really?!", "Yes…", "No"}));
}

TEST(Sentences, DoNotEndWithinThem) {
  for (const char* one : {"Dr. Smith saw it.", "J. S. Bach wrote it.", "It costs 3.50 dollars.",
                          "He came from the U.S. Army.", "Wait... what?", "\"Go!\" said he.",
                          "See example.com for more.", "It is No. 5 of ten.", "É. Zola wrote it."})
    EXPECT_EQ(sentences(one), Texts{one});
}

TEST(Sentences, FollowTheRulesOfTheirLanguage) {
  EXPECT_EQ(sentences("Am 3. Oktober war es kalt. Ja.", "de"),
            (Texts{"Am 3. Oktober war es kalt.", "Ja."}));
  EXPECT_EQ(sentences("It was 3. Then 4.", "en"), (Texts{"It was 3.", "Then 4."}));
  EXPECT_EQ(sentences("z.B. Hunde. Nr. 5 lebt.", "de"), (Texts{"z.B. Hunde.", "Nr. 5 lebt."}));
}

TEST(Sentences, OfOtherScriptsNeedNoSpace) {
  EXPECT_EQ(sentences("今日は。元気？はい！"), (Texts{"今日は。", "元気？", "はい！"}));
  EXPECT_EQ(sentences("「行く。」と言った。"), Texts{"「行く。」と言った。"});
  EXPECT_EQ(sentences("「行く。」彼は言った。"), (Texts{"「行く。」", "彼は言った。"}));
  EXPECT_EQ(sentences("“谁呢？”。他说。“文化”好。", "zh"),
            (Texts{"“谁呢？”。", "他说。", "“文化”好。"}));
  EXPECT_EQ(sentences("他是Dr. Smith。U.S.A.的人!好吗?好.他走了。", "zh"),
            (Texts{"他是Dr. Smith。", "U.S.A.的人!", "好吗?", "好.", "他走了。"}));
  EXPECT_EQ(sentences("看《走吧！爸爸》好吗？看《去吧！》。好！《开。", "zh"),
            (Texts{"看《走吧！爸爸》好吗？", "看《去吧！》。", "好！", "《开。"}));
  EXPECT_EQ(sentences("価格は１．５倍です。次。", "ja"), (Texts{"価格は１．５倍です。", "次。"}));
  EXPECT_EQ(sentences("كيف حالك؟ بخير."), (Texts{"كيف حالك؟", "بخير."}));
}

TEST(Sentences, TakeWhatStandsBehindTheirStop) {
  EXPECT_EQ(sentences("« Va. » Il va. »Geh.« Er geht.", "fr"),
            (Texts{"« Va. »", "Il va.", "»Geh.«", "Er geht."}));
  EXPECT_EQ(sentences("„Geh.“ Er geht. (Ja!) So ist es.", "de"),
            (Texts{"„Geh.“", "Er geht.", "(Ja!)", "So ist es."}));
  EXPECT_EQ(sentences("He left.[12] She stayed. [3] Both died."),
            (Texts{"He left.[12]", "She stayed. [3]", "Both died."}));
  EXPECT_EQ(sentences("He left.[1][2] [3] She stayed."),
            (Texts{"He left.[1][2] [3]", "She stayed."}));
  EXPECT_EQ(sentences("\" Go . \" She went. \"Go\" it said."),
            (Texts{"\" Go . \"", "She went.", "\"Go\" it said."}));
  EXPECT_EQ(sentences("She left. \" Go . \" He went."),
            (Texts{"She left.", "\" Go . \"", "He went."}));
  EXPECT_EQ(sentences("شكرا.\u200f اذهب. نعم!", "ar"), (Texts{"شكرا.\u200f", "اذهب.", "نعم!"}));
}

TEST(Sentences, BeginWithQuotesDashesAndSmallNames) {
  EXPECT_EQ(sentences("— Bonjour. — Salut, dit-il. – Viens ! – dit-elle.", "fr"),
            (Texts{"— Bonjour.", "— Salut, dit-il.", "– Viens ! – dit-elle."}));
  EXPECT_EQ(sentences("Ven. ¿Cómo estás? ¡Bien! «Sí.» No.", "es"),
            (Texts{"Ven.", "¿Cómo estás?", "¡Bien!", "«Sí.»", "No."}));
  EXPECT_EQ(sentences("I use it. iPhones are good. 3 dogs sleep."),
            (Texts{"I use it.", "iPhones are good.", "3 dogs sleep."}));
  EXPECT_EQ(sentences("hello. how are you? i am fine."),
            (Texts{"hello.", "how are you?", "i am fine."}));
}

TEST(Sentences, HaveALetterOrADigit) {
  EXPECT_EQ(sentences("... And then? ! So. . . it went."),
            (Texts{"... And then? !", "So. . . it went."}));
  EXPECT_EQ(sentences("He left. ...And then? ...and so."),
            (Texts{"He left.", "...And then? ...and so."}));
  EXPECT_EQ(sentences("It is (?) Fine (!). Yes."), (Texts{"It is (?) Fine (!).", "Yes."}));
}

TEST(Sentences, KeepNumbersOfLists) {
  EXPECT_EQ(sentences("1. First item. 2. Second item.\na) Third. b.) Fourth."),
            (Texts{"1. First item.", "2. Second item.", "a) Third.", "b.) Fourth."}));
  EXPECT_EQ(sentences("There are two: 1. The dog. IV. The cat. 2.1. More."),
            (Texts{"There are two: 1. The dog.", "IV. The cat.", "2.1. More."}));
}

TEST(Sentences, DoNotEndInNamesOfFilesAndNumbers) {
  for (const char* one :
       {"See https://example.com/a.B?c=d.E for more.", "Write to a.b@example.com now.",
        "Version 1.2.3 costs 1.000,50 Euro at 12.30.", "Open main.cpp and README.md first.",
        "Yahoo!Mail and AT&T."})
    EXPECT_EQ(sentences(one), Texts{one});
  EXPECT_EQ(sentences("Get Node.js. We use v1.2. It works."),
            (Texts{"Get Node.js.", "We use v1.2.", "It works."}));
}

TEST(Sentences, SeeWhetherAnAbbreviationIsTheLastWord) {
  EXPECT_EQ(sentences("Cats, dogs etc. Then more. He works for Acme Inc. The firm is old."),
            (Texts{"Cats, dogs etc.", "Then more.", "He works for Acme Inc.", "The firm is old."}));
  EXPECT_EQ(sentences("Come at 5 p.m. He waits in the U.S. It is far. U.S. Army men came."),
            (Texts{"Come at 5 p.m.", "He waits in the U.S.", "It is far.", "U.S. Army men came."}));
  EXPECT_EQ(sentences("В 1990 г. Он жил в г. Москва. XIX в. Тогда.", "ru"),
            (Texts{"В 1990 г.", "Он жил в г. Москва.", "XIX в.", "Тогда."}));
}

TEST(Sentences, EndAtLineBreaksAndHaveNoSpaceAround) {
  EXPECT_EQ(sentences("  a title \r\n\n\tand a line\u2028more  "),
            (Texts{"a title", "and a line", "more"}));
  EXPECT_EQ(sentences("a\fb\u2029c\u0085d"), (Texts{"a", "b", "c", "d"}));
  EXPECT_EQ(sentences("\ufeffOne.\u200b Two.\u00a0\u3000"), (Texts{"One.", "Two."}));
  EXPECT_EQ(sentences(""), Texts{});
  EXPECT_EQ(sentences(" \n "), Texts{});
}

TEST(Sentences, TakeAnyBytes) {
  const std::string broken = "\xffx. A\xc3. \xe2\x80";
  std::string joined;
  for (const std::string& sentence : sentences(broken)) joined += sentence;
  EXPECT_EQ(joined, "\xffx.A\xc3.\xe2\x80");
}

}  // namespace
}  // namespace attend
