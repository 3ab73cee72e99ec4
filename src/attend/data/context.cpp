#include "attend/data/context.h"

#include <algorithm>
#include <utility>

namespace attend {

std::vector<std::int32_t> tokens_before(std::span<const std::vector<std::int32_t>> before,
                                        std::int64_t sentence_tokens,
                                        const SourceContext& context) {
  std::size_t first = before.size();
  std::int64_t room = context.tokens - sentence_tokens;
  for (const auto most = static_cast<std::size_t>(context.sentences);
       first > 0 && before.size() - first < most; --first) {
    room -= std::ssize(before[first - 1]) + 1;
    if (room < 0) break;
  }
  std::vector<std::int32_t> tokens;
  for (const std::vector<std::int32_t>& sentence : before.subspan(first)) {
    tokens.insert(tokens.end(), sentence.begin(), sentence.end());
    tokens.push_back(context.separator);
  }
  return tokens;
}

EncodedPairs with_context(EncodedPairs pairs, const ParallelText& text,
                          const SourceContext& context, ContextUse use) {
  constexpr std::int64_t kOneIn = 5;
  std::vector<std::vector<std::int32_t>> before;
  RaggedBuilder sources;
  auto file = text.origins.begin();
  std::int32_t latest = -1;
  for (std::int64_t i = 0; i < pairs.src.sequences(); ++i) {
    const std::int32_t number = pairs.origin[static_cast<std::size_t>(i)];
    bool begins = number != latest + 1;
    for (; file != text.origins.end() && file->first <= number; ++file) begins = true;
    if (begins) before.clear();
    latest = number;
    const std::vector<std::int32_t> sentence(pairs.src[i].begin(), pairs.src[i].end());
    if (use == ContextUse::always || number % kOneIn != 0)
      sources.append(tokens_before(before, std::ssize(sentence), context));
    sources.append(sentence);
    sources.end_sequence();
    before.push_back(sentence);
    if (std::ssize(before) > context.sentences) before.erase(before.begin());
  }
  pairs.src = sources.build();
  return pairs;
}

}  // namespace attend
