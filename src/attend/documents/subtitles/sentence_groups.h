// Speeches of neighboring cues that are one sentence.
#pragma once

#include <string_view>
#include <vector>

#include "attend/documents/subtitles/cue_text.h"
#include "attend/documents/subtitles/cut_translation.h"

namespace attend {

// A text and the cues that show it.
struct SentenceGroup {
  MarkedText text;
  std::vector<CuePart> parts;
  std::vector<Speech> speeches;  // one for each part; their texts are those of the group
};

// All that is said, in order; what has no letters, or the arrow of times, is left out. Speeches are
// joined while no sentence ends, if the next cue begins at most two seconds later, without a dash,
// and is not a title, a sound in brackets or the words of somebody else. `content`: the whole file.
// Throws TooLongError for more than a million groups, or a thousand tags in one.
std::vector<SentenceGroup> sentence_groups(std::string_view content,
                                           const std::vector<SubtitleCue>& cues,
                                           SubtitleFormat format);

}  // namespace attend
