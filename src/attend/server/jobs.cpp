#include "attend/server/jobs.h"

#include <algorithm>
#include <span>
#include <utility>

#include "attend/error.h"

namespace attend {
namespace {

// Items scored between two looks at whether the request was cancelled.
constexpr std::size_t kScoredAtOnce = 16;

Receiver<SequenceScore> counted(Receiver<SequenceScore> receiver, const Spend& spend) {
  receiver.accept = [spend, accept = std::move(receiver.accept)](std::size_t item,
                                                                 SequenceScore score) {
    spend(std::ssize(score.token_scores));
    accept(item, std::move(score));
  };
  return receiver;
}

}  // namespace

Jobs::Jobs(std::int64_t max_tokens, std::shared_ptr<Runtime> runtime)
    : engine_({.queue_tokens = max_tokens}, std::move(runtime)) {}

void Jobs::run(std::function<void()> task) {
  if (!scoring_.run(std::move(task)))
    throw OverloadedError(
        "too many requests for scores, explanations and alternatives are waiting");
}

// If a batch fails, its items are scored one by one, so that each gets its own outcome.
Jobs::Cancel Jobs::score_items(std::size_t items, Batch batch, Receiver<SequenceScore> receiver) {
  const auto cancelled = std::make_shared<std::atomic<bool>>(false);
  const auto run = [items, batch = std::move(batch), receiver = std::move(receiver), cancelled] {
    const auto score = [&](std::size_t begin, std::size_t count) {
      if (*cancelled) throw CancelledError("the request was cancelled");
      std::vector<SequenceScore> scores = batch(begin, count);
      for (std::size_t i = 0; i < count; ++i) receiver.accept(begin + i, std::move(scores[i]));
    };
    const auto score_one = [&](std::size_t item) {
      try {
        score(item, 1);
      } catch (...) {
        receiver.fail(item, std::current_exception());
      }
    };
    for (std::size_t begin = 0; begin < items; begin += kScoredAtOnce) {
      const std::size_t count = std::min(kScoredAtOnce, items - begin);
      try {
        score(begin, count);
      } catch (...) {
        for (std::size_t i = begin; i < begin + count; ++i) score_one(i);
      }
    }
  };
  this->run(run);
  return [cancelled] { *cancelled = true; };
}

Jobs::Cancel Jobs::score(const Translator& translator, ScoringJob pairs,
                         Receiver<SequenceScore> receiver, const Spend& spend) {
  const std::size_t items = pairs.sources.size();
  return score_items(
      items,
      [translator, pairs = std::move(pairs)](std::size_t begin, std::size_t count) {
        return translator.score(std::span(pairs.sources).subspan(begin, count),
                                std::span(pairs.targets).subspan(begin, count), {},
                                pairs.languages);
      },
      counted(std::move(receiver), spend));
}

Jobs::Cancel Jobs::score(const Generator& generator, std::vector<std::string> lines,
                         Receiver<SequenceScore> receiver, const Spend& spend) {
  const std::size_t items = lines.size();
  return score_items(
      items,
      [generator, lines = std::move(lines)](std::size_t begin, std::size_t count) {
        return generator.score(std::span(lines).subspan(begin, count));
      },
      counted(std::move(receiver), spend));
}

}  // namespace attend
