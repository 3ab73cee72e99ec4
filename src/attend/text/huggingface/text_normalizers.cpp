#include "attend/text/huggingface/text_normalizers.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <memory>

#include "attend/core/json/json_object.h"
#include "attend/core/strings/base64.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/text/huggingface/foreign_classes.h"
#include "attend/text/huggingface/patterns/text_pattern.h"
#include "attend/text/normalization/character_classes.h"
#include "attend/text/normalization/normalization.h"
#include "attend/text/normalization/source_map.h"
#include "attend/text/sentencepiece/character_map.h"

namespace attend::detail {
namespace {

bool is_ascii_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Appends characters in place of those in [begin, end), each with the place of one of these:
// place(index, new characters, old characters).
template <class Place>
void append_in_place(const AlignedText& text, std::size_t begin, std::size_t end,
                     std::string_view changed, AlignedText& result, const Place& place) {
  std::vector<AlignedText::Source> sources;
  for (std::size_t at = begin; at < end;) {
    sources.push_back(text.source(at));
    next_code_point(text.bytes(), at);
  }
  const std::size_t count = count_code_points(changed);
  std::size_t index = 0;
  for (std::size_t at = 0; at < changed.size(); ++index) {
    const std::size_t first = at;
    next_code_point(changed, at);
    result.append(changed.substr(first, at - first), sources[place(index, count, sources.size())]);
  }
}

// In the original, what the first character becomes has its place, and what is composed with it
// has none.
std::size_t place_in_form(std::size_t index, std::size_t count, std::size_t old_count) {
  if (count > old_count) return index < count - old_count ? 0 : index - (count - old_count);
  return index == 0 ? 0 : index + (old_count - count);
}

std::size_t place_in_map(std::size_t index, std::size_t, std::size_t old_count) {
  return std::min(index, old_count - 1);
}

// Appends a cluster that a form decomposes: marks come in another order, and what comes out of a
// character after the first one has the place of what stands before it. False: it is more than
// that.
bool append_decomposed(const AlignedText& text, std::size_t begin, std::size_t end,
                       std::string_view changed, const TextNormalization& form,
                       AlignedText& result) {
  struct Piece {
    std::string text;
    bool is_new;
    int order;
  };
  std::vector<Piece> pieces;
  std::vector<AlignedText::Source> sources;
  for (std::size_t at = begin, first = at; at < end; first = at) {
    next_code_point(text.bytes(), at);
    sources.push_back(text.source(first));
    const std::string parts = normalized(text.bytes(first, at), form);
    for (std::size_t i = 0, from = 0; i < parts.size(); from = i) {
      const char32_t c = next_code_point(parts, i);
      const auto* const property = utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
      pieces.push_back({parts.substr(from, i - from), from > 0, property->combining_class});
    }
  }
  for (auto mark = pieces.begin(); mark != pieces.end();) {
    const auto next =
        std::find_if(mark, pieces.end(), [](const Piece& piece) { return piece.order == 0; });
    std::stable_sort(mark, next, [](const Piece& a, const Piece& b) { return a.order < b.order; });
    mark = next == pieces.end() ? next : next + 1;
  }
  std::string joined;
  for (const Piece& piece : pieces) joined += piece.text;
  if (joined != changed) return false;
  std::size_t done = 0;
  for (const Piece& piece : pieces) {
    if (!piece.is_new && done < sources.size()) ++done;
    result.append(piece.text, sources[done > 0 ? done - 1 : 0]);
  }
  return true;
}

// A form changes characters with their marks; where it joins more than these, the source of all is
// the whole text.
void apply_form_to_all(AlignedText& text, UnicodeForm form) {
  const TextNormalization normalization{.form = form};
  const std::string whole = normalized(text.bytes(), normalization);
  AlignedText result;
  result.reserve(whole.size());
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    next_code_point(text.bytes(), end);
    for (std::size_t next = end; next < text.size(); end = next)
      if (!continues_character(next_code_point(text.bytes(), next))) break;
    const std::string changed = normalized(text.bytes(begin, end), normalization);
    if (changed == text.bytes(begin, end)) {
      result.append(text, begin, end);
    } else {
      const bool decomposes = form == UnicodeForm::nfd || form == UnicodeForm::nfkd;
      if (!decomposes || !append_decomposed(text, begin, end, changed, normalization, result))
        append_in_place(text, begin, end, changed, result, place_in_form);
    }
  }
  if (result.bytes() != whole) {
    const AlignedText::Source all = text.source(0, text.size());
    result = {};
    result.append(whole, all);
  }
  text = std::move(result);
}

// Characters that the original does not decompose stay, and keep those beside them apart.
void apply_form(AlignedText& text, UnicodeForm form) {
  if (is_ascii_text(text.bytes())) return;
  AlignedText result, run;
  const auto finish_run = [&] {
    if (!run.empty()) apply_form_to_all(run, form);
    result.append(run, 0, run.size());
    run = {};
  };
  change_characters(text, [&](char32_t c, AlignedText::Source source, AlignedText&) {
    if (is_never_decomposed(c)) finish_run();
    is_never_decomposed(c) ? result.append(c, source) : run.append(c, source);
  });
  finish_run();
  text = std::move(result);
}

void remove_characters(AlignedText& text, bool (*is_removed)(char32_t)) {
  change_characters(text, [&](char32_t c, AlignedText::Source source, AlignedText& result) {
    if (!is_removed(c)) result.append(c, source);
  });
}

void lowercase(AlignedText& text) {
  std::string lower;
  change_characters(text, [&](char32_t c, AlignedText::Source source, AlignedText& result) {
    lower.clear();
    append_foreign_lowercase(lower, c);
    result.append(lower, source);
  });
}

NormalizerStep read_bert(JsonObject& part) {
  const bool clean = part.flag("clean_text", true),
             chinese = part.flag("handle_chinese_chars", true),
             lower = part.flag("lowercase", true), strip = part.flag("strip_accents", lower);
  return [=](AlignedText& text) {
    change_characters(text, [=](char32_t c, AlignedText::Source source, AlignedText& result) {
      if (clean && is_removed_by_foreign_bert(c)) return;
      if (clean && has_white_space_property(c)) c = U' ';
      const bool apart = chinese && is_ideograph(c);
      if (apart) result.append(" ", source);
      result.append(c, source);
      if (apart) result.append(" ", source);
    });
    if (strip) {
      apply_form(text, UnicodeForm::nfd);
      remove_characters(text, is_foreign_nonspacing_mark);
    }
    if (lower) lowercase(text);
  };
}

// A map of SentencePiece as the tokenizers library applies it: first to clusters of few bytes, of
// which the shortest entry replaces the whole, then to characters.
class MapOfCharacters {
 public:
  explicit MapOfCharacters(std::string bytes)
      : bytes_(std::make_shared<const std::string>(std::move(bytes))), map_(*bytes_) {}

  void operator()(AlignedText& text) const {
    Mapped result;
    result.text.reserve(text.size());
    std::size_t begin = 0, end = 0;
    for (; begin < text.size() && result.text.empty(); begin = end) {
      end = end_of_cluster(text.bytes(), begin);
      append_cluster(text, begin, end, result);
      if (begin == 0 || result.text.empty()) continue;
      text = moved_to_beginning(text, begin);
      result = {};
      begin = end = 0;
      append_cluster(text, 0, end = end_of_cluster(text.bytes(), 0), result);
    }
    for (; begin < text.size(); begin = end) {
      end = end_of_cluster(text.bytes(), begin);
      append_cluster(text, begin, end, result);
    }
    text = std::move(result.text);
  }

 private:
  static constexpr std::size_t kLongestCluster = 5;  // bytes

  struct Mapped {
    AlignedText text = {};
    // Whether the last replacement has more characters than what it replaces: in the original, the
    // last of them takes the place of a character that is removed next.
    bool has_gained = false;
  };

  // The rest of a text, with the places of as many characters at its beginning: the original does
  // not count characters that it removes there.
  static AlignedText moved_to_beginning(const AlignedText& text, std::size_t begin) {
    AlignedText moved;
    for (std::size_t at = begin, place = 0; at < text.size();) {
      const std::size_t first = at;
      next_code_point(text.bytes(), at);
      moved.append(text.bytes(first, at), text.source(place));
      next_code_point(text.bytes(), place);
    }
    return moved;
  }

  static std::size_t end_of_cluster(std::string_view text, std::size_t begin) {
    std::size_t end = begin;
    char32_t before = next_code_point(text, end);
    utf8proc_int32_t state = 0;
    for (std::size_t next = end; next < text.size(); end = next) {
      const char32_t c = next_code_point(text, next);
      if (before < 0x80 && c < 0x80 && before != '\r') break;
      if (utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(before),
                                           static_cast<utf8proc_int32_t>(c), &state))
        break;
      before = c;
    }
    return end;
  }

  void append_cluster(const AlignedText& text, std::size_t begin, std::size_t end,
                      Mapped& result) const {
    if (end - begin <= kLongestCluster) {
      if (const auto found = map_.shortest(text.bytes(begin, end))) {
        append_mapped(text, begin, end, *found, result);
        return;
      }
    }
    for (std::size_t at = begin; at < end;) {
      const std::size_t first = at;
      next_code_point(text.bytes(), at);
      const auto found = map_.shortest(text.bytes(first, at));
      append_mapped(text, first, at, found ? *found : text.bytes(first, at), result);
    }
  }

  static void append_mapped(const AlignedText& text, std::size_t begin, std::size_t end,
                            std::string_view changed, Mapped& result) {
    if (changed.empty() && result.has_gained) result.text.move_last_character(text.source(begin));
    append_in_place(text, begin, end, changed, result.text, place_in_map);
    result.has_gained = count_code_points(changed) > count_code_points(text.bytes(begin, end));
  }

  std::shared_ptr<const std::string> bytes_;
  CharacterMap map_;  // refers to them
};

NormalizerStep read_map(JsonObject& part) {
  std::string bytes = from_base64(part.text("precompiled_charsmap"));
  if (bytes.empty()) return [](AlignedText&) {};
  return MapOfCharacters(std::move(bytes));
}

NormalizerStep read_replace(JsonObject& part) {
  TextPattern pattern = read_pattern(part, "pattern");
  return [pattern = std::move(pattern), content = part.text("content")](AlignedText& text) {
    const std::vector<TokenSpan> found = pattern(text.bytes());
    if (found.empty()) return;
    AlignedText result;
    std::size_t done = 0;
    for (const auto [begin, end] : found) {
      result.append(text, done, begin);
      if (begin == text.size()) {  // an empty match
        result.append(content, {text.source(begin - 1).end, text.source(begin - 1).end});
        done = begin;
        break;
      }
      result.append(content, text.source(std::max(begin + 1, end) - 1));  // as in the original
      done = end;
    }
    result.append(text, done, text.size());
    text = std::move(result);
  };
}

NormalizerStep read_prepend(JsonObject& part) {
  return [before = part.text("prepend")](AlignedText& text) {
    if (!text.empty()) prepend(text, before);
  };
}

NormalizerStep read_strip(JsonObject& part) {
  const bool left = part.flag("strip_left", true), right = part.flag("strip_right", true);
  return [=](AlignedText& text) {
    std::size_t first = text.size(), last = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = at;
      if (has_white_space_property(next_code_point(text.bytes(), at))) continue;
      first = std::min(first, begin);
      last = at;
    }
    const std::size_t begin = left ? first : 0;
    AlignedText kept;
    kept.append(text, begin, std::max(begin, right ? last : text.size()));
    text = std::move(kept);
  };
}

NormalizerStep read_normalizer(JsonObject& part, const std::string& type) {
  for (const auto& [name, form] :
       {std::pair{"NFC", UnicodeForm::nfc}, std::pair{"NFD", UnicodeForm::nfd},
        std::pair{"NFKC", UnicodeForm::nfkc}, std::pair{"NFKD", UnicodeForm::nfkd}})
    if (type == name) return [form = form](AlignedText& text) { apply_form(text, form); };
  if (type == "Lowercase") return lowercase;
  if (type == "StripAccents")
    return [](AlignedText& text) { remove_characters(text, is_foreign_mark); };
  if (type == "BertNormalizer") return read_bert(part);
  if (type == "Precompiled") return read_map(part);
  if (type == "Replace") return read_replace(part);
  if (type == "Prepend") return read_prepend(part);
  if (type == "Strip") return read_strip(part);
  throw DataError(fmt::format("{}: {} is not supported here", part.where(), quote(type)));
}

}  // namespace

std::vector<NormalizerStep> read_normalizers(const nlohmann::json& list, const std::string& where) {
  std::vector<NormalizerStep> steps;
  for (const nlohmann::json& json : list) {
    JsonObject part(json, where);
    const std::string type = part.text("type");
    steps.push_back(read_normalizer(part, type));
    part.finish();
  }
  return steps;
}

}  // namespace attend::detail
