#include "attend/documents/subtitles/sentence_groups.h"

#include <gtest/gtest.h>

#include "attend/core/too_long.h"

namespace attend {
namespace {

std::vector<std::string> groups(const std::vector<std::string>& cues, int pause = 100,
                                SubtitleFormat format = SubtitleFormat::srt) {
  std::string content;
  std::vector<SubtitleCue> places;
  for (const std::string& cue : cues) {
    const std::int64_t begin = places.empty() ? 0 : places.back().end + pause;
    places.push_back({{content.size(), content.size() + cue.size()}, begin, begin + 1000});
    content += cue + "\n";
  }
  std::vector<std::string> all;
  for (const SentenceGroup& group : sentence_groups(content, places, format)) {
    EXPECT_EQ(group.parts.size(), group.speeches.size());
    EXPECT_EQ(group.parts.back().end, group.text.text.size());
    all.push_back(group.text.text);
  }
  return all;
}

using Texts = std::vector<std::string>;

TEST(SentenceGroups, EndWithSentences) {
  EXPECT_EQ(groups({"I have", "seen him.", "He is \"here?\"", "Yes", "and no!"}),
            (Texts{"I have seen him.", "He is \"here?\"", "Yes and no!"}));
  EXPECT_EQ(groups({"One. Two", "three."}), Texts{"One. Two three."});
  EXPECT_EQ(groups({"I was...", "thinking.", "But...", "You too."}),
            (Texts{"I was... thinking.", "But...", "You too."}));
  EXPECT_EQ(groups({"我", "你。", "他"}), (Texts{"我 你。", "他"}));
}

TEST(SentenceGroups, DoNotGoOverPausesSpeakersTitlesAndSounds) {
  EXPECT_EQ(groups({"a", "b"}, 3000).size(), 2u);
  EXPECT_EQ(groups({"a", "b"}, 2000).size(), 1u);
  EXPECT_EQ(groups({"a", "- b", "c"}).size(), 3u);
  EXPECT_EQ(groups({"CHAPTER ONE", "It was late"}).size(), 2u);
  EXPECT_EQ(groups({"a", "[door]", "b"}).size(), 3u);
  EXPECT_EQ(groups({"a", "♪♪", "b", "0:1 --> 0:2", "a <i -->b"}), (Texts{"a", "b"}));
  EXPECT_EQ(groups({"<v A>a", "<v A>b", "<v B>c"}, 100, SubtitleFormat::vtt), (Texts{"a b", "c"}));
}

TEST(SentenceGroups, HaveAnEnd) {
  EXPECT_EQ(groups(Texts(20, "a")).size(), 3u);
  EXPECT_EQ(groups(Texts(3, std::string(1000, 'a'))).size(), 2u);
  std::string tags;
  for (int i = 0; i < 2000; ++i) tags += "a<i>";
  EXPECT_THROW(groups({tags}), TooLongError);
}

}  // namespace
}  // namespace attend
