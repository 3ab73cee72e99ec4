#include "attend/documents/markdown/emphasis.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"

namespace attend::markdown {
namespace {

bool is_punctuation(char32_t c) { return unicode::is_punctuation(c) || unicode::is_symbol(c); }
bool is_space(char32_t c) { return c != U'\u200b' && c != U'\ufeff' && is_white_space(c); }

}  // namespace

EmphasisRun emphasis_run(std::string_view text, std::size_t at, std::size_t end) {
  char32_t before = U'\n', after = U'\n';
  if (at > 0) {
    std::size_t begin = begin_of_character_before(text, at);
    before = next_code_point(text, begin);
  }
  if (std::size_t next = end; next < text.size()) after = next_code_point(text, next);
  const bool left =
      !is_space(after) && (!is_punctuation(after) || is_space(before) || is_punctuation(before));
  const bool right =
      !is_space(before) && (!is_punctuation(before) || is_space(after) || is_punctuation(after));
  EmphasisRun run{.character = text[at], .size = end - at, .left = end - at};
  const bool within_words = text[at] != '_';
  run.may_open = left && (within_words || !right || is_punctuation(before));
  run.may_close = right && (within_words || !left || is_punctuation(after));
  if (run.character == '~' && run.size > 2) run.may_open = run.may_close = false;
  return run;
}

std::size_t EmphasisFinder::add(EmphasisRun run) {
  const std::size_t number = runs_.size();
  runs_.push_back(std::move(run));
  before_.push_back(last_);
  after_.push_back(kNone);
  if (last_ != kNone) after_[last_] = number;
  last_ = number;
  return number;
}

void EmphasisFinder::remove(std::size_t run) {
  if (before_[run] != kNone) after_[before_[run]] = after_[run];
  if (after_[run] != kNone) before_[after_[run]] = before_[run];
  if (last_ == run) last_ = before_[run];
}

// The closest run before `closer`, and behind `bottom`, that can open what it closes.
std::size_t EmphasisFinder::opener_of(std::size_t closer, std::size_t bottom) const {
  const EmphasisRun& end = runs_[closer];
  for (std::size_t i = before_[closer]; i != kNone && (bottom == kNone || i > bottom);
       i = before_[i]) {
    const EmphasisRun& begin = runs_[i];
    if (begin.character != end.character || !begin.may_open) continue;
    if (end.character == '~' && begin.size != end.size) continue;
    // "*a**b*": three of one kind are no "*" and "**".
    const bool is_odd = end.character != '~' && (end.may_open || begin.may_close) &&
                        end.size % 3 != 0 && (begin.size + end.size) % 3 == 0;
    if (!is_odd) return i;
  }
  return kNone;
}

void EmphasisFinder::join(std::size_t opener, std::size_t closer) {
  EmphasisRun& begin = runs_[opener];
  EmphasisRun& end = runs_[closer];
  const std::size_t size = begin.left >= 2 && end.left >= 2 ? 2 : 1;
  while (after_[opener] != closer) remove(after_[opener]);
  begin.opens.push_back({size, marks_});
  end.closes.push_back({size, marks_});
  ++marks_;
  begin.left -= size;
  end.left -= size;
  if (begin.left == 0) remove(opener);
}

void EmphasisFinder::find_from(std::size_t first) {
  // Below these runs, there is no opener for such closers.
  std::map<std::tuple<char, bool, std::size_t>, std::size_t> bottoms;
  const std::size_t below = first == 0 ? kNone : first - 1;
  std::size_t closer = last_ == kNone || last_ < first ? kNone : last_;
  while (closer != kNone && before_[closer] != kNone && before_[closer] >= first)
    closer = before_[closer];
  while (closer != kNone) {
    const EmphasisRun& run = runs_[closer];
    const std::size_t next = after_[closer];
    if (!run.may_close) {
      closer = next;
      continue;
    }
    const auto bottom =
        bottoms.try_emplace({run.character, run.may_open, run.size % 3}, below).first;
    const std::size_t opener = opener_of(closer, bottom->second);
    if (opener != kNone) {
      join(opener, closer);
      if (runs_[closer].left > 0) continue;
      remove(closer);
    } else {
      if (before_[closer] != kNone && before_[closer] >= first) bottom->second = before_[closer];
      if (!run.may_open) remove(closer);
    }
    closer = next;
  }
  while (last_ != kNone && last_ >= first) remove(last_);
}

}  // namespace attend::markdown
