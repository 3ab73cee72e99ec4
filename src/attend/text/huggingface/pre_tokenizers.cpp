#include "attend/text/huggingface/pre_tokenizers.h"

#include <fmt/format.h>

#include "attend/core/json/json_object.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/text/byte_bpe/byte_bpe.h"
#include "attend/text/byte_bpe/byte_letters.h"
#include "attend/text/huggingface/foreign_classes.h"
#include "attend/text/huggingface/patterns/text_pattern.h"
#include "attend/text/normalization/normalization.h"
#include "attend/text/sentencepiece/meta_symbol.h"

namespace attend::detail {
namespace {

// Matches and the text between them.
struct Segment {
  std::size_t begin, end;
  bool is_match;
};

// What becomes of matches.
enum class Behavior { removed, isolated, contiguous, with_previous, with_next };

std::vector<Segment> segments_of(const TextPattern& pattern, std::string_view text, bool invert) {
  std::vector<Segment> segments;
  std::size_t done = 0;
  for (const auto [begin, end] : pattern(text)) {
    if (begin > done) segments.push_back({done, begin, invert});
    segments.push_back({begin, end, !invert});
    done = end;
  }
  if (done < text.size()) segments.push_back({done, text.size(), invert});
  return segments;
}

// The first of several matches joins its neighbor, which comes before it in this order.
template <class Iterator, class Join>
std::vector<Segment> joined(Iterator begin, Iterator end, const Join& join) {
  std::vector<Segment> result;
  bool after_match = false;
  for (; begin != end; ++begin) {
    if (begin->is_match && !after_match && !result.empty()) {
      join(result.back(), *begin);
    } else {
      result.push_back(*begin);
    }
    after_match = begin->is_match;
  }
  return result;
}

std::vector<Segment> kept_segments(std::vector<Segment> segments, Behavior behavior) {
  std::vector<Segment> result;
  switch (behavior) {
    case Behavior::removed:
      std::erase_if(segments, [](const Segment& s) { return s.is_match; });
      return segments;
    case Behavior::isolated:
      return segments;
    case Behavior::contiguous:
      for (const Segment& segment : segments) {
        if (!result.empty() && result.back().is_match == segment.is_match) {
          result.back().end = segment.end;
        } else {
          result.push_back(segment);
        }
      }
      return result;
    case Behavior::with_previous:
      return joined(segments.begin(), segments.end(),
                    [](Segment& to, const Segment& from) { to.end = from.end; });
    case Behavior::with_next:
      result = joined(segments.rbegin(), segments.rend(),
                      [](Segment& to, const Segment& from) { to.begin = from.begin; });
      std::reverse(result.begin(), result.end());
      return result;
  }
  return result;
}

void split_parts(CutText& cut, const TextPattern& pattern, Behavior behavior, bool invert) {
  std::vector<CutText::Part> parts;
  for (const CutText::Part& part : cut.parts) {
    if (part.token >= 0) {
      parts.push_back(part);
      continue;
    }
    const std::string_view text = cut.text.bytes(part.begin, part.end);
    for (const Segment& s : kept_segments(segments_of(pattern, text, invert), behavior))
      if (s.begin < s.end) parts.push_back({part.begin + s.begin, part.begin + s.end});
  }
  cut.parts = std::move(parts);
}

PreTokenizerStep splitter(TextPattern pattern, Behavior behavior, bool invert = false) {
  return [=](CutText& cut) { split_parts(cut, pattern, behavior, invert); };
}

// Replaces each part by what change(part, result) appends.
template <class Change>
void change_parts(CutText& cut, const Change& change) {
  AlignedText result;
  result.reserve(cut.text.size() + cut.parts.size());
  for (CutText::Part& part : cut.parts) {
    const std::size_t begin = result.size();
    if (part.token >= 0) {
      result.append(cut.text, part.begin, part.end);
    } else {
      change(part, result);
    }
    part.begin = begin;
    part.end = result.size();
  }
  cut.text = std::move(result);
}

// Before the whole part, with the place of its first character.
void append_prefix(const CutText& cut, const CutText::Part& part, std::string_view prefix,
                   AlignedText& result) {
  result.append(prefix, cut.text.source(part.begin));
}

Behavior read_behavior(JsonObject& part, std::string_view usual) {
  constexpr std::array<std::string_view, 5> kNames{"Removed", "Isolated", "Contiguous",
                                                   "MergedWithPrevious", "MergedWithNext"};
  const std::string name = part.text("behavior", usual);
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) part.refuse("behavior", "Removed, Isolated, Contiguous or Merged...");
  return static_cast<Behavior>(found - kNames.begin());
}

PreTokenizerStep read_metaspace(JsonObject& part) {
  const std::string meta = part.text("replacement", kMetaSymbol);
  if (count_code_points(meta) != 1) part.refuse("replacement", "one character");
  part.text("str_rep", meta);
  const bool prefix = part.flag("add_prefix_space", true), split = part.flag("split", true);
  const std::string scheme = part.text("prepend_scheme", prefix ? "always" : "never");
  if (scheme != "always" && scheme != "first" && scheme != "never")
    part.refuse("prepend_scheme", "always, first or never");
  return [=, pattern = literal_pattern(meta)](CutText& cut) {
    change_parts(cut, [&](const CutText::Part& p, AlignedText& result) {
      const std::string_view text = cut.text.bytes(p.begin, p.end);
      const bool is_begun = text.starts_with(' ') || text.starts_with(meta);
      const bool is_first = cut.text.source(p.begin).begin == 0;
      if (!is_begun && (scheme == "always" || (scheme == "first" && is_first)))
        append_prefix(cut, p, meta, result);
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t space = std::min(text.find(' ', at), text.size());
        result.append(cut.text, p.begin + at, p.begin + space);
        if (space < text.size()) result.append(meta, cut.text.source(p.begin + space));
        at = space + 1;
      }
    });
    if (split) split_parts(cut, pattern, Behavior::with_next, false);
  };
}

PreTokenizerStep read_byte_level(JsonObject& part) {
  const bool prefix = part.flag("add_prefix_space", true), cuts = part.flag("use_regex", true);
  part.flag("trim_offsets", true);
  return [=, pattern = cuts ? expression_pattern(kGpt2Pattern) : TextPattern{}](CutText& cut) {
    if (prefix)
      change_parts(cut, [&](const CutText::Part& p, AlignedText& result) {
        if (!cut.text.bytes(p.begin, p.end).starts_with(' ')) append_prefix(cut, p, " ", result);
        result.append(cut.text, p.begin, p.end);
      });
    if (cuts) split_parts(cut, pattern, Behavior::isolated, false);
    change_parts(cut, [&](const CutText::Part& p, AlignedText& result) {
      for (std::size_t at = p.begin; at < p.end; ++at)
        result.append(letter_of(static_cast<unsigned char>(cut.text.bytes()[at])),
                      cut.text.source(at));
    });
  };
}

PreTokenizerStep read_split(JsonObject& part) {
  TextPattern pattern = read_pattern(part, "pattern");
  const Behavior behavior = read_behavior(part, "Isolated");
  return splitter(std::move(pattern), behavior, part.flag("invert", false));
}

PreTokenizerStep read_digits(JsonObject& part) {
  const bool each = part.flag("individual_digits", false);
  return splitter(character_pattern(is_foreign_number),
                  each ? Behavior::isolated : Behavior::contiguous);
}

PreTokenizerStep read_delimiter(JsonObject& part) {
  const std::string delimiter = part.text("delimiter");
  if (count_code_points(delimiter) != 1) part.refuse("delimiter", "one character");
  return splitter(literal_pattern(delimiter), Behavior::removed);
}

// Words and other characters, without the space between them.
std::vector<TokenSpan> words_and_others(std::string_view text) {
  enum class Kind { space, word, other } last = Kind::space;
  std::vector<TokenSpan> found;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    const Kind kind = is_foreign_word(c)            ? Kind::word
                      : has_white_space_property(c) ? Kind::space
                                                    : Kind::other;
    if (kind != Kind::space && kind == last) {
      found.back().end = at;
    } else if (kind != Kind::space) {
      found.push_back({begin, at});
    }
    last = kind;
  }
  return found;
}

PreTokenizerStep bert_splitter() {
  return [spaces = character_pattern(has_white_space_property),
          marks = character_pattern(is_foreign_punctuation)](CutText& cut) {
    split_parts(cut, spaces, Behavior::removed, false);
    split_parts(cut, marks, Behavior::isolated, false);
  };
}

PreTokenizerStep read_pre_tokenizer(JsonObject& part, std::string_view type) {
  if (type == "Metaspace") return read_metaspace(part);
  if (type == "ByteLevel") return read_byte_level(part);
  if (type == "Split") return read_split(part);
  if (type == "Digits") return read_digits(part);
  if (type == "CharDelimiterSplit") return read_delimiter(part);
  if (type == "BertPreTokenizer") return bert_splitter();
  if (type == "Punctuation")
    return splitter(character_pattern(is_foreign_punctuation), read_behavior(part, "Isolated"));
  if (type == "WhitespaceSplit")
    return splitter(character_pattern(has_white_space_property), Behavior::removed);
  if (type == "Whitespace") return splitter(words_and_others, Behavior::removed, true);
  throw DataError(fmt::format("{}: {} is not supported here", part.where(), quote(type)));
}

}  // namespace

std::vector<PreTokenizerStep> read_pre_tokenizers(const nlohmann::json& list,
                                                  const std::string& where) {
  std::vector<PreTokenizerStep> steps;
  for (const nlohmann::json& json : list) {
    JsonObject part(json, where);
    const std::string type = part.text("type");
    steps.push_back(read_pre_tokenizer(part, type));
    part.finish();
  }
  return steps;
}

}  // namespace attend::detail
