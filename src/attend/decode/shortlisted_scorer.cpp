#include "attend/decode/shortlisted_scorer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "attend/autograd/variable.h"
#include "attend/backend/backend.h"
#include "attend/error.h"
#include "attend/ops/linear.h"

namespace attend {

ShortlistedScorer::ShortlistedScorer(const EncoderDecoder& model, const Ragged& src,
                                     std::span<const std::int32_t> begin,
                                     const Shortlist& shortlist,
                                     std::span<const std::int32_t> suppressed)
    : whole_(model, src, begin) {
  std::vector<std::vector<std::int32_t>> allowed;
  for (std::int64_t s = 0; s < src.sequences(); ++s) {
    allowed.push_back(shortlist.allowed(src[s]));
    for (const std::int32_t token : suppressed) std::erase(allowed.back(), token);
    if (allowed.back().empty())
      throw DataError(
          "shortlist: expected tokens for every sentence, got none; the end must always be "
          "allowed");
    tokens_.insert(tokens_.end(), allowed.back().begin(), allowed.back().end());
  }
  std::sort(tokens_.begin(), tokens_.end());
  tokens_.erase(std::unique(tokens_.begin(), tokens_.end()), tokens_.end());
  const auto [weight, bias] = model.output();
  const std::int64_t vocabulary = weight.rows();
  if (tokens_.empty() || tokens_.front() < 0 || tokens_.back() >= vocabulary)
    throw DataError(fmt::format("shortlist: expected tokens of a vocabulary of {}", vocabulary));
  for (const std::vector<std::int32_t>& tokens : allowed) {
    std::vector<std::int32_t>& columns = columns_.emplace_back();
    auto place = tokens_.begin();
    for (const std::int32_t token : tokens) {
      place = std::lower_bound(place, tokens_.end(), token);
      columns.push_back(static_cast<std::int32_t>(place - tokens_.begin()));
    }
  }
  output_.weight = backend().pack_weights(backend().select_weights(weight, tokens_));
  if (bias.defined()) {
    const auto selected = static_cast<std::int64_t>(tokens_.size());
    output_.bias = Tensor::empty({selected});
    backend().gather_rows(bias.reshape({vocabulary, 1}), tokens_,
                          output_.bias.reshape({selected, 1}));
  }
  sentence_.resize(columns_.size());
  std::iota(sentence_.begin(), sentence_.end(), 0);
}

void ShortlistedScorer::step(std::span<const std::int32_t> parents,
                             std::span<const std::int32_t> tokens) {
  whole_.step(parents, tokens);
  std::vector<std::int32_t> sentence;
  for (const std::int32_t parent : parents)
    sentence.push_back(sentence_[static_cast<std::size_t>(parent)]);
  sentence_ = std::move(sentence);
}

Tensor ShortlistedScorer::logits(std::int64_t begin, std::int64_t end) {
  const NoGradient guard;
  const Tensor of_all = linear(Variable(whole_.hidden().slice_rows(begin, end)),
                               Variable(output_.weight), Variable(output_.bias))
                            .value();
  std::size_t widest = 0;
  for (std::int64_t hypothesis = begin; hypothesis < end; ++hypothesis)
    widest = std::max(widest, columns_of(hypothesis).size());
  std::vector<std::int32_t> columns;  // -1: no token
  columns.reserve(widest * static_cast<std::size_t>(end - begin));
  for (std::int64_t hypothesis = begin; hypothesis < end; ++hypothesis) {
    const std::vector<std::int32_t>& own = columns_of(hypothesis);
    columns.insert(columns.end(), own.begin(), own.end());
    columns.resize(columns.size() + widest - own.size(), -1);
  }
  const Tensor own = Tensor::empty({end - begin, static_cast<std::int64_t>(widest)});
  backend().gather_columns(of_all, columns, -std::numeric_limits<float>::infinity(), own);
  return own;
}

std::int32_t ShortlistedScorer::token(std::int64_t hypothesis, std::int64_t column) const {
  return tokens_[static_cast<std::size_t>(
      columns_of(hypothesis)[static_cast<std::size_t>(column)])];
}

}  // namespace attend
