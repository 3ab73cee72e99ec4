#include "attend/decode/scorers/shortlisted_scorer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "attend/autograd/variable.h"
#include "attend/backend/backend.h"
#include "attend/decode/scorers/padded_columns.h"
#include "attend/error.h"
#include "attend/ops/linear.h"

namespace attend {

namespace {

// Numbers that kernels sum at a time, on any instruction set: four vectors of 16.
constexpr std::size_t kBlock = 64;

}  // namespace

ShortlistedScorer::ShortlistedScorer(const EncoderDecoder& model, Shortlist shortlist)
    : model_(model), shortlist_(std::move(shortlist)), whole_(model) {}

ShortlistedScorer::ShortlistedScorer(const EncoderDecoder& model, const Ragged& src,
                                     std::span<const std::int32_t> prefix, Shortlist shortlist)
    : ShortlistedScorer(model, std::move(shortlist)) {
  const std::vector<DecoderPrefix> prefixes(static_cast<std::size_t>(src.sequences()),
                                            {{prefix.begin(), prefix.end()}});
  join({src, prefixes});
}

void ShortlistedScorer::join(const EncoderDecoderInput& input) {
  Sentences all = sentence_;
  for (auto& sentence : allowed(input.src)) all.push_back(std::move(sentence));
  whole_.join(input);
  for (DecodeRequest& arrival : whole_.take_arrivals()) arrive(std::move(arrival));
  const bool known =
      std::all_of(all.begin() + std::ssize(sentence_), all.end(), [this](const auto& sentence) {
        return std::includes(tokens_.begin(), tokens_.end(), sentence->tokens.begin(),
                             sentence->tokens.end());
      });
  if (!known) select_output(all);
  for (std::size_t s = sentence_.size(); known && s < all.size(); ++s) place(*all[s]);
  sentence_ = std::move(all);
}

ShortlistedScorer::Sentences ShortlistedScorer::allowed(const Ragged& src) const {
  const std::int64_t vocabulary = model_.output().weight.rows();
  Sentences sentences;
  for (std::int64_t s = 0; s < src.sequences(); ++s) {
    std::vector<std::int32_t> tokens = shortlist_.allowed(src[s]);
    if (tokens.empty())
      throw DataError(
          "shortlist: expected tokens for every sentence, got none; the end must always be "
          "allowed");
    if (tokens.front() < 0 || tokens.back() >= vocabulary)
      throw DataError(fmt::format("shortlist: expected tokens of a vocabulary of {}", vocabulary));
    sentences.push_back(std::make_shared<Allowed>(Allowed{std::move(tokens), {}}));
  }
  return sentences;
}

void ShortlistedScorer::select_output(const Sentences& sentences) {
  tokens_.clear();
  for (const auto& sentence : sentences)
    tokens_.insert(tokens_.end(), sentence->tokens.begin(), sentence->tokens.end());
  std::sort(tokens_.begin(), tokens_.end());
  tokens_.erase(std::unique(tokens_.begin(), tokens_.end()), tokens_.end());
  for (const auto& sentence : sentences) place(*sentence);
  const auto [weight, bias] = model_.output();
  output_.weight = backend()->pack_weights(backend()->select_weights(weight, tokens_));
  if (bias.defined()) {
    const auto selected = static_cast<std::int64_t>(tokens_.size());
    output_.bias = Tensor::empty({selected});
    backend()->gather_rows(bias.reshape({weight.rows(), 1}), tokens_,
                           output_.bias.reshape({selected, 1}));
  }
}

void ShortlistedScorer::place(Allowed& sentence) const {
  sentence.columns.clear();
  auto at = tokens_.begin();
  for (const std::int32_t token : sentence.tokens) {
    at = std::lower_bound(at, tokens_.end(), token);
    sentence.columns.push_back(static_cast<std::int32_t>(at - tokens_.begin()));
  }
}

void ShortlistedScorer::advance(std::span<const std::int32_t> parents, const Ragged& tokens) {
  whole_.advance(parents, tokens);
  Sentences sentence;
  for (const std::int32_t parent : parents)
    sentence.push_back(sentence_[static_cast<std::size_t>(parent)]);
  sentence_ = std::move(sentence);
}

Tensor ShortlistedScorer::logits(std::int64_t begin, std::int64_t end) {
  const NoGradient guard;
  const Variable selected = linear(Variable(whole_.hidden().slice_rows(begin, end)),
                                   Variable(output_.weight), Variable(output_.bias));
  const Tensor of_all = model_.capped(selected).value();
  std::vector<std::span<const std::int32_t>> columns;
  for (std::int64_t hypothesis = begin; hypothesis < end; ++hypothesis)
    columns.push_back(sentence_[static_cast<std::size_t>(hypothesis)]->columns);
  // The order of the sum of a softmax depends on the length of its rows, unless they end with a
  // whole block: a sentence must not see how wide its neighbors are.
  const std::size_t width = (widest(columns) + kBlock - 1) / kBlock * kBlock;
  const Tensor own = Tensor::empty({end - begin, static_cast<std::int64_t>(width)});
  backend()->gather_columns(of_all, padded_columns(columns, width),
                            -std::numeric_limits<float>::infinity(), own);
  return own;
}

std::int32_t ShortlistedScorer::token(std::int64_t hypothesis, std::int64_t column) const {
  return sentence_[static_cast<std::size_t>(hypothesis)]->tokens[static_cast<std::size_t>(column)];
}

std::int32_t ShortlistedScorer::column(std::int64_t hypothesis, std::int32_t token) const {
  const auto& tokens = sentence_[static_cast<std::size_t>(hypothesis)]->tokens;
  const auto found = std::lower_bound(tokens.begin(), tokens.end(), token);
  const bool is_there = found != tokens.end() && *found == token;
  return is_there ? static_cast<std::int32_t>(found - tokens.begin()) : -1;
}

}  // namespace attend
