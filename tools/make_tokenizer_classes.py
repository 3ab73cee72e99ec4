#!/usr/bin/env python3
"""Writes src/attend/text/huggingface/foreign_classes.cpp: classes of characters as Hugging Face's tokenizers library has them, whose tables are of several
versions of Unicode.

    python3 tools/make_tokenizer_classes.py > src/attend/text/huggingface/foreign_classes.cpp

Needs the package tokenizers.
"""
import unicodedata
from importlib.metadata import version

from tokenizers import normalizers, pre_tokenizers

CHARACTERS = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000 and not 0xF0000 <= c < 0x10FFFE]
accents = normalizers.BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=False)
clean = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=False, strip_accents=False, lowercase=False)
marks, lower = normalizers.StripAccents(), normalizers.Lowercase()
forms = [normalizers.NFD(), normalizers.NFKD()]
punctuation, digits, words = pre_tokenizers.Punctuation(), pre_tokenizers.Digits(), pre_tokenizers.Whitespace()


def in_pieces(pre_tokenizer, c):
    return len(pre_tokenizer.pre_tokenize_str(f"a{c}b")) > 1


def known_word(c):
    return unicodedata.category(c)[0] in "LM" or unicodedata.category(c) in ("Nd", "Nl", "Pc") or c in "\u200c\u200d"


def is_letter_symbol(c):
    return any(first <= ord(c) <= last for first, last in ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189)))


# What Unicode has decomposed since the library's tables were made; some of it is newer than Python's tables.
LATER = [chr(c) for first, last in ((0x1E030, 0x1E06D), (0xA7F2, 0xA7F4), (0x10781, 0x107BA)) for c in range(first, last + 1)]
CLASSES = {
    "kNonspacing": lambda c: not accents.normalize_str(c) and forms[0].normalize_str(c) == c,
    "kMarks": lambda c: not marks.normalize_str(c),
    "kPunctuation": lambda c: in_pieces(punctuation, c),
    "kRemoved": lambda c: not clean.normalize_str(c),
    "kLaterNumbers": lambda c: in_pieces(digits, c) and unicodedata.category(c)[0] != "N",
    "kLaterWords": lambda c: not known_word(c) and not is_letter_symbol(c) and not c.isspace() and not in_pieces(words, c),
    "kKept": lambda c: (c in LATER or unicodedata.normalize("NFKD", c) != c) and all(form.normalize_str(c) == c for form in forms),
}


def ranges(wanted):
    found = []
    for c in CHARACTERS:
        if not wanted(c):
            continue
        if found and found[-1][1] == ord(c) - 1:
            found[-1][1] = ord(c)
        else:
            found.append([ord(c), ord(c)])
    return found


def table(kind, name, rows):
    entries = ["{" + ", ".join(f"0x{value:X}" for value in row) + "}" for row in rows]
    lines, line = [], "   "
    for entry in entries:
        if len(line) + len(entry) + 2 > 98:
            lines.append(line)
            line = "   "
        line += " " + entry + ","
    lines.append(line)
    print(f"constexpr std::array {name} = std::to_array<{kind}>({{")
    print("\n".join(lines)[:-1] + "});\n")


later_lower = [[ord(c), ord(lower.normalize_str(c))] for c in CHARACTERS if c.lower() == c and lower.normalize_str(c) != c]
print(f"""// Written by tools/make_tokenizer_classes.py from tokenizers {version("tokenizers")}.
#include "attend/text/huggingface/foreign_classes.h"

#include <algorithm>
#include <array>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/text/normalization/character_classes.h"

namespace attend::detail {{
namespace {{

struct CharacterRange {{
  char32_t first, last;
}};

struct CasePair {{
  char32_t upper, lower;
}};

// clang-format off
""")
for name, wanted in CLASSES.items():
    table("CharacterRange", name, ranges(wanted))
table("CasePair", "kLaterCases", later_lower)
print("""// clang-format on

template <std::size_t N>
bool contains(const std::array<CharacterRange, N>& ranges, char32_t c) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), c, [](char32_t value, const CharacterRange& range) {
    return value < range.first;
  });
  return after != ranges.begin() && c <= (after - 1)->last;
}

}  // namespace

bool is_foreign_nonspacing_mark(char32_t c) { return contains(kNonspacing, c); }
bool is_foreign_mark(char32_t c) { return contains(kMarks, c); }
bool is_foreign_punctuation(char32_t c) { return contains(kPunctuation, c); }
bool is_removed_by_foreign_bert(char32_t c) { return contains(kRemoved, c); }
bool is_foreign_number(char32_t c) { return unicode::is_number(c) || contains(kLaterNumbers, c); }
bool is_foreign_word(char32_t c) { return is_word_character(c) || contains(kLaterWords, c); }
bool is_never_decomposed(char32_t c) { return c >= 0x80 && contains(kKept, c); }

void append_foreign_lowercase(std::string& text, char32_t c) {
  const auto later = std::lower_bound(kLaterCases.begin(), kLaterCases.end(), c, [](const CasePair& pair, char32_t value) {
    return pair.upper < value;
  });
  if (later != kLaterCases.end() && later->upper == c) {
    append_code_point(text, later->lower);
  } else {
    append_lowercase(text, c);
  }
}

}  // namespace attend::detail""")
