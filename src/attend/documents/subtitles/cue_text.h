// What people say in a cue, without its tags and the dashes of speakers.
#pragma once

#include <string_view>
#include <vector>

#include "attend/documents/marks/marked_text.h"
#include "attend/documents/sentences/sentences.h"
#include "attend/documents/subtitles/subtitle_cues.h"

namespace attend {

// What one person says in one cue.
struct Speech {
  TextSpan place;
  TextSpan inner;                   // without tags around all of it, the dash, and white space
  MarkedText text;                  // of one line; tags within it are marks, see CueTag
  std::vector<std::size_t> breaks;  // bytes of the text where a new line began
  bool has_dash = false;
};

// The open and close of marks are tags with these around them and what they are before them, so
// that they can be told from text. No file with such characters is read.
inline constexpr char kTagBegin = '\x01', kTagEnd = '\x02';
enum class CueTag : char { open = 'o', close = 'c', point = 'p' };

// A line with a dash begins another speech. `content`: the whole file.
std::vector<Speech> speeches_of(std::string_view content, TextSpan cue, SubtitleFormat format);

}  // namespace attend
