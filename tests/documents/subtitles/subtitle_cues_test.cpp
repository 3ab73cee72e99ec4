#include "attend/documents/subtitles/subtitle_cues.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

// Each cue as "begin-end text".
std::vector<std::string> cues_of(const std::string& content,
                                 SubtitleFormat format = SubtitleFormat::srt) {
  std::vector<std::string> all;
  for (const SubtitleCue& cue : find_cues("a.srt", content, format))
    all.push_back(std::to_string(cue.begin) + "-" + std::to_string(cue.end) + " " +
                  std::string(cue.text.of(content)));
  return all;
}

TEST(SubtitleCues, HaveTimesAndLines) {
  EXPECT_EQ(cues_of("\xEF\xBB\xBF"
                    "1\r\n00:00:01,5 --> 01:00:02.250 X1:0\r\na\r\nb\r\n\r\n2\r\n"
                    "00:00:03,000-->00:00:04,000\r\nc"),
            (std::vector<std::string>{"1500-3602250 a\r\nb", "3000-4000 c"}));
  EXPECT_EQ(cues_of("WEBVTT x\n\nNOTE n\n\nid\n00:01.000 --> 00:02.000 line:0\nd\n2\n",
                    SubtitleFormat::vtt),
            std::vector<std::string>{"1000-2000 d\n2"});
}

TEST(SubtitleCues, MayFollowWithoutABlankLine) {
  EXPECT_EQ(cues_of("1\n00:00:01,000 --> 00:00:02,000\na\n2\n00:00:02,000 --> 00:00:03,000\n3\n"),
            (std::vector<std::string>{"1000-2000 a", "2000-3000 3"}));
}

TEST(SubtitleCues, BehindABlankLineAreOthersOfTheSameTime) {
  const std::string cues =
      "00:00:01,000 --> 00:00:02,000\na\n\nb\nc\n \n\n2\n00:00:05,000 --> 00:00:06,000\n";
  EXPECT_EQ(cues_of(cues), (std::vector<std::string>{"1000-2000 a", "1000-2000 b\nc"}));
  EXPECT_EQ(cues_of("WEBVTT\n\n" + cues, SubtitleFormat::vtt),
            std::vector<std::string>{"1000-2000 a"});
}

TEST(SubtitleCues, WithWrongTimesAreRefused) {
  expect_error<DataError>(
      [] { cues_of("1\n00:00:01,000 --> x\na\n"); },
      {"'a.srt':2: expected times such as 00:00:01,000 --> 00:00:02,500, found"});
  expect_error<DataError>([] { cues_of("a"); }, {"expected times such as", "found none"});
  expect_error<DataError>([] { cues_of("a", SubtitleFormat::vtt); }, {"expected WEBVTT"});
  expect_error<DataError>([] { cues_of("WEBVTT\n\na --> b", SubtitleFormat::vtt); },
                          {"'a.srt':3: expected times such as 00:00:01.000"});
  for (const char* wrong : {"1 --> 2", "0:1:2:3,0 --> 0:0:1", "00:00:01,0000 --> 00:00:02,000",
                            "00:00:01, --> 00:00:02", "9999999:00 --> 1:00", "00:01 --> 00:02x"})
    EXPECT_THROW(cues_of(wrong), DataError) << wrong;
  EXPECT_TRUE(cues_of("").empty());
  EXPECT_EQ(cues_of("0:1 --> 0:2\na --> b"), std::vector<std::string>{"1000-2000 a --> b"});
}

TEST(SubtitleCues, HaveLinesOfAnyEnd) {
  const std::string text = "a\r\nb\rc\n\nd";
  std::vector<std::string> lines;
  for (const TextSpan line : lines_of(text)) lines.emplace_back(line.of(text));
  EXPECT_EQ(lines, (std::vector<std::string>{"a", "b", "c", "", "d"}));
}

}  // namespace
}  // namespace attend
