// Subtitles against hostile bytes: texts that are translated into themselves leave the file as it
// is, and translations leave its times.
#include <cstdlib>

#include "attend/documents/subtitles/subtitle_cues.h"
#include "attend/error.h"
#include "documents/in_capitals.h"
#include "documents/unchanged.h"
#include "fuzz/fuzz_target.h"

namespace attend::subtitle_file_fuzz {
namespace {

std::vector<std::string> corpus() {
  return {
      "s1\n00:00:01,000 --> 00:00:02,000\n{\\an8}<i>I have\nbeen</i> here\n\n2\n00:00:02,000 --> "
      "00:00:03,000\nand <b>there. But\n\n3\n00:00:03,000 --> 00:00:04,000\n- Hi.\r\n- "
      "<i>Hello.</i>\n",
      "vWEBVTT\n\nNOTE x\n\nid\n00:01.000 --> 00:02.000 align:start\n<v Bob>a &amp; <c.x>b\nc</c> "
      "<00:01.500>d\n\n00:02.000 --> 00:03.000\n<v Bob>e f.\n"};
}

std::vector<std::string> dictionary() {
  return {"<i>",           "</i>", "<b>", "</b>", "<c.x>", "</c>",  "<v A>",
          "{\\an8}",       "\n- ", "\n",  "\n\n", "\r\n",  "...",   "0:1 --> 0:2\n",
          "0:2 --> 0:3\n", ". A",  "a b", "犬は", "&amp;", "<0:1>", "♪",
          "\xff",          "…"};
}

// Other texts with alignments of all kinds.
TranslatedTexts others(const std::vector<SourceText>& texts) {
  TranslatedTexts all = in_capitals(texts);
  for (TranslatedText& text : all.texts)
    for (Translation& translation : text.translations) {
      TranslationCandidate& candidate = translation.candidates.front();
      const std::size_t size = candidate.text.size();
      if (size % 3 == 0) candidate.text = "x \x01y 犬\x02" + candidate.text;
      if (size % 3 == 1) candidate.text = "z";
      if (size % 2 == 0)
        for (auto& [s, t] : candidate.alignment)
          s = static_cast<int>(candidate.alignment.size()) - s;
    }
  return all;
}

std::vector<std::pair<std::int64_t, std::int64_t>> times_of_file(const std::string& content,
                                                                 SubtitleFormat format) {
  std::vector<std::pair<std::int64_t, std::int64_t>> times;
  for (const SubtitleCue& cue : find_cues("a", content, format))
    times.emplace_back(cue.begin, cue.end);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

void use(std::string_view input) {
  if (input.empty()) return;
  const bool is_vtt = input.front() == 'v';
  const std::string name = is_vtt ? "a.vtt" : "a.srt", content(input.substr(1));
  try {
    if (unchanged(name, content, {}, input.size() % 2 == 0) != content) std::abort();
  } catch (const DataError&) {
    return;
  }
  Documents documents;
  documents.push_back(read_document(name, content));
  const std::string translated = translations_of(documents, others(texts_of(documents)), 0).front();
  const auto format = is_vtt ? SubtitleFormat::vtt : SubtitleFormat::srt;
  if (times_of_file(translated, format).size() > times_of_file(content, format).size())
    std::abort();
}

const RegisteredFuzzTarget registered{{"subtitle_file", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::subtitle_file_fuzz
