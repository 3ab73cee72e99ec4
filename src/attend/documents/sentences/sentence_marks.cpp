#include "attend/documents/sentences/sentence_marks.h"

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"

namespace attend {
namespace {

bool is_in(char32_t c, std::u32string_view set) { return set.find(c) != set.npos; }
bool is_between(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

constexpr std::u32string_view kStopsBeforeSpace = U".!?…‼‽⁇⁈⁉⸮\u037e";
// Armenian, Arabic, Syriac, N'Ko, Samaritan; Devanagari and its neighbors, Tibetan, Burmese,
// Ethiopic; Canadian, Philippine, Khmer, Mongolian; Limbu, Lepcha, Ol Chiki; full-width ones,
// Lisu, Vai; Saurashtra, Meetei Mayek.
constexpr std::u32string_view kFreeStops =
    U"։؞؟۔܀܁܂߹࠷࠹࠽࠾"
    U"।॥།༎༏༐༑။።፧፨"
    U"᙮᜵᜶។៕᠃᠉"
    U"᥄᥅᰻᰼᱾᱿"
    U"。！？．｡﹒﹖﹗︒꓿꘎꘏꣎꣏꯫";

constexpr std::u32string_view kClosingBrackets = U")]}）】〕］｝〉》〙〗⟩";
constexpr std::u32string_view kOpeningBrackets = U"([{（【〔［｛〈《〘〖⟨";
constexpr std::u32string_view kClosingQuotes = U"\"'”’“‘»«›‹」』｣＂＇";
constexpr std::u32string_view kOpeningQuotes = U"\"'“”„‟‘’‚‛«»‹›「『｢＂＇";
constexpr std::u32string_view kBefore = U"¿¡-–—―‒⁃*•·●▪◦‣◆■□★☆#§";

// From Devanagari to Burmese, Hangul and Khmer: one letter, with its vowel, is a word.
bool has_words_of_a_letter(char32_t c) {
  return is_between(c, 0x900, 0x109f) || is_between(c, 0x1100, 0x11ff) ||
         is_between(c, 0x1780, 0x17ff) || is_between(c, 0x3130, 0x318f) ||
         is_between(c, 0xac00, 0xd7ff);
}

}  // namespace

bool is_line_end(char32_t c) {
  return is_between(c, 0x9, 0xd) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

bool is_free_stop(char32_t c) { return c >= 0x589 && is_in(c, kFreeStops); }
bool is_stop(char32_t c) { return is_in(c, kStopsBeforeSpace) || is_free_stop(c); }

bool closes_quote(char32_t c) { return is_in(c, kClosingQuotes); }
bool closes_bracket(char32_t c) { return is_in(c, kClosingBrackets); }
bool opens_bracket(char32_t c) { return is_in(c, kOpeningBrackets); }
bool stands_before_sentence(char32_t c) {
  return is_in(c, kOpeningQuotes) || is_in(c, kBefore) || opens_bracket(c) || is_invisible(c);
}
bool goes_on(char32_t c) { return closes_bracket(c) || is_in(c, U",;:،؛၊፣፤፥、，；：・՝"); }

bool is_invisible(char32_t c) {
  return c == 0xad || c == 0x61c || is_between(c, 0x200c, 0x200f) ||
         is_between(c, 0x202a, 0x202e) || is_between(c, 0x2060, 0x2069) ||
         is_between(c, 0xfe00, 0xfe0f);
}

bool is_written_without_spaces(char32_t c) {
  return is_between(c, 0x3005, 0x3007) || is_between(c, 0x3041, 0x30ff) ||
         is_between(c, 0x3400, 0x9fff) || is_between(c, 0xf900, 0xfaff) ||
         is_between(c, 0x20000, 0x3ffff);
}

bool is_small(char32_t c) { return unicode::is_lower(c) && !is_between(c, 0x10d0, 0x10ff); }
bool is_capital(char32_t c) { return unicode::is_upper(c); }
bool can_be_initial(char32_t c) {
  if (is_capital(c)) return true;
  return unicode::is_letter(c) && !is_small(c) && !is_written_without_spaces(c) &&
         !has_words_of_a_letter(c);
}

CharacterBefore character_before(std::string_view text, std::size_t end) {
  for (std::size_t length = 1; length <= 4 && length <= end; ++length) {
    std::size_t at = end - length;
    const auto byte = static_cast<unsigned char>(text[at]);
    if ((byte & 0xC0) == 0x80) continue;
    const char32_t character = next_code_point(text, at);
    if (at == end) return {end - length, character};
    break;
  }
  return {end - 1, 0xfffd};
}

}  // namespace attend
