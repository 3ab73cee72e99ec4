#include "attend/text/huggingface/added_tokens.h"

#include <algorithm>
#include <set>

#include "attend/core/strings/utf8.h"
#include "attend/text/huggingface/foreign_classes.h"
#include "attend/text/normalization/normalization.h"

namespace attend::detail {
namespace {

PrefixTable table_of(const std::vector<AddedTokens::Entry>& entries) {
  std::vector<std::pair<std::string, std::int32_t>> texts;
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (!entries[i].text.empty() && seen.insert(entries[i].text).second)
      texts.emplace_back(entries[i].text, static_cast<std::int32_t>(i));
  return PrefixTable(std::move(texts));
}

char32_t character_at(std::string_view text, std::size_t at) { return next_code_point(text, at); }

// The beginning of the white space before a position, at least `least`.
std::size_t space_before(std::string_view text, std::size_t at, std::size_t least) {
  while (at > least &&
         has_white_space_property(character_at(text, begin_of_character_before(text, at))))
    at = begin_of_character_before(text, at);
  return at;
}

std::size_t space_after(std::string_view text, std::size_t at) {
  for (std::size_t next = at; next < text.size(); at = next)
    if (!has_white_space_property(next_code_point(text, next))) break;
  return at;
}

}  // namespace

AddedTokens::AddedTokens(std::vector<Entry> entries) : texts_(table_of(entries)) {
  for (const Entry& entry : entries) tokens_.push_back(entry.token);
}

bool AddedTokens::is_found(const AddedPiece& token, std::string_view text, std::size_t begin,
                           std::size_t end, SpecialText special) const {
  if (token.special && special == SpecialText::as_text) return false;
  if (!token.single_word) return true;
  return (begin == 0 ||
          !is_foreign_word(character_at(text, begin_of_character_before(text, begin)))) &&
         (end == text.size() || !is_foreign_word(character_at(text, end)));
}

std::vector<AddedTokens::Part> AddedTokens::cut(std::string_view text, SpecialText special) const {
  std::vector<Part> parts;
  std::size_t done = 0, spaces_end = 0;
  for (std::size_t at = 0; at < text.size();) {
    const PrefixTable::Match match = texts_.longest(text.substr(at));
    if (match.length == 0) {
      ++at;
      continue;
    }
    std::size_t begin = at, end = at += match.length;
    const AddedPiece& token = tokens_[static_cast<std::size_t>(match.value)];
    if (!is_found(token, text, begin, end, special)) continue;
    if (token.lstrip) begin = std::max(space_before(text, begin, done), done);
    if (token.rstrip) {  // once for all tokens of white space that stand in it
      if (end > spaces_end) spaces_end = space_after(text, end);
      end = spaces_end;
    }
    if (begin > done) parts.push_back({done, begin, -1});
    if (begin < end) parts.push_back({begin, end, token.id});
    done = end;
  }
  if (done < text.size()) parts.push_back({done, text.size(), -1});
  return parts;
}

}  // namespace attend::detail
