#include "attend/data/batching/noisy_pairs.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "attend/core/random/random.h"
#include "attend/core/threads/interruption.h"
#include "attend/core/threads/parallel.h"
#include "attend/data/noise/text_noise.h"

namespace attend {

NoisyPairs::NoisyPairs(EncodedPairs pairs, Tokenizer source, float share, std::uint64_t seed,
                       std::int64_t longest)
    : pairs_(std::move(pairs)),
      source_(std::move(source)),
      share_(share),
      seed_(seed),
      longest_(longest) {}

EncodedPairs NoisyPairs::make(std::int64_t epoch) const {
  const std::uint64_t stream = stream_of(fmt::format("noise.epoch.{}", epoch));
  std::vector<std::vector<std::int32_t>> sources(static_cast<std::size_t>(size()));
  parallel_for(size(), 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      look_for_interruption();
      Random random(RandomKey{seed_, stream + static_cast<std::uint64_t>(i)});
      std::vector<std::int32_t>& ids = sources[static_cast<std::size_t>(i)];
      if (random.uniform() < share_)
        ids = source_.encode(with_noise(source_.decode(pairs_.src[i]), random));
      if (ids.empty() || std::ssize(ids) >= longest_)
        ids.assign(pairs_.src[i].begin(), pairs_.src[i].end());
    }
  });
  RaggedBuilder src;
  for (const std::vector<std::int32_t>& ids : sources) src.add(ids);
  return {src.build(), pairs_.tgt};
}

}  // namespace attend
