#include "attend/decode/scorers/language_scorer.h"

#include <algorithm>

#include "attend/autograd/variable.h"
#include "attend/backend/backend.h"

namespace attend {

namespace {

// Whether a context has no room for another token.
bool is_full(const std::vector<std::int32_t>& context, const LanguageScorerOptions& options) {
  return std::ssize(context) == options.context;
}

}  // namespace

LanguageScorer::LanguageScorer(const LanguageTransformer& model)
    : model_(model), state_(model.begin(0)) {}

LanguageScorer::LanguageScorer(const LanguageTransformer& model,
                               std::span<const std::int32_t> prompt,
                               const LanguageScorerOptions& options)
    : LanguageScorer(model) {
  join(prompt, options);
}

void LanguageScorer::join(std::span<const std::int32_t> prompt,
                          const LanguageScorerOptions& options) {
  HypothesisState branch{.options = std::make_shared<LanguageScorerOptions>(options)};
  if (options.cache.used())
    branch.cache =
        std::make_unique<ContinuousCache>(options.cache, model_.config().width_of_embeddings());
  state_->join(1);
  branches_.push_back(std::move(branch));
  arrive({{prompt.begin(), prompt.end()}, options.max_length});
}

LanguageScorer::HypothesisState LanguageScorer::continued(const HypothesisState& branch) {
  return {branch.options, branch.begun, branch.context,
          branch.cache ? std::make_unique<ContinuousCache>(branch.cache->clone()) : nullptr};
}

// The last continuation of a branch takes it over.
std::vector<LanguageScorer::HypothesisState> LanguageScorer::continued(
    std::span<const std::int32_t> parents) {
  std::vector<int> children(branches_.size(), 0);
  for (const std::int32_t parent : parents) ++children[static_cast<std::size_t>(parent)];
  std::vector<HypothesisState> branches;
  for (const std::int32_t number : parents) {
    const auto parent = static_cast<std::size_t>(number);
    branches.push_back(--children[parent] > 0 ? continued(branches_[parent])
                                              : std::move(branches_[parent]));
  }
  return branches;
}

void LanguageScorer::shift_context() {
  std::vector<std::size_t> full;
  std::int64_t longest = 0;
  for (std::size_t r = 0; r < branches_.size(); ++r) {
    HypothesisState& branch = branches_[r];
    if (!is_full(branch.context, *branch.options)) continue;
    const std::int64_t kept = branch.options->context / 2;
    branch.context.erase(branch.context.begin(), branch.context.end() - kept);
    state_->forget(static_cast<std::int64_t>(r));
    longest = std::max(longest, kept);
    full.push_back(r);
  }
  for (std::int64_t begin = 0; begin < longest; begin += max_prefill_tokens()) {
    RaggedBuilder block;
    auto next = full.begin();
    for (std::size_t r = 0; r < branches_.size(); ++r) {
      if (next != full.end() && *next == r) {
        const std::span<const std::int32_t> context = branches_[r].context;
        const auto first =
            static_cast<std::size_t>(std::min<std::int64_t>(begin, std::ssize(context)));
        block.append(context.subspan(first, std::min(static_cast<std::size_t>(max_prefill_tokens()),
                                                     context.size() - first)));
        ++next;
      }
      block.end_sequence();
    }
    state_->read(block.build());
  }
}

void LanguageScorer::advance(std::span<const std::int32_t> parents, const Ragged& tokens) {
  check_parents(std::ssize(branches_), parents);
  branches_ = continued(parents);
  const bool full = std::any_of(
      branches_.begin(), branches_.end(),
      [](const HypothesisState& branch) { return is_full(branch.context, *branch.options); });
  Tensor hidden;
  if (full) {
    state_->select(parents);
    shift_context();
    hidden = state_->read(tokens);
  } else {
    hidden = state_->advance(parents, tokens);
  }
  remember(tokens, parents, hidden);
  hidden_ = hidden;
  if (tokens.tokens() == tokens.sequences()) return;
  std::vector<std::int32_t> last;
  for (std::int64_t r = 0; r < tokens.sequences(); ++r) last.push_back(tokens.begin_of(r + 1) - 1);
  hidden_ = Tensor::empty({tokens.sequences(), hidden.cols()});
  backend()->gather_rows(hidden, last, hidden_);
}

void LanguageScorer::remember(const Ragged& tokens, std::span<const std::int32_t> parents,
                              const Tensor& hidden) {
  for (std::size_t r = 0; r < branches_.size(); ++r) {
    const auto sequence = tokens[static_cast<std::int64_t>(r)];
    HypothesisState& branch = branches_[r];
    for (std::size_t i = 0; branch.cache && i < sequence.size(); ++i) {
      const std::int64_t before =
          tokens.begin_of(static_cast<std::int64_t>(r)) + static_cast<std::int64_t>(i) - 1;
      if (i > 0)
        branch.cache->remember(hidden.slice_rows(before, before + 1), sequence[i]);
      else if (branch.begun)  // else nothing predicted it
        branch.cache->remember(hidden_.slice_rows(parents[r], parents[r] + 1), sequence[0]);
    }
    branch.context.insert(branch.context.end(), sequence.begin(), sequence.end());
    branch.begun = true;
  }
}

Tensor LanguageScorer::logits(std::int64_t begin, std::int64_t end) {
  const NoGradient guard;
  const Tensor logits = model_.project(Variable(hidden_.slice_rows(begin, end))).value();
  for (std::int64_t r = begin; r < end; ++r) {
    const HypothesisState& branch = branches_[static_cast<std::size_t>(r)];
    if (!branch.cache) continue;
    const Tensor own = logits.slice_rows(r - begin, r - begin + 1);
    backend()->log_softmax(own, own);
    branch.cache->mix(hidden_.slice_rows(r, r + 1), own);
  }
  return logits;
}

}  // namespace attend
