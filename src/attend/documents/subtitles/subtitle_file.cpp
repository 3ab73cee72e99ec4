#include "attend/documents/subtitles/subtitle_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/core/strings/utf8.h"
#include "attend/documents/markup/html_characters.h"
#include "attend/documents/messages/edited_file.h"
#include "attend/documents/subtitles/sentence_groups.h"
#include "attend/error.h"

namespace attend {
namespace {

// Characters of a line that fit on any screen.
constexpr std::size_t kUsualWidth = 42;

std::size_t widest_line(const SentenceGroup& group) {
  std::size_t widest = 0, begin = 0;
  const auto end_line = [&](std::size_t end) {
    widest = std::max(widest, count_code_points(group.text.text.substr(begin, end - begin)));
    begin = end;
  };
  for (const CuePart& part : group.parts) {
    for (const std::size_t line : part.breaks) end_line(line);
    end_line(part.end);
  }
  return widest;
}

class SubtitleFile : public Document {
 public:
  SubtitleFile(std::string_view name, std::string_view content, SubtitleFormat format)
      : content_(content), format_(format) {
    if (const std::size_t at = content_.find_first_of("\x01\x02"); at != content_.npos)
      throw DataError(fmt::format("{}: expected text, found a control character",
                                  place_in_file(name, content, at)));
    const std::vector<SubtitleCue> cues = find_cues(name, content, format);
    groups_ = sentence_groups(content_, cues, format);
    if (content_.find("\r\n") != content_.npos) line_end_ = "\r\n";
    for (const SentenceGroup& group : groups_) width_ = std::max(width_, widest_line(group));
  }

  std::vector<SourceText> texts() const override {
    std::vector<SourceText> all;
    for (const SentenceGroup& group : groups_) {
      SourceText& text = all.emplace_back(source_text(group.text));
      for (const CuePart& part : group.parts) text.cuts.push_back(part.end);
      std::sort(text.cuts.begin(), text.cuts.end());
      text.goes_on = all.size() > 1;
    }
    return all;
  }

  std::size_t bytes() const override {
    std::size_t all = content_.size();
    for (const SentenceGroup& group : groups_) {
      all += sizeof group + group.text.text.size();
      for (const CuePart& part : group.parts)
        all += sizeof part + sizeof(Speech) + part.breaks.size() * sizeof(std::size_t);
      for (const Mark& mark : group.text.marks)
        all += sizeof mark + mark.open.size() + mark.close.size();
    }
    return all;
  }

  std::string translation(std::span<const TranslatedText> texts, std::size_t k) const override {
    const CueLayout layout{.width = width_,
                           .line_end = line_end_,
                           .escape = format_ == SubtitleFormat::vtt
                                         ? escaped_markup
                                         : [](std::string_view text) { return std::string(text); }};
    std::string out;
    std::size_t at = 0;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const SentenceGroup& group = groups_[i];
      if (texts[i].translation(k) == group.text.text) continue;  // stays as it is
      const std::vector<std::string> parts =
          cut_translation(group.text, group.parts, texts[i], k, layout);
      for (std::size_t part = 0; part < parts.size(); ++part) {
        const TextSpan inner = group.speeches[part].inner;
        out.append(content_, at, inner.begin - at);
        out += parts[part];
        at = inner.end;
      }
    }
    return out.append(content_, at);
  }

 private:
  std::string content_;
  SubtitleFormat format_;
  std::vector<SentenceGroup> groups_;
  std::string line_end_ = "\n";
  std::size_t width_ = kUsualWidth;
};

}  // namespace

std::unique_ptr<const Document> read_srt(std::string_view name, std::string_view content) {
  return std::make_unique<SubtitleFile>(name, content, SubtitleFormat::srt);
}

std::unique_ptr<const Document> read_vtt(std::string_view name, std::string_view content) {
  return std::make_unique<SubtitleFile>(name, content, SubtitleFormat::vtt);
}

}  // namespace attend
