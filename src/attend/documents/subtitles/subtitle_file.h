// Files of subtitles: SubRip and WebVTT.
#pragma once

#include <memory>
#include <string_view>

#include "attend/documents/document.h"

namespace attend {

// What is said in the cues is translated, whole sentences at a time where they go over several
// cues. Times, numbers, settings, notes and styles stay byte for byte, and so do cues without
// letters. Tags are marks. Throws DataError for bytes that are no such file, TooLongError for too
// large ones.
std::unique_ptr<const Document> read_srt(std::string_view name, std::string_view content);
std::unique_ptr<const Document> read_vtt(std::string_view name, std::string_view content);

}  // namespace attend
