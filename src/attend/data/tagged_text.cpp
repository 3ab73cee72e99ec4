#include "attend/data/tagged_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "attend/core/files/lines.h"
#include "attend/core/strings/counted.h"
#include "attend/core/strings/quote.h"
#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/text/tokenizer.h"

namespace attend {
namespace {

struct TaggedWords {
  std::vector<std::string> words, tags;
};

std::vector<std::string> words_in(std::string_view text) {
  const std::vector<std::string_view> views = unicode::split(text);
  return {views.begin(), views.end()};
}

bool is_table(std::string_view file, TableFormat format) {
  if (format != TableFormat::by_name) return true;
  file = unpacked_name(file);
  return file.ends_with(".csv") || file.ends_with(".jsonl") || file.ends_with(".ndjson");
}

// Calls accept(words, where) for every text of a CoNLL file, and check(tag, where) for every tag.
template <class Accept, class Check>
void read_conll(const std::string& file, const Accept& accept, const Check& check) {
  LineReader lines(file);
  TaggedWords text;
  const auto end = [&] {
    if (!text.words.empty()) accept(std::exchange(text, {}));
  };
  for (std::string line; lines.next(line);) {
    std::vector<std::string> columns = words_in(line);
    if (columns.empty()) {
      end();
      continue;
    }
    if (columns.front() == "-DOCSTART-") continue;
    if (columns.size() < 2)
      throw DataError(
          fmt::format("{}: expected a word and its tag, found {}", lines.where(), quote(line, 60)));
    check(columns.back(), lines.where());
    text.words.push_back(std::move(columns.front()));
    text.tags.push_back(std::move(columns.back()));
  }
  end();
}

template <class Accept, class Check>
void read_table(const std::string& file, const LabeledOptions& options, const Accept& accept,
                const Check& check) {
  TableReader table(file, options.table, options.header,
                    {{"label-column", options.label_column, "label", 1, " "},
                     {"text-column", options.text_column, "text", 2, " "}});
  for (std::vector<std::string> cells; table.next(cells);) {
    TaggedWords text{words_in(cells[1]), words_in(cells[0])};
    if (text.words.empty()) throw DataError(fmt::format("{}: the text is empty", table.where()));
    if (text.words.size() != text.tags.size())
      throw DataError(fmt::format("{}: expected as many tags as words, found {} and {}",
                                  table.where(), counted(std::ssize(text.words), "word"),
                                  counted(std::ssize(text.tags), "tag")));
    for (const std::string& tag : text.tags) check(tag, table.where());
    accept(std::move(text));
  }
}

std::map<std::string, std::int32_t, std::less<>> places_of(std::span<const std::string> tags) {
  std::map<std::string, std::int32_t, std::less<>> places;
  for (const std::string& tag : tags) places.emplace(tag, static_cast<std::int32_t>(places.size()));
  return places;
}

}  // namespace

TaggedText read_tagged(std::span<const std::string> files, const LabeledOptions& options,
                       std::span<const std::string> known) {
  if (files.empty()) throw ConfigError("found no file of tagged texts, expected at least one");
  TaggedText result;
  std::vector<std::vector<std::string>> tags;
  std::map<std::string, std::int32_t, std::less<>> places = places_of(known);
  const auto accept = [&](TaggedWords text) {
    result.words.push_back(std::move(text.words));
    tags.push_back(std::move(text.tags));
  };
  const auto check = [&](const std::string& tag, const std::string& where) {
    if (known.empty()) {
      places.emplace(tag, 0);
    } else if (!places.contains(tag)) {
      throw DataError(fmt::format("{}: unknown tag {}, expected one of: {}", where, quote(tag, 60),
                                  printable(fmt::format("{}", fmt::join(known, ", ")), 200)));
    }
  };
  for (const std::string& file : files) {
    if (is_table(file, options.table)) {
      read_table(file, options, accept, check);
    } else {
      read_conll(file, accept, check);
    }
  }
  if (result.words.empty())
    throw DataError(fmt::format("{}: expected tagged texts, found none", files.front()));
  if (known.empty()) {
    for (auto& [tag, place] : places) {
      place = static_cast<std::int32_t>(result.tags.size());
      result.tags.push_back(tag);
    }
  } else {
    result.tags.assign(known.begin(), known.end());
  }
  if (result.tags.size() < 2)
    throw DataError(fmt::format("{}: all words have the tag {}, expected at least two tags",
                                files.front(), quote(result.tags.front(), 60)));
  for (const std::vector<std::string>& of_text : tags) {
    result.labels.emplace_back();
    for (const std::string& tag : of_text) result.labels.back().push_back(places.find(tag)->second);
  }
  return result;
}

bool are_entity_tags(std::span<const std::string> tags) {
  return std::all_of(tags.begin(), tags.end(), [](std::string_view tag) {
    return tag == "O" ||
           (tag.size() > 2 && tag[1] == '-' && std::string_view("BIES").find(tag[0]) != tag.npos);
  });
}

namespace {

constexpr std::u32string_view kOpening = U"([{<\"\u00AB\u201C\u201E\u2018\u201A\u2039\u00BF\u00A1";
constexpr std::u32string_view kClosing = U")]}>\"\u00BB\u201D\u201C\u203A,;:!?\u2026";
constexpr std::u32string_view kWide =
    U"\u3001\u3002\uFF0C\uFF01\uFF1F\uFF1A\uFF1B\u300C\u300D\u300E\u300F";

bool is_one_of(char32_t c, std::u32string_view characters) {
  return characters.find(c) != characters.npos;
}

char32_t code_point_of(std::string_view character) {
  std::size_t at = 0;
  return next_code_point(character, at);
}

// A full stop after a word with another one, or after a single letter, belongs to it.
bool ends_abbreviation(std::span<const std::string_view> characters) {
  const auto letters = characters.first(characters.size() - 1);
  return letters.size() < 2 || std::find(letters.begin(), letters.end(), ".") != letters.end();
}

bool is_mark(std::string_view word) {
  if (count_code_points(word) != 1) return false;
  const char32_t c = code_point_of(word);
  return c == U'.' || is_one_of(c, kOpening) || is_one_of(c, kClosing) || is_one_of(c, kWide);
}

// Cuts punctuation off both ends of a word; a full stop only if the word ends a text.
void add_words_of(std::string_view word, bool ends_text, std::vector<std::string_view>& words) {
  const std::vector<std::string_view> all = characters_of(word);
  std::span<const std::string_view> rest(all);
  while (rest.size() > 1 && (is_one_of(code_point_of(rest.front()), kOpening) ||
                             is_one_of(code_point_of(rest.front()), kWide))) {
    words.push_back(rest.front());
    rest = rest.subspan(1);
  }
  std::vector<std::string_view> after;
  while (rest.size() > 1) {
    const char32_t last = code_point_of(rest.back());
    const bool is_stop = last == U'.' && (ends_text || !after.empty()) && !ends_abbreviation(rest);
    if (!is_stop && !is_one_of(last, kClosing) && !is_one_of(last, kWide)) break;
    after.push_back(rest.back());
    rest = rest.first(rest.size() - 1);
  }
  const char* const end = rest.back().data() + rest.back().size();
  words.emplace_back(rest.front().data(), static_cast<std::size_t>(end - rest.front().data()));
  words.insert(words.end(), after.rbegin(), after.rend());
}

}  // namespace

std::vector<std::string_view> words_of_text(std::string_view text, bool punctuation_apart) {
  const std::vector<std::string_view> found = unicode::split(text);
  if (!punctuation_apart) return found;
  const bool has_marks = std::any_of(found.begin(), found.end(), is_mark);  // its stop, too
  std::vector<std::string_view> words;
  for (const std::string_view& word : found)
    add_words_of(word, !has_marks && &word == &found.back(), words);
  return words;
}

bool has_punctuation_apart(const TaggedText& text) {
  constexpr std::int64_t kApartForEachCut = 20;
  std::int64_t cut = 0, apart = 0;
  for (const std::vector<std::string>& words : text.words) {
    for (const std::string& word : words) {
      std::vector<std::string_view> pieces;
      add_words_of(word, &word == &words.back(), pieces);
      cut += pieces.size() > 1 ? 1 : 0;
      apart += is_mark(word) ? 1 : 0;
    }
  }
  return cut * kApartForEachCut <= apart;
}

std::vector<TaggedPart> tagged_parts(std::span<const std::string> words, const Tokenizer& tokenizer,
                                     const SpecialTokens& special, const TaggedLength& length) {
  // A word of byte-level BPE begins with its space.
  const std::string before = type_of(tokenizer) == TokenizerType::byte_bpe ? " " : "";
  const std::size_t begins = special.bos >= 0 ? 1 : 0;
  const std::size_t most = static_cast<std::size_t>(length.max_length) - 1;
  std::vector<TaggedPart> parts;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::vector<std::int32_t> ids = tokenizer.encode(before + words[i]);
    if (ids.empty()) ids.push_back(tokenizer.unk_id());
    ids.resize(std::min(ids.size(), most - begins));
    if (parts.empty() || parts.back().ids.size() + ids.size() > most) {
      parts.push_back({{}, {}, i});
      if (begins > 0) parts.back().ids.push_back(special.bos);
    }
    TaggedPart& part = parts.back();
    part.rows.push_back(static_cast<std::int32_t>(part.ids.size()));
    part.ids.insert(part.ids.end(), ids.begin(), ids.end());
  }
  for (TaggedPart& part : parts) part.ids.push_back(special.eos);
  return parts;
}

std::string TaggedReport::summary() const {
  return fmt::format("{} with {}{}", counted(texts, "text"), counted(words, "word"),
                     cut > 0 ? fmt::format("; {} cut", cut) : "");
}

std::vector<TaggedPart> encode_tagged(const TaggedText& text, const Tokenizer& tokenizer,
                                      const SpecialTokens& special, const TaggedLength& length,
                                      std::vector<std::vector<std::int32_t>>& labels,
                                      TaggedReport& report) {
  std::vector<TaggedPart> all;
  for (std::size_t i = 0; i < text.words.size(); ++i) {
    std::vector<TaggedPart> parts = tagged_parts(text.words[i], tokenizer, special, length);
    ++report.texts;
    report.words += std::ssize(text.words[i]);
    if (parts.size() > 1) ++report.cut;
    for (TaggedPart& part : parts) {
      const auto begin = text.labels[i].begin() + static_cast<std::ptrdiff_t>(part.first);
      labels.emplace_back(begin, begin + std::ssize(part.rows));
      all.push_back(std::move(part));
    }
  }
  return all;
}

namespace {

std::vector<std::int32_t> tokens_of(const std::vector<TaggedPart>& parts) {
  std::vector<std::int32_t> lengths;
  for (const TaggedPart& part : parts)
    lengths.push_back(static_cast<std::int32_t>(part.ids.size()));
  return lengths;
}

}  // namespace

TaggedBatcher::TaggedBatcher(std::vector<TaggedPart> parts,
                             std::vector<std::vector<std::int32_t>> labels,
                             const BatchOptions& options, std::optional<std::uint64_t> seed)
    : parts_(std::move(parts)),
      labels_(std::move(labels)),
      planner_(tokens_of(parts_), options, seed) {}

TaggedBatch TaggedBatcher::batch(std::int64_t epoch, std::int64_t index) const {
  const auto plan = planner_.plan(epoch);
  RaggedBuilder text;
  std::vector<std::int32_t> rows, labels;
  for (const std::int32_t i : (*plan)[index]) {
    const auto place = static_cast<std::size_t>(i);
    const auto before = static_cast<std::int32_t>(text.tokens());
    for (const std::int32_t row : parts_[place].rows) rows.push_back(before + row);
    labels.insert(labels.end(), labels_[place].begin(), labels_[place].end());
    text.add(parts_[place].ids);
  }
  return {text.build(), std::move(rows), std::move(labels)};
}

TaggedBatcher::Size TaggedBatcher::size(std::int64_t epoch, std::int64_t index) const {
  const auto plan = planner_.plan(epoch);
  Size size;
  for (const std::int32_t i : (*plan)[index]) {
    const TaggedPart& part = parts_[static_cast<std::size_t>(i)];
    size.words += std::ssize(part.rows);
    size.tokens += std::ssize(part.ids);
  }
  return size;
}

}  // namespace attend
