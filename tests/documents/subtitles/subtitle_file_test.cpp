#include "attend/documents/subtitles/subtitle_file.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "documents/in_capitals.h"
#include "documents/strings_of.h"
#include "documents/unchanged.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

TEST(SubtitleFile, KeepsTimesTagsAndLineEnds) {
  EXPECT_EQ(
      file_in_capitals("a.srt",
                       "\xEF\xBB\xBF"
                       "1\r\n00:00:01,000 --> 00:00:02,000\r\n{\\an8}<i>one two\r\n"
                       "three</i>\r\n\r\n2\r\n00:00:02,000 --> 00:00:03,000\r\nfour <b>five</b>."),
      "\xEF\xBB\xBF"
      "1\r\n00:00:01,000 --> 00:00:02,000\r\n{\\an8}<i>ONE TWO\r\n"
      "THREE</i>\r\n\r\n2\r\n00:00:02,000 --> 00:00:03,000\r\nFOUR <b>FIVE</b>.");
}

TEST(SubtitleFile, OfWebVttKeepsNotesStylesAndVoices) {
  const auto vtt = [](const std::string& text) {
    return "WEBVTT - x\n\nNOTE\na note\n\nSTYLE\n::cue {}\n\nREGION\nid:x\n\nthe id\n00:01.000 --> "
           "00:02.000 "
           "align:start\n<v Bob>" +
           text + "\n";
  };
  EXPECT_EQ(file_in_capitals("a.vtt", vtt("a &lt; b <c.x>c</c>")), vtt("A &lt; B <c.x>C</c>"));
}

TEST(SubtitleFile, HasOneTextForASentenceOverSeveralCues) {
  const std::string srt =
      "1\n00:00:01,000 --> 00:00:02,000\nI have\n\n2\n00:00:02,000 --> 00:00:03,000\nseen him.\n\n"
      "3\n00:00:03,000 --> 00:00:04,000\n- Whom?\n- Him.\n";
  EXPECT_EQ(strings_of(read_srt("a.srt", srt)->texts()),
            (std::vector<std::string>{"I have seen him.", "Whom?", "Him."}));
  EXPECT_EQ(
      file_in_capitals("a.srt", srt),
      "1\n00:00:01,000 --> 00:00:02,000\nI HAVE\n\n2\n00:00:02,000 --> 00:00:03,000\nSEEN HIM.\n\n"
      "3\n00:00:03,000 --> 00:00:04,000\n- WHOM?\n- HIM.\n");
}

TEST(SubtitleFile, IsTheSameIfItsTextsAre) {
  for (const char* srt : {"", "1\n0:0:1,0 --> 0:0:2,0\n a  <i> b</i>\nc \n\n\nd <3 &amp;\n",
                          "0:1 --> 0:2\n<i>\na\n</i>", "0:1 --> 0:2\n1\n", "0:1 --> 0:2\n\n"})
    EXPECT_EQ(unchanged("a.srt", srt), srt);
}

TEST(SubtitleFile, WithControlCharactersIsRefused) {
  expect_error<DataError>([] { read_srt("a.srt", "0:1 --> 0:2\na\x01"); },
                          {"'a.srt':2: expected text, found a control character"});
}

TEST(SubtitleFile, MakesLinesNoLongerThanItsLongest) {
  const std::string line(30, 'a'), begin = "0:1 --> 0:2\n";
  Documents documents;
  documents.push_back(read_srt("a.srt", begin + line + " b\n" + line + " c.\n"));
  TranslatedTexts all = in_capitals(texts_of(documents));
  std::string words;
  for (int i = 0; i < 20; ++i) words += "xxx ";
  all.texts[0].translations[0].candidates[0].text = "yy " + words + "z";
  const std::string out = translations_of(documents, all, 0).front();
  const std::size_t first = out.find('\n', begin.size()) - begin.size();
  EXPECT_LE(first, 42u);
  EXPECT_LE(out.size() - begin.size() - first - 2, 42u);
}

TEST(SubtitleFile, WithManyCuesTakesLinearTime) {
  std::string srt;
  for (int i = 0; i < 50'000; ++i) srt += "0:1 --> 0:2\na b\n\n";
  EXPECT_EQ(file_in_capitals("a.srt", srt).size(), srt.size());
  const std::string lines = "0:1 --> 0:2\n" + [] {
    std::string all;
    for (int i = 0; i < 100'000; ++i) all += "a\n";
    return all;
  }();
  EXPECT_EQ(file_in_capitals("a.srt", lines).size(), lines.size());
}

}  // namespace
}  // namespace attend
