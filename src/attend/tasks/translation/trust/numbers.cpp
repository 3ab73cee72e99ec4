#include "attend/tasks/translation/trust/numbers.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "attend/core/strings/unicode.h"

namespace attend {

namespace {

// The zeros of all scripts but ours; nine digits follow each.
constexpr std::array<char32_t, 35> kZeros{
    0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66,
    0x0de6, 0x0e50, 0x0ed0, 0x0f20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90,
    0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xaa50, 0xabf0, 0xff10};

// The value of a digit of any script; -1: it is none.
int digit_of(char32_t c) {
  if (c < 0x0660) return c >= U'0' && c <= U'9' ? static_cast<int>(c - U'0') : -1;
  for (const char32_t zero : kZeros)
    if (c >= zero && c < zero + 10) return static_cast<int>(c - zero);
  return -1;
}

// How words begin that say thousand, million, billion and so on.
constexpr std::array<std::u32string_view, 44> kScales{
    U"thousand", U"million", U"billion", U"trillion", U"tausend", U"tsd",    U"mio",   U"mrd",
    U"milli",    U"bn",      U"tn",      U"mil",      U"mld",     U"bill",   U"trill", U"tusen",
    U"tysi",     U"tis",     U"duiz",    U"tūkst",    U"bin",     U"тыс",    U"тис",   U"хил",
    U"млн",      U"милл",    U"млрд",    U"мил",      U"мільй",   U"мільяр", U"трил",  U"χιλ",
    U"εκατ",     U"δισ",     U"lakh",    U"crore",    U"ألف",     U"مليون",  U"مليار", U"हज़ार",
    U"लाख",      U"करोड़",    U"ribu",    U"juta"};
constexpr std::u32string_view kScaleSigns = U"十百千万萬億亿兆만억천";
// Numbers in words of Chinese and Japanese, which may be of any size.
constexpr std::u32string_view kHanNumerals = U"〇零一二三四五六七八九十百千万萬億亿兆两兩壱弐参";

// A number of several of them.
bool has_han_number(std::string_view text) {
  bool is_number = false;
  for (const char32_t c : unicode::decode(text)) {
    const bool was_number = is_number;
    is_number = kHanNumerals.find(c) != kHanNumerals.npos;
    if (is_number && was_number) return true;
  }
  return false;
}

bool is_number_space(char32_t c) { return c == U' ' || c == 0x00a0 || c == 0x2009 || c == 0x202f; }
bool is_point(char32_t c) { return c == U'.' || c == U',' || c == 0x066b || c == 0x066c; }
bool is_apostrophe(char32_t c) { return c == U'\'' || c == U'\u2019'; }

// Reads numbers from a text.
class NumberReader {
 public:
  explicit NumberReader(std::string_view text) : text_(unicode::decode(text)) {}

  std::vector<TextNumber> all() {
    while (at_ < text_.size()) {
      if (digit_of(text_[at_]) < 0)
        ++at_;
      else
        read_number();
    }
    return std::move(numbers_);
  }

 private:
  // A run of digits, in ASCII.
  struct Group {
    std::string digits;
    char32_t separator = 0;  // before it; 0: it is the first
    std::size_t begin = 0, end = 0;
  };

  bool is_digit_at(std::size_t i) const { return i < text_.size() && digit_of(text_[i]) >= 0; }
  // Exactly three digits.
  bool has_three_digits_at(std::size_t i) const {
    return is_digit_at(i) && is_digit_at(i + 1) && is_digit_at(i + 2) && !is_digit_at(i + 3);
  }

  Group read_group() {
    Group group{{}, 0, at_, at_};
    for (; is_digit_at(at_); ++at_) group.digits += static_cast<char>('0' + digit_of(text_[at_]));
    group.end = at_;
    return group;
  }

  // Whether the character here joins the digits before and after it.
  bool joins(const std::vector<Group>& groups) const {
    if (at_ + 1 >= text_.size()) return false;
    const char32_t c = text_[at_];
    if (is_point(c)) return is_digit_at(at_ + 1);
    if (!is_number_space(c) && !is_apostrophe(c)) return false;
    const bool is_same =
        groups.size() == 1 ? groups.front().digits.size() <= 3 : groups.back().separator == c;
    return is_same && has_three_digits_at(at_ + 1);
  }

  void read_number() {
    std::vector<Group> groups{read_group()};
    while (joins(groups)) {
      const char32_t separator = text_[at_++];
      groups.push_back(read_group());
      groups.back().separator = separator;
    }
    add(groups);
  }

  std::string source_of(const Group& first, const Group& last) const {
    return unicode::encode(std::u32string_view(text_).substr(first.begin, last.end - first.begin));
  }

  void add(const std::vector<Group>& groups) {
    std::vector<std::string> values = values_of(groups);
    if (values.empty()) {  // a date, a version, a list
      for (const Group& group : groups)
        numbers_.push_back({source_of(group, group), {decimal(group.digits, "")}});
    } else {
      TextNumber number{source_of(groups.front(), groups.back()), std::move(values)};
      if (groups.size() == 1 && is_fraction_alone(groups.front()))
        number.values.push_back(decimal("", groups.front().digits));
      if (groups.size() == 2 || (groups.size() > 1 && is_number_space(groups[1].separator)))
        for (const Group& group : groups) number.parts.push_back(decimal(group.digits, ""));
      numbers_.push_back(std::move(number));
    }
    mark(groups);
  }

  // .08
  bool is_fraction_alone(const Group& group) const {
    return group.begin > 0 && text_[group.begin - 1] == U'.' &&
           (group.begin == 1 || is_number_space(text_[group.begin - 2]));
  }

  static std::string decimal(std::string whole, std::string fraction) {
    whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size()));
    fraction.erase(fraction.find_last_not_of('0') + 1);
    if (whole.empty()) whole = "0";
    return fraction.empty() ? whole : whole + "." + fraction;
  }

  // Whether the groups up to `count` are thousands: 12,345,678, in India 1,23,45,678.
  static bool are_thousands(const std::vector<Group>& groups, std::size_t count) {
    if (groups.front().digits.size() > 3 || groups.front().digits.front() == '0') return false;
    for (std::size_t i = 1; i < count; ++i) {
      const std::size_t size = groups[i].digits.size();
      const bool is_last = i + 1 == count;
      if (size != 3 && (is_last || size != 2 || groups[i].separator != U',')) return false;
      if (groups[i].separator != groups[1].separator) return false;
    }
    return true;
  }

  static std::string whole_of(const std::vector<Group>& groups, std::size_t count) {
    std::string digits;
    for (std::size_t i = 0; i < count; ++i) digits += groups[i].digits;
    return decimal(digits, "");
  }

  // What the groups together may mean; empty: they are several numbers.
  static std::vector<std::string> values_of(const std::vector<Group>& groups) {
    const std::size_t count = groups.size();
    std::vector<std::string> values;
    if (count == 1) return {decimal(groups.front().digits, "")};
    if (are_thousands(groups, count)) values.push_back(whole_of(groups, count));
    const char32_t last = groups.back().separator;
    if (!is_point(last)) return values;
    const bool is_fraction =
        count == 2 || (groups[count - 2].separator != last && are_thousands(groups, count - 1));
    if (!is_fraction) return values;
    std::string whole;
    for (std::size_t i = 0; i + 1 < count; ++i) whole += groups[i].digits;
    values.push_back(decimal(whole, groups.back().digits));
    return values;
  }

  // Notes what stands around the number that was read last.
  void mark(const std::vector<Group>& groups) {
    const std::size_t begin = groups.front().begin, end = groups.back().end;
    TextNumber& last = numbers_.back();
    const bool ends_clock = begin > 1 && text_[begin - 1] == U':' && is_digit_at(begin - 2);
    const bool begins_clock = end < text_.size() && text_[end] == U':' && is_digit_at(end + 1);
    last.is_of_clock = groups.size() == 1 && (ends_clock || begins_clock);
    last.is_scaled = is_scale_at(end);
  }

  bool is_scale_at(std::size_t at) const {
    if (at < text_.size() && kScaleSigns.find(text_[at]) != kScaleSigns.npos) return true;
    while (at < text_.size() && (is_number_space(text_[at]) || text_[at] == U'-')) ++at;
    constexpr std::size_t kLongest = 8;
    const std::u32string word = unicode::decode(unicode::lowercase(
        unicode::encode(std::u32string_view(text_).substr(std::min(at, text_.size()), kLongest))));
    return std::any_of(kScales.begin(), kScales.end(),
                       [&](std::u32string_view scale) { return word.starts_with(scale); });
  }

  std::u32string text_;
  std::size_t at_ = 0;
  std::vector<TextNumber> numbers_;
};

// The digits without zeros on either side: equal for 1.5 million and 1500000.
std::string significant(const std::string& value) {
  std::string digits;
  for (const char c : value)
    if (c != '.') digits += c;
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  digits.erase(digits.find_last_not_of('0') + 1);
  return digits;
}

bool are_equal(const TextNumber& a, const TextNumber& b) {
  for (const std::string& value : a.values)
    for (const std::string& other : b.values) {
      if (value == other) return true;
      if ((a.is_scaled || b.is_scaled) && significant(value) == significant(other)) return true;
    }
  return false;
}

// A number below 10000 before its point, and what follows that.
struct SmallNumber {
  int whole = -1;  // -1: it is larger
  std::string fraction;
};

SmallNumber small_number(const TextNumber& number) {
  const std::string& value = number.values.front();
  const std::size_t point = std::min(value.find('.'), value.size());
  return {point <= 4 ? std::atoi(value.c_str()) : -1, value.substr(point)};
}

// 1990 and 90; 3 (pm) and 15, 3.30 and 15.30.
bool may_be_equal(const TextNumber& a, const TextNumber& b) {
  const SmallNumber one = small_number(a), other = small_number(b);
  const int low = std::min(one.whole, other.whole), high = std::max(one.whole, other.whole);
  if (low < 0 || one.fraction != other.fraction) return false;
  if (high <= 24) return high - low == 12;
  return one.fraction.empty() && high >= 1000 && high < 2100 && high % 100 == low;
}

template <class Equal>
std::vector<TextNumber> without_counterpart(const std::vector<TextNumber>& numbers,
                                            const std::vector<TextNumber>& others,
                                            const Equal& equal) {
  std::vector<TextNumber> left;
  for (const TextNumber& number : numbers)
    if (std::none_of(others.begin(), others.end(),
                     [&](const TextNumber& other) { return equal(number, other); }))
      left.push_back(number);
  return left;
}

// Numbers that were read as one but have no counterpart count as their parts.
std::vector<TextNumber> taken_apart(const std::vector<TextNumber>& numbers,
                                    const std::vector<TextNumber>& others) {
  std::vector<TextNumber> all;
  for (const TextNumber& number : numbers) {
    const bool is_found = std::any_of(others.begin(), others.end(), [&](const TextNumber& other) {
      return are_equal(number, other);
    });
    if (number.parts.empty() || is_found) {
      all.push_back(number);
      continue;
    }
    for (const std::string& part : number.parts) all.push_back({number.text, {part}});
  }
  return all;
}

// Without counterparts, other numbers may stand in words: they are small or round.
bool may_be_words(const TextNumber& number) {
  constexpr std::size_t kDigits = 2;
  return std::any_of(number.values.begin(), number.values.end(),
                     [](const std::string& value) { return significant(value).size() <= kDigits; });
}

std::vector<std::string> texts_of_numbers(const std::vector<TextNumber>& numbers) {
  std::vector<std::string> texts;
  for (const TextNumber& number : numbers)
    if (std::find(texts.begin(), texts.end(), number.text) == texts.end())
      texts.push_back(number.text);
  return texts;
}

}  // namespace

std::vector<TextNumber> numbers_of(std::string_view text) { return NumberReader(text).all(); }

NumberDifference number_difference(std::string_view source, std::string_view translation) {
  const std::vector<TextNumber> in_source = numbers_of(source),
                                in_translation = numbers_of(translation);
  const std::vector<TextNumber> src = taken_apart(in_source, in_translation),
                                tgt = taken_apart(in_translation, in_source);
  std::vector<TextNumber> missing = without_counterpart(src, tgt, are_equal),
                          added = without_counterpart(tgt, src, are_equal);
  const std::vector<TextNumber> first = missing;
  missing = without_counterpart(missing, added, may_be_equal);
  added = without_counterpart(added, first, may_be_equal);
  const auto is_of_clock = [](const TextNumber& number) { return number.is_of_clock; };
  const bool both_have_clocks = std::any_of(src.begin(), src.end(), is_of_clock) &&
                                std::any_of(tgt.begin(), tgt.end(), is_of_clock);
  if (!both_have_clocks) {  // half past two, halb 3
    std::erase_if(missing, is_of_clock);
    std::erase_if(added, is_of_clock);
  }
  if (missing.empty() || added.empty()) {
    std::erase_if(missing, may_be_words);
    std::erase_if(added, may_be_words);
    if (has_han_number(translation)) missing.clear();
    if (has_han_number(source)) added.clear();
  }
  return {texts_of_numbers(missing), texts_of_numbers(added)};
}

}  // namespace attend
