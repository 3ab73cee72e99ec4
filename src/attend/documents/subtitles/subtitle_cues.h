// The cues of subtitles with their places.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "attend/documents/sentences/sentences.h"

namespace attend {

enum class SubtitleFormat { srt, vtt };

struct SubtitleCue {
  TextSpan text;                    // its lines, without the line end of the last one
  std::int64_t begin = 0, end = 0;  // milliseconds
};

// The cues that have a text. Lines behind a blank line are another cue of the same time in SRT; in
// WebVTT they are none. Throws DataError "name:line: ..." for a file without cues and for times
// that are none.
std::vector<SubtitleCue> find_cues(std::string_view name, std::string_view content,
                                   SubtitleFormat format);

// The lines of a text: they end at LF, CR LF or CR, which are left out.
std::vector<TextSpan> lines_of(std::string_view text);

}  // namespace attend
