#include "attend/documents/sentences/sentence_rules.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "attend/core/files/embedded_file.h"
#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/documents/sentences/sentence_marks.h"
#include "attend/text/language/language_tag.h"

namespace attend {

// The folder `languages`: LANGUAGE.txt for each, and relatives.txt.
std::span<const EmbeddedFile> sentence_rule_files();

namespace {

// Bytes of a text that are searched for its first letter.
constexpr std::size_t kMostBeforeLetter = 1000;

std::optional<std::string_view> content_of(std::string_view name) {
  for (const EmbeddedFile& file : sentence_rule_files())
    if (file.name.substr(0, file.name.rfind('.')) == name) return file.content;
  return std::nullopt;
}

// Calls use(key, words) for the lines "key: words" that are no comments.
template <typename Use>
void for_each_line(std::string_view content, const Use& use) {
  while (!content.empty()) {
    const std::string_view line = content.substr(0, content.find('\n'));
    content.remove_prefix(std::min(line.size() + 1, content.size()));
    const std::size_t colon = line.find(':');
    if (line.starts_with('#') || colon == line.npos) continue;
    use(line.substr(0, colon), line.substr(colon + 1));
  }
}

// The language whose rules relatives.txt gives to `name`, a language or a script.
std::optional<std::string_view> relative_of(std::string_view name) {
  std::optional<std::string_view> found;
  for_each_line(*content_of("relatives"), [&](std::string_view language, std::string_view names) {
    const auto all = unicode::split(names);
    if (std::find(all.begin(), all.end(), name) != all.end()) found = language;
  });
  return found;
}

struct ScriptRange {
  char32_t first, last;
  std::string_view name;
};
constexpr std::array kScripts{
    ScriptRange{0x370, 0x3ff, "grek"},   ScriptRange{0x400, 0x52f, "cyrl"},
    ScriptRange{0x530, 0x58f, "armn"},   ScriptRange{0x590, 0x5ff, "hebr"},
    ScriptRange{0x600, 0x77f, "arab"},   ScriptRange{0x900, 0x97f, "deva"},
    ScriptRange{0x980, 0x9ff, "beng"},   ScriptRange{0xa00, 0xa7f, "guru"},
    ScriptRange{0xa80, 0xaff, "gujr"},   ScriptRange{0xb00, 0xb7f, "orya"},
    ScriptRange{0xb80, 0xbff, "taml"},   ScriptRange{0xc00, 0xc7f, "telu"},
    ScriptRange{0xc80, 0xcff, "knda"},   ScriptRange{0xd00, 0xd7f, "mlym"},
    ScriptRange{0xd80, 0xdff, "sinh"},   ScriptRange{0xe00, 0xe7f, "thai"},
    ScriptRange{0xe80, 0xeff, "laoo"},   ScriptRange{0xf00, 0xfff, "tibt"},
    ScriptRange{0x1000, 0x109f, "mymr"}, ScriptRange{0x10a0, 0x10ff, "geor"},
    ScriptRange{0x1100, 0x11ff, "hang"}, ScriptRange{0x1200, 0x139f, "ethi"},
    ScriptRange{0x1780, 0x17ff, "khmr"}, ScriptRange{0x3040, 0x30ff, "jpan"},
    ScriptRange{0x4e00, 0x9fff, "hans"}, ScriptRange{0xac00, 0xd7a3, "hang"}};

// The script of the first letter; Latin without one.
std::string_view script_of(std::string_view text) {
  for (std::size_t at = 0; at < std::min(text.size(), kMostBeforeLetter);) {
    const char32_t c = next_code_point(text, at);
    if (!unicode::is_letter(c)) continue;
    for (const ScriptRange& script : kScripts)
      if (c >= script.first && c <= script.last) return script.name;
    break;
  }
  return "latn";
}

// The name of the file for a language.
std::string file_for(std::string_view language, std::string_view text) {
  const LanguageTag tag = language_tag(language);
  for (const std::string_view name :
       {std::string_view(tag.language), std::string_view(tag.script), script_of(text)}) {
    if (name != "relatives" && content_of(name)) return std::string(name);
    if (const auto relative = relative_of(name)) return std::string(*relative);
  }
  return "en";
}

}  // namespace

const SentenceRules& SentenceRules::of(std::string_view language, std::string_view text) {
  static std::mutex mutex;
  static std::map<std::string, SentenceRules> rules;
  const std::string name = file_for(language, text);
  const std::lock_guard lock(mutex);
  const auto found = rules.find(name);
  return found != rules.end() ? found->second : rules.emplace(name, read(name)).first->second;
}

unsigned SentenceRules::facts(std::string_view word) const {
  if (word.empty()) return 0;
  if (const auto found = facts_.find(word); found != facts_.end()) return found->second;
  std::size_t rest = 0;
  if (!is_capital(next_code_point(word, rest)) || rest == word.size()) return 0;
  const std::string small =
      unicode::lowercase(word.substr(0, rest)) + std::string(word.substr(rest));
  const auto found = facts_.find(small);
  return found == facts_.end() ? 0 : found->second;
}

SentenceRules SentenceRules::read(std::string_view name) {
  SentenceRules rules;
  for_each_line(*content_of(name),
                [&](std::string_view key, std::string_view words) { rules.read_line(key, words); });
  return rules;
}

void SentenceRules::read_line(std::string_view key, std::string_view words) {
  constexpr std::array<std::pair<std::string_view, Fact>, 7> kFacts{{{"never", kNever},
                                                                     {"seldom", kSeldom},
                                                                     {"numbered", kNumbered},
                                                                     {"units", kUnit},
                                                                     {"may", kMay},
                                                                     {"starts", kStart},
                                                                     {"months", kMonth}}};
  for (const std::string_view word : unicode::split(words)) {
    if (key == "with") add_all(read(word));
    if (key == "ordinals")
      ordinals_ = word == "names" ? Ordinals::before_names : Ordinals::before_numbers;
    if (key == "periods") has_periods_ = word != "none";
    if (key == "stops") stops_ += unicode::decode(word);
    for (const auto& [name, fact] : kFacts)
      if (key == name) add(word, fact);
  }
}

void SentenceRules::add(std::string_view word, Fact fact) {
  facts_[std::string(word)] |= fact;
  if (fact == kStart) return;
  // A space may follow each part of "z.B".
  for (std::size_t end = word.find('.'); end != word.npos;) {
    facts_[std::string(word.substr(0, end))] |= kSeldom;
    const std::size_t begin = end + 1;
    end = word.find('.', begin);
    facts_[std::string(word.substr(begin, std::min(end, word.size()) - begin))] |= kPart;
  }
}

void SentenceRules::add_all(const SentenceRules& other) {
  for (const auto& [word, facts] : other.facts_) facts_[word] |= facts;
  stops_ += other.stops_;
}

}  // namespace attend
