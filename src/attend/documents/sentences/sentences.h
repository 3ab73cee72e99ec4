// Cuts text into sentences and puts it together again: models translate sentences, people write
// paragraphs.
#pragma once

#include <cstddef>
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
// number does not. `language`: a code of ISO 639 as language_tag reads it ("de", "deu_Latn",
// "pt-BR"); sentence_rules.h says what is known of it.
std::vector<TextSpan> find_sentences(std::string_view text, std::string_view language);

}  // namespace attend
