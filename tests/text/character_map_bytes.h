// Character maps as SentencePiece writes them, made by hand: right ones, and ones that no writer
// makes.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace attend {

// A trie with a block of 256 units for every node: block 0 has the root's unit, block n + 1 the
// children of node n, and in front its value.
class MapBytes {
 public:
  static constexpr std::uint32_t kBlock = 256, kHasValue = 0x100, kValue = 0x80000000;

  MapBytes() : units(2 * kBlock), strings(1, '\0') {
    units[kBlock] = kValue;
    set_base(0, kBlock);
  }

  MapBytes& add(const std::string& from, const std::string& to) {
    std::uint32_t at = 0;
    for (const char c : from) at = child(at, static_cast<unsigned char>(c));
    units[at] |= kHasValue;
    units[base(at)] = kValue | static_cast<std::uint32_t>(strings.size());
    strings += to + '\0';
    return *this;
  }

  // The unit of a child, made if there is none.
  std::uint32_t child(std::uint32_t parent, unsigned char label) {
    const std::uint32_t at = base(parent) ^ label;
    if (units[at] == 0) {
      const auto block = static_cast<std::uint32_t>(units.size());
      units.resize(units.size() + kBlock);
      units[block] = kValue;  // else it would be a child with the label 0
      units[at] = label;
      set_base(at, block);
    }
    return at;
  }

  std::uint32_t base(std::uint32_t unit) const { return unit ^ (units[unit] >> 10); }
  void set_base(std::uint32_t unit, std::uint32_t to) {
    units[unit] = (units[unit] & 0x1FF) | (unit ^ to) << 10;
  }

  std::string bytes() const {
    const auto size = static_cast<std::uint32_t>(4 * units.size());
    std::string all(4 + size, '\0');
    std::memcpy(all.data(), &size, 4);
    std::memcpy(all.data() + 4, units.data(), size);
    return all + strings;
  }

  std::vector<std::uint32_t> units;
  std::string strings;  // the first is empty
};

// Maps with which a reader that trusts them leaves its memory, does not end, or gives what is no
// text; each with a word of the complaint.
inline std::map<std::string, std::pair<std::string, std::string>> hostile_maps() {
  const MapBytes good = MapBytes().add("a", "b").add("ab", "c");
  std::map<std::string, std::pair<std::string, std::string>> maps;
  const auto changed = [&](const char* name, const char* complaint, const auto& change) {
    MapBytes map = good;
    change(map);
    maps[name] = {map.bytes(), complaint};
  };
  changed("the root leads out", "leads out of its trie",
          [](MapBytes& m) { m.set_base(0, 0x100000); });
  changed("a child leads out", "leads out of its trie",
          [](MapBytes& m) { m.set_base(m.child(0, 'a'), 0x100000); });
  changed("an offset of eight more bits leads out", "leads out of its trie",
          [](MapBytes& m) { m.units[m.child(0, 'a')] |= 0x7FFFFE00; });
  changed("the last block is cut", "leads out of its trie",
          [](MapBytes& m) { m.units.resize(m.units.size() - 1); });
  changed("a value leads out", "leads out of its strings",
          [](MapBytes& m) { m.units[m.base(m.child(0, 'a'))] = 0xFFFFFFFF; });
  changed("a value is after the strings", "leads out of its strings", [](MapBytes& m) {
    m.units[m.base(m.child(0, 'a'))] =
        MapBytes::kValue | static_cast<std::uint32_t>(m.strings.size());
  });
  changed("the last string does not end", "does not end",
          [](MapBytes& m) { m.strings.pop_back(); });
  changed("there are no strings", "longer than the map", [](MapBytes& m) { m.strings.clear(); });
  changed("a child is its own parent", "does not end",
          [](MapBytes& m) { m.set_base(m.child(0, 'a'), m.base(0)); });
  changed("a string is not UTF-8", "not UTF-8", [](MapBytes& m) { m.strings[1] = '\xC3'; });
  changed("a string is endless", "too long",
          [](MapBytes& m) { m.add("x", std::string(100'000, 'x')); });
  changed("too many strings on one walk", "too many strings", [](MapBytes& m) {
    for (std::size_t length = 1; length <= 33; ++length) m.add(std::string(length, 'z'), "y");
  });
  changed("a walk is too long", "too long", [](MapBytes& m) { m.add(std::string(300, 'z'), "y"); });
  const auto cut = [&](const char* name, const char* complaint, std::string bytes) {
    maps[name] = {std::move(bytes), complaint};
  };
  cut("it has a byte", "no size", "x");
  cut("it has a size and nothing else", "longer than the map", std::string("\0\x04\0\0", 4));
  cut("the trie is empty", "size of its trie", std::string("\0\0\0\0b\0", 6));
  cut("the trie ends inside a unit", "size of its trie", std::string("\x02\0\0\0abc\0", 8));
  cut("the trie is longer than the map", "longer than the map",
      std::string("\xFC\xFF\xFF\x7C", 4) + good.bytes().substr(4));
  cut("the trie ends with the map", "longer than the map",
      good.bytes().substr(0, 4 + 4 * good.units.size()));
  return maps;
}

}  // namespace attend
