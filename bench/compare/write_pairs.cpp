// Writes made-up sentence pairs, as many as asked for: texts that do not fit into memory. The
// sentences are those of the demo, and unlike there some occur several times.
// Usage: compare_write_pairs PAIRS PREFIX        into PREFIX.en and PREFIX.de
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "attend/core/random/random.h"
#include "attend/core/threads/parallel.h"
#include "attend/demo/grammar.h"
#include "attend/demo/sampler.h"

using namespace attend;

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: compare_write_pairs PAIRS PREFIX\n");
    return 2;
  }
  constexpr std::int64_t kAtOnce = 1 << 15;
  const std::int64_t pairs = std::stoll(argv[1]);
  const std::string prefix = argv[2];
  std::ofstream en(prefix + ".en", std::ios::binary), de(prefix + ".de", std::ios::binary);
  std::vector<std::string> src(kAtOnce), tgt(kAtOnce);
  for (std::int64_t begin = 0; begin < pairs; begin += kAtOnce) {
    const std::int64_t count = std::min(kAtOnce, pairs - begin);
    parallel_for(count, 256, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        Random random(
            RandomKey{1, stream_of("made-up pairs") + static_cast<std::uint64_t>(begin + i)});
        const demo::Sentence sentence = demo::sample_sentence(random);
        src[static_cast<std::size_t>(i)] = demo::english(sentence) + "\n";
        tgt[static_cast<std::size_t>(i)] = demo::german(sentence) + "\n";
      }
    });
    for (std::int64_t i = 0; i < count; ++i) {
      en << src[static_cast<std::size_t>(i)];
      de << tgt[static_cast<std::size_t>(i)];
    }
  }
  if (en.flush() && de.flush()) return 0;
  std::fprintf(stderr, "%s: cannot write\n", prefix.c_str());
  return 1;
}
