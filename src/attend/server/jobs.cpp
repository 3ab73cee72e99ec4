#include "attend/server/jobs.h"

#include <algorithm>
#include <exception>
#include <span>
#include <utility>

#include "attend/error.h"

namespace attend {
namespace {

// Texts scored in a turn.
constexpr std::size_t kScoredAtOnce = 16;

std::int64_t tokens_in(const SequenceScore& score) { return std::ssize(score.token_scores); }
std::int64_t tokens_in(const std::vector<GeneratedToken>& tokens) { return std::ssize(tokens); }

template <class Score>
Receiver<Score> counted(Receiver<Score> receiver, const Spend& spend) {
  receiver.accept = [spend, accept = std::move(receiver.accept)](std::size_t item, Score score) {
    spend(tokens_in(score));
    accept(item, std::move(score));
  };
  return receiver;
}

std::int64_t tokens_in(std::span<const std::string> texts, const Tokenizer& tokenizer) {
  std::int64_t tokens = 0;
  for (const std::string& text : texts) tokens += std::ssize(tokenizer.encode(text));
  return tokens;
}

}  // namespace

Jobs::Jobs(std::int64_t max_tokens, std::shared_ptr<Runtime> runtime)
    : engine_({.queue_tokens = max_tokens}, std::move(runtime)), others_(max_tokens) {}

Ticket Jobs::generate(const Generator& generator, std::vector<GenerationRequest> requests,
                      Receiver<Generation> receiver, const Spend& spend) {
  for (GenerationRequest& request : requests) request.client = spend.client();
  Ticket ticket = engine_.submit(generator, std::move(requests), std::move(receiver));
  spend(ticket.tokens());
  return ticket;
}

Jobs::Cancel Jobs::run(std::int64_t tokens, std::function<void()> task,
                       std::function<void()> cancelled, const Spend& spend) {
  const auto once = [task = std::move(task)] {
    task();
    return false;
  };
  return others_.submit({spend.client(), tokens, once, std::move(cancelled)});
}

// If a batch fails, its items are scored one by one, so that each gets its own outcome.
template <class Score>
Jobs::Cancel Jobs::score_items(Items<Score> items, Receiver<Score> own, const Spend& spend) {
  const auto receiver = std::make_shared<const Receiver<Score>>(counted(std::move(own), spend));
  const auto begin = std::make_shared<std::size_t>(0);
  const auto score = [receiver, batch = std::move(items.score)](std::size_t first,
                                                                std::size_t count) {
    std::vector<Score> scores = batch(first, count);
    for (std::size_t i = 0; i < count; ++i) receiver->accept(first + i, std::move(scores[i]));
  };
  const auto step = [receiver, begin, score, all = items.count, at_once = items.at_once] {
    const std::size_t first = *begin, count = std::min(at_once, all - first);
    *begin += count;
    try {
      score(first, count);
    } catch (...) {
      for (std::size_t item = first; item < first + count; ++item) {
        try {
          score(item, 1);
        } catch (...) {
          receiver->fail(item, std::current_exception());
        }
      }
    }
    return *begin < all;
  };
  const auto cancelled = [receiver, begin, all = items.count] {
    const auto error = std::make_exception_ptr(CancelledError("the request was cancelled"));
    for (; *begin < all; ++*begin) receiver->fail(*begin, error);
  };
  return others_.submit({spend.client(), items.tokens, step, cancelled});
}

Jobs::Cancel Jobs::score(const Translator& translator, ScoringJob pairs,
                         Receiver<SequenceScore> receiver, const Spend& spend) {
  Items<SequenceScore> items{pairs.sources.size(),
                             tokens_in(pairs.sources, translator.source_tokenizer()) +
                                 tokens_in(pairs.targets, translator.target_tokenizer()),
                             kScoredAtOnce};
  items.score = [translator, pairs = std::move(pairs)](std::size_t begin, std::size_t count) {
    return translator.score(std::span(pairs.sources).subspan(begin, count),
                            std::span(pairs.targets).subspan(begin, count), {}, pairs.languages);
  };
  return score_items(std::move(items), std::move(receiver), spend);
}

Jobs::Cancel Jobs::score(const Generator& generator, std::vector<std::string> lines,
                         Receiver<SequenceScore> receiver, const Spend& spend) {
  Items<SequenceScore> items{lines.size(), tokens_in(lines, generator.tokenizer()), kScoredAtOnce};
  items.score = [generator, lines = std::move(lines)](std::size_t begin, std::size_t count) {
    return generator.score(std::span(lines).subspan(begin, count));
  };
  return score_items(std::move(items), std::move(receiver), spend);
}

Jobs::Cancel Jobs::score(const Generator& generator, TokenScoringJob job,
                         Receiver<std::vector<GeneratedToken>> receiver, const Spend& spend) {
  Items<std::vector<GeneratedToken>> items{job.prompts.size()};
  for (const std::vector<std::int32_t>& prompt : job.prompts) items.tokens += std::ssize(prompt);
  items.score = [generator, job = std::move(job)](std::size_t begin, std::size_t count) {
    std::vector<std::vector<GeneratedToken>> scores;
    for (const std::vector<std::int32_t>& prompt : std::span(job.prompts).subspan(begin, count))
      scores.push_back(generator.score_tokens(prompt, job.likeliest));
    return scores;
  };
  return score_items(std::move(items), std::move(receiver), spend);
}

}  // namespace attend
