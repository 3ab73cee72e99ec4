#include "attend/decode/scorers/ensemble_scorer.h"

#include <algorithm>

#include "attend/backend/backend.h"

namespace attend {

EnsembleScorer::EnsembleScorer(std::span<const EncoderDecoder* const> models) {
  for (const EncoderDecoder* const model : models)
    members_.push_back(std::make_unique<EncoderDecoderScorer>(*model));
}

void EnsembleScorer::join(const EncoderDecoderInput& input) {
  std::vector<DecodeRequest> arrivals;
  for (const auto& member : members_) {
    member->join(input);
    std::vector<DecodeRequest> own = member->take_arrivals();
    if (arrivals.empty()) {
      arrivals = std::move(own);
      continue;
    }
    for (std::size_t i = 0; i < own.size(); ++i)
      arrivals[i].max_length = std::min(arrivals[i].max_length, own[i].max_length);
  }
  for (DecodeRequest& arrival : arrivals) arrive(std::move(arrival));
}

void EnsembleScorer::advance(std::span<const std::int32_t> parents, const Ragged& tokens) {
  for (const auto& member : members_) member->advance(parents, tokens);
}

Tensor EnsembleScorer::logits(std::int64_t begin, std::int64_t end) {
  std::vector<Tensor> members;
  for (const auto& member : members_) {
    members.push_back(member->logits(begin, end));
    backend()->log_softmax(members.back(), members.back());
  }
  backend()->log_mean_exp(members, members.front());
  return members.front();
}

}  // namespace attend
