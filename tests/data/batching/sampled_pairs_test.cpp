#include "attend/data/batching/sampled_pairs.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <thread>

#include "attend/core/threads/parallel.h"
#include "attend/core/threads/runtime.h"
#include "core/scoped_threads.h"

namespace attend {
namespace {

const ParallelText kText{{"the lowest tower", "newer and wider towers", "a lower one"},
                         {"der tiefste Turm", "neuere und breitere Türme", "ein tieferer"}};

Tokenizer tokenizer() {
  std::vector<std::string> both = kText.src;
  both.insert(both.end(), kText.tgt.begin(), kText.tgt.end());
  TokenizerOptions options;
  options.vocab_size = 80;
  return Tokenizer::train(both, options);
}

std::shared_ptr<const SampledPairs> sampled(std::uint64_t seed) {
  const Tokenizer t = tokenizer();
  ReadReport report;
  return std::make_shared<const SampledPairs>(encode_parallel(kText, t, t, {}, report),
                                              BpeDropout(t, 0.4f), BpeDropout(t, 0.4f), seed);
}

TEST(SampledPairs, KeepTheTextOfEveryEpoch) {
  const Tokenizer t = tokenizer();
  const auto source = sampled(1);
  for (std::int64_t epoch = 0; epoch < 5; ++epoch) {
    const auto pairs = source->pairs(epoch);
    for (std::int64_t i = 0; i < 3; ++i) {
      EXPECT_EQ(t.decode(pairs->src[i]), kText.src[static_cast<std::size_t>(i)]);
      EXPECT_EQ(t.decode(pairs->tgt[i]), kText.tgt[static_cast<std::size_t>(i)]);
    }
  }
}

TEST(SampledPairs, StayWithinTheLongestLength) {
  const Tokenizer t = tokenizer();
  ReadReport report;
  const EncodedPairs pairs = encode_parallel(kText, t, t, {}, report);
  std::int64_t longest = 0;  // as short as the ordinary cut allows
  for (std::int64_t i = 0; i < 3; ++i)
    longest = std::max<std::int64_t>({longest, pairs.src.length(i) + 1, pairs.tgt.length(i) + 1});
  const SampledPairs limited(pairs, BpeDropout(t, 0.9f), BpeDropout(t, 0.9f), 1, longest),
      free(pairs, BpeDropout(t, 0.9f), BpeDropout(t, 0.9f), 1);
  bool longer = false;
  for (std::int64_t epoch = 0; epoch < 5; ++epoch) {
    const auto sampled = limited.pairs(epoch), unlimited = free.pairs(epoch);
    for (std::int64_t i = 0; i < 3; ++i) {
      EXPECT_LT(sampled->src.length(i), longest);
      EXPECT_LT(sampled->tgt.length(i), longest);
      EXPECT_EQ(t.decode(sampled->src[i]), kText.src[static_cast<std::size_t>(i)]);
      longer |= unlimited->src.length(i) >= longest;
    }
  }
  EXPECT_TRUE(longer) << "nothing had to be held back: the test proved nothing";
}

TEST(SampledPairs, AreAFunctionOfSeedAndEpoch) {
  const auto one = sampled(1), again = sampled(1), other = sampled(2);
  for (const auto side : {&EncodedPairs::src, &EncodedPairs::tgt}) {
    SCOPED_TRACE(side == &EncodedPairs::src ? "sources" : "targets");
    const auto ids = [&](const auto& pairs, std::int64_t epoch) {
      return ((*pairs->pairs(epoch)).*side).ids;
    };
    EXPECT_NE(ids(one, 0), ids(one, 1));
    EXPECT_NE(ids(one, 1), ids(one, 2));
    EXPECT_EQ(ids(one, 0), ids(again, 0));
    EXPECT_EQ(ids(one, 1), ids(again, 1)) << "whether or not it has been asked for another epoch";
    EXPECT_NE(ids(one, 0), ids(other, 0));
  }
}

TEST(SampledPairs, CutEqualTextsOfBothSidesAndEqualLinesIndependently) {
  const std::string line = "the lowest tower, newer and wider towers, a lower one";
  const ParallelText text{{line, line}, {line, line}};
  const Tokenizer t = tokenizer();
  ReadReport report;
  const SampledPairs source(encode_parallel(text, t, t, {}, report), BpeDropout(t, 0.4f),
                            BpeDropout(t, 0.4f), 1);
  const auto pairs = source.pairs(0);
  const auto cut = [](const Ragged& side, std::int64_t i) {
    return std::vector<std::int32_t>(side[i].begin(), side[i].end());
  };
  EXPECT_NE(cut(pairs->src, 0), cut(pairs->tgt, 0));
  EXPECT_NE(cut(pairs->src, 0), cut(pairs->src, 1));
  EXPECT_NE(cut(pairs->tgt, 0), cut(pairs->tgt, 1));
}

TEST(SampledPairs, CutEachSideByItsOwnDropout) {
  const Tokenizer t = tokenizer();
  ReadReport report;
  const EncodedPairs plain = encode_parallel(kText, t, t, {}, report);
  const auto source_only =
      SampledPairs(plain, BpeDropout(t, 0.4f), BpeDropout(t, 0.0f), 1).pairs(0);
  const auto target_only =
      SampledPairs(plain, BpeDropout(t, 0.0f), BpeDropout(t, 0.4f), 1).pairs(0);
  EXPECT_NE(source_only->src.ids, plain.src.ids);
  EXPECT_EQ(source_only->tgt.ids, plain.tgt.ids);
  EXPECT_EQ(target_only->src.ids, plain.src.ids);
  EXPECT_NE(target_only->tgt.ids, plain.tgt.ids);
}

TEST(SampledPairs, DoNotDependOnTheThreads) {
  const auto with_threads = [](int threads) {
    const ScopedThreads scope(threads);
    return sampled(3)->pairs(2)->tgt.ids;
  };
  EXPECT_EQ(with_threads(2), with_threads(1));
}

TEST(SampledPairs, MakeBatchesThatHoldEveryPairOnce) {
  const Tokenizer t = tokenizer();
  const TranslationBatcher batcher(sampled(1), {t.special_tokens(), t.special_tokens()}, {16}, 5);
  for (std::int64_t epoch : {0, 1, 0}) {
    std::multiset<std::string> sources;
    for (std::int64_t b = 0; b < batcher.batches(epoch); ++b) {
      const TranslationBatch batch = batcher.batch(epoch, b);
      const auto size = batcher.size(epoch, b);
      EXPECT_EQ(size.src_tokens, batch.src.tokens());
      EXPECT_EQ(size.tgt_tokens, batch.tgt_in.tokens());
      for (std::int64_t i = 0; i < batch.src.sequences(); ++i)
        sources.insert(t.decode(batch.src[i]));
    }
    EXPECT_EQ(sources, std::multiset<std::string>(kText.src.begin(), kText.src.end()));
  }
}

// One thread samples an epoch while a loop on the same pool asks for it.
TEST(SampledPairs, CanBeAskedForInsideALoop) {
  const pid_t child = fork();
  if (child == 0) {
    ::alarm(20);  // if they wait for each other
    ParallelText text;
    for (int i = 0; i < 200; ++i) {
      text.src.insert(text.src.end(), kText.src.begin(), kText.src.end());
      text.tgt.insert(text.tgt.end(), kText.tgt.begin(), kText.tgt.end());
    }
    const Tokenizer t = tokenizer();
    ReadReport report;
    const SampledPairs pairs(encode_parallel(text, t, t, {}, report), BpeDropout(t, 0.4f),
                             BpeDropout(t, 0.4f), 1);
    const auto runtime = std::make_shared<Runtime>(RuntimeOptions{.threads = 2});
    std::atomic<bool> looping = false;
    std::thread other([&] {
      const RuntimeScope scope(runtime);
      while (!looping) std::this_thread::yield();
      pairs.pairs(1);
    });
    {
      const RuntimeScope scope(runtime);
      parallel_for(2, 1, [&](std::int64_t begin, std::int64_t) {
        looping = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        if (begin == 0) pairs.pairs(1);
      });
    }
    other.join();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace attend
