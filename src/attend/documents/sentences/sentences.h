// Cuts text into sentences and puts it together again: models translate sentences, people write
// paragraphs.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attend {

// Bytes [begin, end) of a text.
struct TextSpan {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
  bool operator==(const TextSpan&) const = default;
};

// The sentences of a text, in order, without the white space around them; blank ones are left out.
// Every line break and every tab ends a sentence. So do . ! ? and their equals in other scripts
// when what follows can begin a sentence; a period after an abbreviation, an initial or an ordinal
// number does not. `language`: ISO 639-1, for the abbreviations; those of English unless de or fr.
std::vector<TextSpan> find_sentences(std::string_view text, std::string_view language);

// Cuts a sentence that does not fit into parts that do, as few as a cut from the left gives: after
// the last clause (, ; :) that fits, else after the last word, else within a word. A part has at
// most 16 KiB.
std::vector<TextSpan> cut_at_clauses(std::string_view text, TextSpan sentence,
                                     const std::function<bool(std::string_view)>& fits);

}  // namespace attend
