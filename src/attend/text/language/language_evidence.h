// What tells the known languages apart in a text: its script, its most frequent words and the
// letters that few languages have. Private to text/.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace attend::detail {

inline constexpr std::size_t kLanguageCount = 30;
// Scripts that languages here are written in, and all others together.
enum class Script {
  latin,
  cyrillic,
  greek,
  arabic,
  hebrew,
  devanagari,
  thai,
  hangul,
  kana,
  han,
  other
};
inline constexpr std::size_t kScriptCount = 11;

struct LanguageEvidence {
  // A frequent word, or with less weight a letter, of one or more languages.
  struct Hit {
    std::uint32_t languages = 0;  // a bit for each, by index
    double weight = 0;
  };

  std::array<double, kScriptCount> letters{};  // by script
  std::vector<Hit> hits;
  std::size_t words = 0;

  // Letters of the known scripts.
  double known_letters() const;
  double letters_of(Script script) const { return letters[static_cast<std::size_t>(script)]; }
  // The weight of all hits of a language, or of those that `without` does not share.
  double weight_of(std::size_t language) const;
  double weight_of(std::size_t language, std::size_t without) const;
};

// Reads the first 4096 bytes, which bounds the time.
LanguageEvidence evidence_of(std::string_view text);

// The index of a language by a name that begins with its ISO 639 code: "de", "de_DE", "deu_Latn";
// or by another name of it (language_tag.h).
std::optional<std::size_t> find_language(std::string_view name);
// Its two-letter code.
std::string_view language_code(std::size_t language);
Script script_of(std::size_t language);
// Whether no other known language is written in its script: then there are no frequent words.
bool is_alone_in_script(std::size_t language);

}  // namespace attend::detail
