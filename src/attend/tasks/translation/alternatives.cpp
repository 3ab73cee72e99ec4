#include "attend/tasks/translation/alternatives.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "attend/backend/backend.h"
#include "attend/checkpoint/finite.h"

namespace attend {

namespace {

// [T + 1, V]
Tensor logits_of(const TranslationModel& model, const PairSpecialTokens& marks,
                 const TokenPair& pair) {
  RaggedBuilder sources, inputs;
  sources.add(pair.src);
  inputs.append(marks.before_target);
  inputs.append(pair.tgt);
  inputs.end_sequence();
  const Ragged source = sources.build(), input = inputs.build();
  const NoGradient guard;
  Pass pass = Pass::inference();
  const Variable hidden =
      model.network->decode(input, model.network->encode(source, pass), source, pass);
  const std::int64_t unwritten = std::ssize(marks.before_target) - 1, rows = hidden.value().rows();
  return model.network->project(Variable(hidden.value().slice_rows(unwritten, rows))).value();
}

// log p of every token at every place [T + 1, V]: of the mean of the probabilities of all models.
Tensor log_probabilities(const TranslationEnsemble& ensemble, const PairSpecialTokens& marks,
                         const TokenPair& pair) {
  std::vector<Tensor> members;
  for (const auto& model : ensemble.models()) {
    members.push_back(logits_of(*model, marks, pair));
    backend()->log_softmax(members.back(), members.back());
  }
  if (ensemble.has_several()) backend()->log_mean_exp(members, members.front());
  return members.front().to_host();
}

TokenAlternatives alternatives_of(std::span<const float> row, std::int32_t written,
                                  const Tokenizer& tokenizer, std::size_t count) {
  const auto choice = [&](std::int32_t id) {
    return TokenChoice{id, tokenizer.piece(id), row[static_cast<std::size_t>(id)]};
  };
  std::vector<std::int32_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  const auto likelier = [&](std::int32_t a, std::int32_t b) {
    const float of_a = row[static_cast<std::size_t>(a)], of_b = row[static_cast<std::size_t>(b)];
    return of_a != of_b ? of_a > of_b : a < b;
  };
  const std::size_t listed = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(listed), order.end(),
                    likelier);
  TokenAlternatives alternatives{choice(written), 1, {}};
  alternatives.rank =
      1 + static_cast<int>(std::count_if(order.begin(), order.end(),
                                         [&](std::int32_t id) { return likelier(id, written); }));
  for (std::size_t i = 0; i < listed; ++i) alternatives.likeliest.push_back(choice(order[i]));
  return alternatives;
}

}  // namespace

Tensor target_logits(const TranslationEnsemble& ensemble, const PairSpecialTokens& marks,
                     const TokenPair& pair) {
  return ensemble.has_several() ? log_probabilities(ensemble, marks, pair)
                                : logits_of(ensemble.first(), marks, pair).to_host();
}

std::vector<TokenAlternatives> token_alternatives(const TranslationEnsemble& ensemble,
                                                  const PairSpecialTokens& marks,
                                                  const TokenPair& pair, int count) {
  const TranslationModel& first = ensemble.first();
  const Tensor probabilities = log_probabilities(ensemble, marks, pair);
  std::vector<std::int32_t> written = pair.tgt;
  written.push_back(first.special().eos);
  const std::vector<std::int32_t> suppressed = ensemble.suppressed();
  std::vector<TokenAlternatives> all;
  for (std::size_t t = 0; t < written.size(); ++t) {
    const std::span<float> row(probabilities.row(static_cast<std::int64_t>(t)),
                               static_cast<std::size_t>(probabilities.cols()));
    require_finite(std::array{row[static_cast<std::size_t>(written[t])]},
                   "log-probabilities of the target tokens", first.source);
    for (const std::int32_t id : suppressed)
      if (id != written[t])
        row[static_cast<std::size_t>(id)] = -std::numeric_limits<float>::infinity();
    all.push_back(
        alternatives_of(row, written[t], first.tgt_tokenizer, static_cast<std::size_t>(count)));
    std::erase_if(all.back().likeliest,
                  [](const TokenChoice& choice) { return std::isinf(choice.log_probability); });
  }
  return all;
}

}  // namespace attend
