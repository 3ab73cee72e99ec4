#include "attend/documents/subtitles/cue_text.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

// Each speech as "before|text|after", with the tags of marks in their places.
std::vector<std::string> sketches(const std::string& cue,
                                  SubtitleFormat format = SubtitleFormat::srt) {
  const auto plain = [](const std::string& tag) { return tag.substr(2, tag.size() - 3); };
  std::vector<std::string> all;
  for (const Speech& speech : speeches_of(cue, {0, cue.size()}, format)) {
    std::string out = cue.substr(speech.place.begin, speech.inner.begin - speech.place.begin) + "|";
    const MarkedText& text = speech.text;
    for (std::size_t at = 0; at <= text.text.size(); ++at) {
      for (auto mark = text.marks.rbegin(); mark != text.marks.rend(); ++mark)
        if (mark->end == at && !mark->close.empty()) out += plain(mark->close);
      for (const std::size_t line : speech.breaks)
        if (line == at) out += '/';
      for (const Mark& mark : text.marks)
        if (mark.begin == at) out += plain(mark.open);
      out += text.text.substr(at, 1);
    }
    all.push_back(out + "|" + cue.substr(speech.inner.end, speech.place.end - speech.inner.end));
  }
  return all;
}

using Sketches = std::vector<std::string>;

TEST(CueText, HasItsLineBreaks) {
  EXPECT_EQ(sketches("one\ntwo\r\nthree"), Sketches{"|one /two /three|"});
}

TEST(CueText, IsWithinTheTagsAroundIt) {
  EXPECT_EQ(sketches("{\\an8}<i>one</i>"), Sketches{"{\\an8}<i>|one|</i>"});
  EXPECT_EQ(sketches("<i>one\ntwo"), Sketches{"<i>|one /two|"});
  EXPECT_EQ(sketches("<i><b>one</b> two</i> \n"), Sketches{"<i>|<b>one</b> two|</i> "});
  EXPECT_EQ(sketches("<I>one</i> <u>two</u>"), Sketches{"|<I>one</i> <u>two</u>|"});
  EXPECT_EQ(sketches("<i></i>"), Sketches{"||<i></i>"});
}

TEST(CueText, HasTagsInItAsMarks) {
  EXPECT_EQ(sketches("a <font color=\"x\">b</font> <i>c"),
            Sketches{"|a <font color=\"x\">b</font> <i>c|"});
  EXPECT_EQ(sketches("a <3 b < c <d"), Sketches{"|a <3 b < c <d|"});
  EXPECT_EQ(sketches("a </i>b"), Sketches{"|a </i>b|"});
}

TEST(CueText, OfWebVttHasVoicesTimesAndEscapes) {
  const auto vtt = SubtitleFormat::vtt;
  EXPECT_EQ(sketches("<v Bob>a &amp; <c.x>b</c> <00:01.000>c", vtt),
            Sketches{"<v Bob>|a & <c.x>b</c> <00:01.000>c|"});
  EXPECT_EQ(sketches("a &amp; <00:01.000>b"), Sketches{"|a &amp; <00:01.000>b|"});
}

TEST(CueText, OfEachSpeakerIsASpeech) {
  EXPECT_EQ(sketches("- One.\n- <i>Two</i>\nthree\n–Four"),
            (Sketches{"- |One.|", "- |<i>Two</i> /three|", "–|Four|"}));
  EXPECT_EQ(sketches("<i>- One.\n- Two.</i>"), (Sketches{"<i>- |One.|", "- |Two.|</i>"}));
  EXPECT_EQ(sketches("One.\n- Two."), (Sketches{"|One.|", "- |Two.|"}));
  EXPECT_EQ(sketches("One\n-5 degrees\n-- two"), Sketches{"|One /-5 degrees /-- two|"});
  EXPECT_TRUE(speeches_of("- One", {0, 5}, SubtitleFormat::srt).front().has_dash);
}

TEST(CueText, WithManyTagsTakesLinearTime) {
  std::string cue;
  for (int i = 0; i < 100'000; ++i) cue += "<i>a</b>\n";
  EXPECT_EQ(speeches_of(cue, {0, cue.size()}, SubtitleFormat::srt).size(), 1u);
  std::string open;
  for (int i = 0; i < 500'000; ++i) open += "<a{\\a";
  EXPECT_EQ(speeches_of(open, {0, open.size()}, SubtitleFormat::srt).front().text.text, open);
}

}  // namespace
}  // namespace attend
