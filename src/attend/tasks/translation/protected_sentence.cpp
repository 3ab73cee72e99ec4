#include "attend/tasks/translation/protected_sentence.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "attend/core/strings/ascii.h"
#include "attend/core/strings/utf8.h"

namespace attend {

namespace {

using Kind = ProtectedSpan::Kind;

// More of them leave a search no room.
constexpr std::size_t kMostStandIns = 8;

// Where a word is, in letters of either case, from its beginning; npos if it is nowhere.
std::size_t find_word(std::string_view text, std::string_view word) {
  const std::string in = ascii_lower(text), small = ascii_lower(word);
  for (std::size_t at = in.find(small); at != in.npos; at = in.find(small, at + 1)) {
    const std::size_t end = at + small.size();
    if (at > 0 && is_ascii_alphanumeric(in[at - 1])) continue;
    if (end < in.size() && is_ascii_digit(in[end]) && is_ascii_digit(small.back())) continue;
    return at;
  }
  return in.npos;
}

// "b" of <b>, </b> and <b/>.
std::string_view name_of_tag(std::string_view tag) {
  const std::size_t begin = tag.starts_with("</") ? 2 : 1;
  return tag.substr(begin, tag.find_first_of(" \t\r\n/>", begin) - begin);
}

// For each tag, the number of the one that closes it; none for others.
template <class TakenOut>
std::vector<std::optional<std::size_t>> closing_tags(std::span<const TakenOut> taken) {
  std::vector<std::optional<std::size_t>> closed_by(taken.size());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    const std::string_view tag = taken[i].tag;
    if (!tag.starts_with('<') || tag.ends_with("/>")) continue;
    if (!tag.starts_with("</")) {
      open.push_back(i);
      continue;
    }
    for (std::size_t k = open.size(); k-- > 0;) {
      if (name_of_tag(taken[open[k]].tag) != name_of_tag(tag)) continue;
      closed_by[open[k]] = i;
      open.resize(k);
      break;
    }
  }
  return closed_by;
}

// The words of a text, by white space.
std::vector<TextSpan> words_between_spaces(std::string_view text) {
  std::vector<TextSpan> words;
  bool in_word = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const bool is_space = is_white_space(next_code_point(text, at));
    if (!is_space && !in_word) words.push_back({begin, at});
    if (!is_space) words.back().end = at;
    in_word = !is_space;
  }
  return words;
}

// For each word of a text, those of the edited text that it became.
std::vector<std::pair<int, int>> words_after(std::string_view before, std::string_view after,
                                             std::span<const ProtectedSentence::Edit> edits) {
  const std::vector<TextSpan> old_words = words_between_spaces(before),
                              new_words = words_between_spaces(after);
  std::vector<std::pair<int, int>> became;
  std::size_t next = 0, edit = 0;
  std::ptrdiff_t moved = 0;
  for (const TextSpan word : old_words) {
    const auto begin = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(word.begin) + moved);
    for (; edit < edits.size() && edits[edit].at < word.end; ++edit)
      moved += static_cast<std::ptrdiff_t>(edits[edit].size_after) -
               static_cast<std::ptrdiff_t>(edits[edit].size);
    const auto end = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(word.end) + moved);
    while (next < new_words.size() && new_words[next].end <= begin) ++next;
    const std::size_t first = next;
    while (next < new_words.size() && new_words[next].begin < end) ++next;
    became.emplace_back(static_cast<int>(first), static_cast<int>(next));
    if (next > first && new_words[next - 1].end > end) --next;
  }
  return became;
}

std::vector<std::pair<int, int>> alignment_after(
    const std::vector<std::pair<int, int>>& alignment,
    const std::vector<std::pair<int, int>>& source_words,
    const std::vector<std::pair<int, int>>& target_words) {
  std::vector<std::pair<int, int>> after;
  for (const auto& [source, target] : alignment) {
    if (source >= std::ssize(source_words) || target >= std::ssize(target_words)) continue;
    const auto [s_begin, s_end] = source_words[static_cast<std::size_t>(source)];
    const auto [t_begin, t_end] = target_words[static_cast<std::size_t>(target)];
    for (int s = s_begin; s < s_end; ++s)
      for (int t = t_begin; t < t_end; ++t) after.emplace_back(s, t);
  }
  return after;
}

// The next stand-in that the text does not have, nor another span; null without one.
const std::string* next_of(const std::vector<std::string>& words, std::string_view text,
                           std::set<std::string>& used) {
  for (const std::string& word : words)
    if (find_word(text, word) == text.npos && used.insert(word).second) return &word;
  return nullptr;
}

}  // namespace

ProtectedSentence::ProtectedSentence(std::string_view text, std::span<const ProtectedSpan> spans,
                                     const StandIns& stand_ins)
    : original_(text) {
  std::set<std::string> used;
  std::vector<TakenOut> taken;
  std::size_t from = 0;
  bool has_text = false;
  const auto add_text = [&](std::size_t end) {
    has_text = has_text || !is_blank(text.substr(from, end - from));
    marked_.text += text.substr(from, end - from);
  };
  for (const ProtectedSpan& span : spans) {
    add_text(span.begin);
    from = span.end;
    const std::string_view own = text.substr(span.begin, span.end - span.begin);
    const std::string* word = nullptr;
    if (span.kind != Kind::tag && used.size() < kMostStandIns)
      word = next_of(span.kind == Kind::number ? stand_ins.numbers : stand_ins.names, text, used);
    if (word != nullptr) {
      replaced_.push_back({*word, std::string(own)});
      marked_.text += *word;
      continue;
    }
    const bool is_behind_space = marked_.text.empty() || marked_.text.ends_with(' ');
    taken.push_back(
        {own, marked_.text.size(), is_behind_space && text.substr(from).starts_with(' ')});
    if (taken.back().has_space_after) ++from;
  }
  add_text(text.size());
  if (has_text)
    add_marks(taken);
  else
    marked_.text.clear();
}

void ProtectedSentence::add_marks(std::span<const TakenOut> taken) {
  const auto closed_by = closing_tags(taken);
  std::vector<bool> closes(taken.size(), false);
  std::vector<std::pair<std::size_t, int>> open;  // the tag that closes a mark, and its number
  for (std::size_t i = 0; i < taken.size(); ++i) {
    while (!open.empty() && open.back().first <= i) open.pop_back();
    if (closes[i]) continue;
    const auto& [tag, at, has_space_after] = taken[i];
    Mark mark{
        at, at, std::string(tag), "", open.empty() ? -1 : open.back().second, has_space_after};
    if (closed_by[i]) {
      mark.end = taken[*closed_by[i]].at;
      mark.close = taken[*closed_by[i]].tag;
      closes[*closed_by[i]] = true;
      open.emplace_back(*closed_by[i], static_cast<int>(marked_.marks.size()));
    }
    marked_.marks.push_back(std::move(mark));
  }
}

std::vector<std::string> ProtectedSentence::stand_ins() const {
  std::vector<std::string> words;
  for (const Replaced& one : replaced_) words.push_back(one.stand_in);
  return words;
}

ProtectedSentence::Restored ProtectedSentence::with_spans(std::string_view text,
                                                          std::vector<bool>& written) const {
  struct Found {
    std::size_t at = 0;
    const Replaced* span = nullptr;
  };
  std::vector<Found> found;
  for (std::size_t i = 0; i < replaced_.size(); ++i) {
    if (written[i]) continue;
    const std::size_t at = find_word(text, replaced_[i].stand_in);
    if (at == text.npos) continue;
    found.push_back({at, &replaced_[i]});
    written[i] = true;
  }
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.at < b.at; });
  Restored restored;
  std::size_t from = 0;
  for (const auto& [at, span] : found) {
    restored.text += text.substr(from, at - from);
    restored.text += span->original;
    from = at + span->stand_in.size();
    restored.edits.push_back({at, span->stand_in.size(), span->original.size()});
  }
  restored.text += text.substr(from);
  return restored;
}

// What the model was not made to write, as when it draws samples, is at the end.
std::string ProtectedSentence::with_missing(std::string text,
                                            const std::vector<bool>& written) const {
  for (std::size_t i = 0; i < replaced_.size(); ++i)
    if (!written[i]) text += (text.empty() ? "" : " ") + replaced_[i].original;
  return text;
}

std::string ProtectedSentence::readable_source() const {
  std::vector<bool> written(replaced_.size(), false);
  return with_spans(marked_.text, written).text;
}

std::string ProtectedSentence::readable(std::string_view translation) const {
  std::vector<bool> written(replaced_.size(), false);
  std::string text = with_spans(translation, written).text;
  return with_missing(std::move(text), written);
}

void ProtectedSentence::restore(TranslationCandidate& candidate) const {
  std::vector<bool> written(replaced_.size(), false);
  Restored target = with_spans(candidate.text, written);
  std::string text;
  if (marked_.marks.empty()) {
    text = target.text;
  } else {
    written.assign(replaced_.size(), false);
    const TranslatedText translated{
        marked_.text, {{0, marked_.text.size()}}, {Translation{{candidate}, {}}}};
    text = with_marks(marked_, translated, 0,
                      [&](std::string_view plain) { return with_spans(plain, written).text; });
  }
  text = with_missing(std::move(text), written);
  if (!candidate.alignment.empty()) {
    std::vector<bool> all(replaced_.size(), false);
    const Restored source = with_spans(marked_.text, all);
    candidate.alignment =
        alignment_after(candidate.alignment, words_after(marked_.text, source.text, source.edits),
                        words_after(candidate.text, target.text, target.edits));
  }
  candidate.text = std::move(text);
}

}  // namespace attend
