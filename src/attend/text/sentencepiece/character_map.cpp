#include "attend/text/sentencepiece/character_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "attend/core/strings/utf8.h"
#include "attend/error.h"

namespace attend::detail {
namespace {

constexpr std::size_t kUnitBytes = 4;
constexpr std::uint32_t kLabels = 256;
// The limit of SentencePiece for strings on one walk; its own maps stay below.
constexpr int kMostStringsOfAWalk = 32;
// Limits of walks and strings, in bytes. Unicode normalizations need at most 18 and 33; longer ones
// would only cost time and memory.
constexpr int kLongestWalk = 255;
constexpr std::size_t kLongestString = 255;

std::uint32_t read_unit(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = kUnitBytes; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::uint32_t base_of(std::uint32_t index, std::uint32_t unit) {
  return index ^ ((unit >> 10) << ((unit & 0x200) >> 6));
}
bool has_value(std::uint32_t unit) { return (unit & 0x100) != 0; }
std::uint32_t value_of(std::uint32_t unit) { return unit & 0x7FFFFFFF; }
// More than 255 for a unit that holds a value.
std::uint32_t label_of(std::uint32_t unit) { return unit & 0x800000FF; }

[[noreturn]] void refuse_map(std::string_view why) {
  throw DataError(fmt::format("its character map is damaged: {}", why));
}

}  // namespace

std::uint32_t CharacterMap::unit(std::uint32_t index) const {
  return read_unit(trie_.substr(index * kUnitBytes, kUnitBytes));
}

std::string_view CharacterMap::string_at(std::uint32_t position) const {
  const std::string_view from = strings_.substr(position);
  return from.substr(0, from.find('\0'));
}

// Visits every reachable unit once. Units with the same base share their children, so bases are
// marked as visited.
class CharacterMapCheck {
 public:
  explicit CharacterMapCheck(const CharacterMap& map)
      : map_(map),
        count_(static_cast<std::uint32_t>(map.trie_.size() / kUnitBytes)),
        first_(count_, kNone),
        next_(count_, kNone),
        seen_(count_) {
    for (std::uint32_t i = count_; i-- > 0;) {
      const std::uint32_t label = label_of(map_.unit(i));
      if (label >= kLabels || (i ^ label) >= count_) continue;
      next_[i] = first_[i ^ label];
      first_[i ^ label] = i;
    }
  }

  void run() {
    enter(base_of(0, map_.unit(0)));
    while (!path_.empty()) {
      Step& step = path_.back();
      if (step.child == kNone) {
        leave();
        continue;
      }
      const std::uint32_t unit = map_.unit(step.child), base = base_of(step.child, unit);
      if (base >= count_ || seen_[base].state == State::unseen) {
        enter(base);
        continue;
      }
      if (seen_[base].state == State::open) refuse_map("a walk through it does not end");
      const int strings = has_value(unit) ? 1 : 0;
      if (strings > 0) check_string(value_of(map_.unit(base)));
      Seen& own = seen_[step.base];
      own.depth = std::max(own.depth, seen_[base].depth + 1);
      own.strings = std::max(own.strings, seen_[base].strings + strings);
      step.child = next_[step.child];
    }
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  enum class State : std::uint8_t { unseen, open, done };
  struct Seen {
    State state = State::unseen;
    int depth = 0;    // longest walk from here
    int strings = 0;  // most strings on one walk from here
  };
  struct Step {
    std::uint32_t base;
    std::uint32_t child;  // next to visit
  };

  void enter(std::uint32_t base) {
    if ((base | (kLabels - 1)) >= count_) refuse_map("it leads out of its trie");
    if (path_.size() > kLongestWalk) refuse_map("a walk through it is too long");
    seen_[base].state = State::open;
    path_.push_back({base, first_[base]});
  }

  void leave() {
    Seen& seen = seen_[path_.back().base];
    seen.state = State::done;
    if (seen.depth > kLongestWalk) refuse_map("a walk through it is too long");
    if (seen.strings > kMostStringsOfAWalk) refuse_map("a walk through it finds too many strings");
    path_.pop_back();
  }

  void check_string(std::uint32_t position) const {
    if (position >= map_.strings_.size()) refuse_map("it leads out of its strings");
    const std::string_view near = map_.strings_.substr(position, kLongestString + 1);
    const std::size_t length = near.find('\0');
    if (length == std::string_view::npos) refuse_map("a string of it is too long");
    if (!is_utf8(near.substr(0, length))) refuse_map("a string of it is not UTF-8");
  }

  const CharacterMap& map_;
  std::uint32_t count_;
  std::vector<std::uint32_t> first_, next_;  // linked lists of the units at each base
  std::vector<Seen> seen_;                   // by base
  std::vector<Step> path_;
};

CharacterMap::CharacterMap(std::string_view bytes) {
  if (bytes.size() < kUnitBytes) refuse_map("it has no size");
  const std::uint32_t size = read_unit(bytes);
  bytes.remove_prefix(kUnitBytes);
  if (size == 0 || size % kUnitBytes != 0) refuse_map("the size of its trie is invalid");
  if (size >= bytes.size()) refuse_map("its trie is longer than the map");
  if (bytes.back() != '\0') refuse_map("its last string does not end");
  trie_ = bytes.substr(0, size);
  strings_ = bytes.substr(size);
  CharacterMapCheck(*this).run();
}

CharacterMap::Prefix CharacterMap::prefix(std::string_view text) const {
  Prefix longest;
  std::uint32_t base = trie_.empty() ? 0 : base_of(0, unit(0));
  for (std::size_t i = 0; i < text.size() && !trie_.empty(); ++i) {
    const auto label = static_cast<unsigned char>(text[i]);
    const std::uint32_t index = base ^ label, found = unit(index);
    if (label_of(found) != label) break;
    base = base_of(index, found);
    if (has_value(found)) longest = {i + 1, string_at(value_of(unit(base)))};
  }
  if (longest.length > 0) return longest;
  std::size_t length = 0;
  const char32_t character = next_code_point(text, length);
  if (character == U'\uFFFD' && length == 1) return {1, "\xEF\xBF\xBD"};
  return {length, text.substr(0, length)};
}

std::optional<std::string_view> CharacterMap::shortest(std::string_view text) const {
  std::uint32_t base = trie_.empty() ? 0 : base_of(0, unit(0));
  for (std::size_t i = 0; i < text.size() && !trie_.empty(); ++i) {
    const auto label = static_cast<unsigned char>(text[i]);
    const std::uint32_t index = base ^ label, found = unit(index);
    if (label == 0 || label_of(found) != label) break;
    base = base_of(index, found);
    if (has_value(found)) return string_at(value_of(unit(base)));
  }
  return std::nullopt;
}

}  // namespace attend::detail
