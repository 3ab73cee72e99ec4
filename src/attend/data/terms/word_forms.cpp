#include "attend/data/terms/word_forms.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "attend/core/strings/unicode.h"

namespace attend {

namespace {

constexpr std::size_t kFewestLines = 2;               // fewer say nothing about a word
constexpr double kAssociated = 0.1;                   // the Dice coefficient of companions
constexpr std::size_t kSameLetters = 3;               // that forms begin with, at least
constexpr std::size_t kFewOther = 2, kMoreOther = 4;  // letters after those of either
constexpr std::size_t kMostShorter = 1;  // than the term; "bank" is no form of "banker"
constexpr int kUsual = 3;                // words with a change that is no chance
constexpr std::size_t kLongestEnding = 4;
constexpr int kFewestAlike = 8;       // words with an ending that tells the forms of others
constexpr double kMostHaveIt = 0.4;   // of those
constexpr int kMostWordsToThis = 20;  // words with the most frequent change, for one with another
constexpr std::size_t kEnoughLines = 10;  // with a word, to tell what it is no form of

std::size_t same_beginning(std::u32string_view a, std::u32string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t same = 0;
  while (same < most && a[same] == b[same]) ++same;
  return same;
}

bool begin_alike(std::u32string_view a, std::u32string_view b) {
  const std::size_t same = same_beginning(a, b);
  const auto [fewer, more] = std::minmax({a.size() - same, b.size() - same});
  return same >= kSameLetters && fewer <= kFewOther && more <= kMoreOther;
}

bool may_be_of_one(SideWords::Case a, SideWords::Case b) {
  return a == b || a == SideWords::Case::unknown || b == SideWords::Case::unknown;
}

bool begins_capital(std::string_view word) {
  const std::u32string letters = unicode::decode(word);
  return !letters.empty() && unicode::is_upper(letters.front());
}

// With a capital, or as it is in small letters.
std::string with_case(std::u32string letters, bool is_capital) {
  if (!is_capital) return unicode::encode(letters);
  return unicode::capitalized(unicode::encode(letters));
}

}  // namespace

WordForms::WordForms(const SideWords& own, const SideWords& other) : own_(own), other_(other) {
  learn_companions();
  learn_changes();
}

// The words of the other side that are in the translations of these lines, and seldom elsewhere.
// `counts`: zeros, one for each word of the other side, as which they are left.
std::vector<std::int32_t> WordForms::companions(std::span<const std::int32_t> lines,
                                                std::vector<std::int32_t>& counts) const {
  std::vector<std::int32_t> met, found;
  for (const std::int32_t line : lines) {
    const std::size_t of_line = met.size();
    for (const std::int32_t id : other_.line(line))
      if (id != SideWords::kBreak &&
          std::find(met.begin() + static_cast<std::ptrdiff_t>(of_line), met.end(), id) == met.end())
        met.push_back(id);
  }
  for (const std::int32_t id : met) ++counts[static_cast<std::size_t>(id)];
  for (const std::int32_t id : met) {
    const auto both =
        static_cast<std::size_t>(std::exchange(counts[static_cast<std::size_t>(id)], 0));
    const std::size_t all =
        lines.size() + other_.words()[static_cast<std::size_t>(id)].lines.size();
    if (both >= kFewestLines &&
        2 * static_cast<double>(both) > kAssociated * static_cast<double>(all))
      found.push_back(id);
  }
  return found;
}

void WordForms::learn_companions() {
  std::vector<std::int32_t> counts(other_.words().size(), 0);
  companions_.resize(own_.words().size());
  for (std::size_t i = 0; i < companions_.size(); ++i)
    if (const auto& lines = own_.words()[i].lines; lines.size() >= kFewestLines)
      companions_[i] = companions(lines, counts);
}

// Whether words of both are the same or forms of one.
bool WordForms::have_alike(std::span<const std::int32_t> companions,
                           std::span<const std::int32_t> others) const {
  return std::any_of(companions.begin(), companions.end(), [&](std::int32_t a) {
    return std::any_of(others.begin(), others.end(), [&](std::int32_t b) {
      return a == b || begin_alike(other_.words()[static_cast<std::size_t>(a)].bare,
                                   other_.words()[static_cast<std::size_t>(b)].bare);
    });
  });
}

WordForms::Change WordForms::change(std::u32string_view word, std::u32string_view form) {
  const std::u32string bare = bare_letters(word), of_form = bare_letters(form);
  const std::size_t same = same_beginning(bare, of_form);
  return {bare.substr(same), of_form.substr(same), same_beginning(word, form) < same};
}

std::u32string WordForms::ending(std::u32string_view word, std::size_t letters, bool is_capital) {
  return (is_capital ? U"A" : U"a") + std::u32string(word.substr(word.size() - letters));
}

void WordForms::learn_changes() {
  std::vector<std::vector<Change>> all(own_.words().size());
  for (const auto& [beginning, group] : own_.by_beginning()) {
    for (const std::int32_t a : group) {
      const auto& of_a = companions_[static_cast<std::size_t>(a)];
      if (of_a.empty()) continue;
      for (const std::int32_t b : group)
        if (a != b && word(a).begins == word(b).begins && begin_alike(word(a).bare, word(b).bare) &&
            have_alike(of_a, companions_[static_cast<std::size_t>(b)]))
          all[static_cast<std::size_t>(a)].push_back(change(word(a).small, word(b).small));
    }
  }
  for (const std::vector<Change>& changes : all)
    for (const Change& one : changes) most_words_ = std::max(most_words_, ++changes_[one]);
  learn_endings(all);
}

void WordForms::learn_endings(std::span<const std::vector<Change>> changes) {
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const SideWords::Word& own = own_.words()[i];
    std::set<Change> usual;
    for (const Change& one : changes[i])
      if (is_usual(one)) usual.insert(one);
    if (usual.empty()) continue;
    for (std::size_t size = 0; size <= kLongestEnding && size + 2 <= own.small.size(); ++size) {
      Ending& known = endings_[ending(own.small, size, own.begins == SideWords::Case::capital)];
      ++known.words;
      for (const Change& one : usual)
        if (!one.of_stem && !one.to.empty() && one.to.size() >= one.from.size())
          ++known.changes[one];
    }
  }
}

bool WordForms::is_usual(const Change& change) const {
  const auto found = changes_.find(change);
  return found != changes_.end() && found->second >= kUsual;
}

std::vector<std::int32_t> WordForms::candidates(const PlainWord& own) const {
  const std::u32string small = small_letters(own.text), bare = bare_letters(small);
  const auto kind = begins_capital(own.text) ? SideWords::Case::capital : SideWords::Case::small;
  const auto may_be_form = [&](const SideWords::Word& one) {
    if (!begin_alike(bare, one.bare)) return false;
    const Change found = change(small, one.small);
    return found.from.size() <= found.to.size() + kMostShorter && is_usual(found);
  };
  std::vector<std::int32_t> found;
  for (const std::int32_t i : own_.beginning_like(bare)) {
    const SideWords::Word& one = word(i);
    if (may_be_of_one(kind, one.begins) && (one.small == small || may_be_form(one)))
      found.push_back(i);
  }
  return found;
}

// Returns those that the text has, of one of the candidates for each word.
std::vector<WordForms::Unit> WordForms::units(
    std::span<const std::vector<std::int32_t>> words) const {
  std::map<std::vector<std::int32_t>, std::vector<std::int32_t>> places;
  const auto is_candidate = [&](std::size_t i, std::int32_t id) {
    return std::find(words[i].begin(), words[i].end(), id) != words[i].end();
  };
  for (const std::int32_t first : words.front()) {
    for (const std::int32_t number : word(first).lines) {
      const std::span<const std::int32_t> line = own_.line(number);
      for (std::size_t at = 0; at + words.size() <= line.size(); ++at) {
        if (line[at] != first) continue;
        std::size_t same = 1;
        while (same < words.size() && is_candidate(same, line[at + same])) ++same;
        if (same < words.size()) continue;
        auto& lines = places[{line.begin() + static_cast<std::ptrdiff_t>(at),
                              line.begin() + static_cast<std::ptrdiff_t>(at + same)}];
        if (lines.empty() || lines.back() != number) lines.push_back(number);
      }
    }
  }
  std::vector<Unit> units;
  std::vector<std::int32_t> counts(other_.words().size(), 0);
  for (auto& [ids, lines] : places) {
    std::vector<std::int32_t> with = ids.size() == 1
                                         ? companions_[static_cast<std::size_t>(ids.front())]
                                         : companions(lines, counts);
    units.push_back({ids, std::move(lines), std::move(with)});
  }
  return units;
}

// The longest word of each translation, and its forms.
std::vector<std::int32_t> WordForms::words_of_translations(
    std::span<const std::string> translations) const {
  std::vector<std::int32_t> found;
  for (const std::string& translation : translations) {
    std::u32string longest;
    for (const PlainWord& one : plain_words(translation))
      if (std::u32string bare = bare_letters(small_letters(one.text)); bare.size() > longest.size())
        longest = std::move(bare);
    for (const std::int32_t i : other_.beginning_like(longest))
      if (const auto& bare = other_.words()[static_cast<std::size_t>(i)].bare;
          bare == longest || begin_alike(bare, longest))
        found.push_back(i);
  }
  return found;
}

std::string WordForms::written(const Unit& unit, std::span<const PlainWord> term) const {
  std::string text;
  for (std::size_t i = 0; i < term.size(); ++i) {
    const SideWords::Word& own = word(unit.words[i]);
    const bool is_capital = begins_capital(term[i].text);
    text += i > 0 ? " " : "";
    text +=
        begins_capital(own.written) == is_capital ? own.written : with_case(own.small, is_capital);
  }
  return text;
}

bool WordForms::is_well_known(std::u32string_view small, bool is_capital) const {
  const auto kind = is_capital ? SideWords::Case::capital : SideWords::Case::small;
  const auto like = own_.beginning_like(bare_letters(small));
  return std::any_of(like.begin(), like.end(), [&](std::int32_t i) {
    return word(i).small == small && word(i).begins == kind && word(i).lines.size() >= kEnoughLines;
  });
}

// Forms of a word as most words with its ending have them. The longest ending counts that enough
// words have.
std::vector<std::string> WordForms::unsure(std::string_view own) const {
  const std::u32string small = small_letters(own), written = unicode::decode(own);
  const bool is_capital = begins_capital(own);
  std::vector<std::string> made;
  for (std::size_t size = std::min(kLongestEnding + 1, small.size() - 1); size-- > 0;) {
    const auto found = endings_.find(ending(small, size, is_capital));
    if (found == endings_.end() || (found->second.words < kFewestAlike && size > 0)) continue;
    for (const auto& [change, words] : found->second.changes) {
      const bool is_frequent = kMostWordsToThis * changes_.at(change) >= most_words_;
      if (words < kMostHaveIt * found->second.words || !is_frequent ||
          !small.ends_with(change.from))
        continue;
      const std::size_t kept = small.size() - change.from.size();
      if (!is_well_known(small.substr(0, kept) + change.to, is_capital))
        made.push_back(unicode::encode(written.substr(0, kept) + change.to));
    }
    break;
  }
  return made;
}

WordForms::Forms WordForms::of(const std::string& term,
                               std::span<const std::string> translations) const {
  const std::vector<PlainWord> parts = plain_words(term);
  std::size_t letters = parts.empty() ? 0 : parts.size() - 1;
  for (const PlainWord& part : parts) letters += part.text.size();
  if (letters != term.size() || parts.empty() ||
      bare_letters(small_letters(parts.back().text)).size() < kSameLetters)
    return {};
  std::vector<std::vector<std::int32_t>> words;
  for (const PlainWord& part : parts) words.push_back(candidates(part));
  const std::vector<Unit> all = units(words);
  std::vector<std::int32_t> known = words_of_translations(translations);
  const std::string own = unicode::lowercase(term);
  for (const Unit& unit : all)
    if (unicode::lowercase(written(unit, parts)) == own)
      known.insert(known.end(), unit.companions.begin(), unit.companions.end());
  Forms forms;
  for (const Unit& unit : all) {
    std::string text = written(unit, parts);
    if (text != term && have_alike(unit.companions, known)) forms.seen.push_back(std::move(text));
  }
  const std::string before(term.substr(0, term.size() - parts.back().text.size()));
  for (const std::string& last : unsure(parts.back().text))
    if (std::find(forms.seen.begin(), forms.seen.end(), before + last) == forms.seen.end())
      forms.unsure.push_back(before + last);
  return forms;
}

}  // namespace attend
