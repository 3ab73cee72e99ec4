#include "attend/documents/subtitles/sentence_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/core/too_long.h"
#include "attend/documents/messages/edited_file.h"

namespace attend {
namespace {

constexpr std::size_t kMostGroups = 1 << 20;
constexpr std::size_t kMostTags = 1024;
// A sentence over more cues or bytes has lost its ends.
constexpr std::size_t kMostCues = 8;
constexpr std::size_t kMostBytes = 2048;
constexpr std::int64_t kLongestPause = 2000;  // milliseconds

bool is_any_of(char32_t c, std::u32string_view set) { return set.find(c) != set.npos; }

// Without quotation marks at its end.
std::u32string last_characters(std::string_view text) {
  constexpr std::size_t kTail = 64;
  std::size_t begin = text.size() > kTail ? text.size() - kTail : 0;
  while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xc0) == 0x80) ++begin;
  std::u32string tail = unicode::decode(text.substr(begin));
  while (!tail.empty() && (is_white_space(tail.back()) || is_any_of(tail.back(), U"\"'”’»“›")))
    tail.pop_back();
  return tail;
}

char32_t first_character(std::string_view text) {
  std::size_t at = 0;
  char32_t c = U'\0';
  while (at < text.size() && (c = next_code_point(text, at), is_any_of(c, U"\"'“„‘«¿¡"))) {
  }
  return c;
}

bool has_small_letters(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (unicode::is_letter(c) && !unicode::is_upper(c)) return true;
  }
  return false;
}

// Whether the sentence goes on in the next cue.
bool joins_next(const SentenceGroup& group, std::string_view next) {
  const std::u32string tail = last_characters(group.text.text);
  const char32_t begin = first_character(next);
  if (tail.empty() || is_any_of(begin, U"[(♪♫*#") || is_any_of(tail.back(), U"])♪♫*#:"))
    return false;
  const bool trails_off = tail.back() == U'…' || tail.ends_with(U"...");
  if (trails_off) return unicode::is_lower(begin) || begin == U'…' || next.starts_with("...");
  if (is_any_of(tail.back(), U".!?。！？｡؟۔।॥")) return false;
  return has_small_letters(group.text.text) == has_small_letters(next);
}

class GroupCollector {
 public:
  GroupCollector(std::string_view content) : content_(content) {}

  void add_cue(const SubtitleCue& cue, std::vector<Speech> speeches) {
    const bool may_join = speeches.size() == 1 && !speeches.front().has_dash;
    for (Speech& speech : speeches) {
      if (!has_letters(speech.text.text) || speech.text.text.find("-->") != std::string::npos ||
          speech.place.of(content_).find("-->") != std::string_view::npos) {
        is_open_ = false;
        continue;
      }
      if (speech.text.marks.size() > kMostTags)
        throw TooLongError(fmt::format("a cue has more than {} tags", kMostTags));
      if (!(may_join && is_open_ && follows(cue, speech))) {
        if (groups_.size() == kMostGroups)
          throw TooLongError(fmt::format("the subtitles have more than {} sentences", kMostGroups));
        groups_.emplace_back();
      }
      append(std::move(speech));
      is_open_ = may_join;
    }
    end_ = cue.end;
  }
  std::vector<SentenceGroup> take() { return std::move(groups_); }

 private:
  bool follows(const SubtitleCue& cue, const Speech& speech) const {
    const SentenceGroup& group = groups_.back();
    return cue.begin >= end_ - kLongestPause && cue.begin <= end_ + kLongestPause &&
           group.parts.size() < kMostCues &&
           group.text.text.size() + speech.text.text.size() < kMostBytes &&
           group.text.marks.size() + speech.text.marks.size() <= kMostTags &&
           speaker_of(group.speeches.back()) == speaker_of(speech) &&
           joins_next(group, speech.text.text);
  }

  // The voice of WebVTT.
  std::string_view speaker_of(const Speech& speech) const {
    const std::string_view tags =
        content_.substr(speech.place.begin, speech.inner.begin - speech.place.begin);
    const std::size_t voice = tags.find("<v");
    return voice == tags.npos ? "" : tags.substr(voice, tags.find('>', voice) - voice);
  }

  void append(Speech speech) {
    SentenceGroup& group = groups_.back();
    MarkedText& text = group.text;
    if (!group.parts.empty()) text.text += ' ';
    const std::size_t begin = text.text.size();
    if (!group.parts.empty()) group.parts.back().end = begin;
    const int marks = static_cast<int>(text.marks.size());
    text.text += speech.text.text;
    for (Mark& mark : speech.text.marks) {
      mark.begin += begin;
      mark.end += begin;
      if (mark.parent >= 0) mark.parent += marks;
      text.marks.push_back(std::move(mark));
    }
    CuePart part{text.text.size(), std::move(speech.breaks)};
    for (std::size_t& line : part.breaks) line += begin;
    group.parts.push_back(std::move(part));
    speech.text = {};
    group.speeches.push_back(std::move(speech));
  }

  std::string_view content_;
  std::vector<SentenceGroup> groups_;
  std::int64_t end_ = 0;  // of the cue before
  bool is_open_ = false;  // the last group may go on
};

}  // namespace

std::vector<SentenceGroup> sentence_groups(std::string_view content,
                                           const std::vector<SubtitleCue>& cues,
                                           SubtitleFormat format) {
  GroupCollector collector(content);
  for (const SubtitleCue& cue : cues)
    collector.add_cue(cue, speeches_of(content, cue.text, format));
  return collector.take();
}

}  // namespace attend
