#include "attend/core/random/keyed_hash.h"

#include <bit>
#include <cstddef>

namespace attend {
namespace {

struct State {
  std::uint64_t v0, v1, v2, v3;

  void round() {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }
  void add(std::uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }
};

// Little-endian, up to eight bytes.
std::uint64_t word_of(std::string_view bytes) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return word;
}

}  // namespace

std::uint64_t keyed_hash(std::string_view bytes, const HashKey& key) {
  constexpr std::size_t kWord = 8;
  State state{0x736f6d6570736575U ^ key.first, 0x646f72616e646f6dU ^ key.second,
              0x6c7967656e657261U ^ key.first, 0x7465646279746573U ^ key.second};
  const std::uint64_t length = bytes.size();
  for (; bytes.size() >= kWord; bytes.remove_prefix(kWord))
    state.add(word_of(bytes.substr(0, kWord)));
  state.add(word_of(bytes) | length << 56);
  state.v2 ^= 0xff;
  for (int i = 0; i < 4; ++i) state.round();
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

}  // namespace attend
