#include "attend/decode/language_scorer.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "attend/autograd/variable.h"
#include "attend/backend/backend.h"

namespace attend {

namespace {

// In the format of kernels: equally many per row, padded with -1.
std::vector<std::int32_t> columns_of(const std::vector<std::set<std::int32_t>>& rows) {
  std::size_t most = 0;
  for (const std::set<std::int32_t>& row : rows) most = std::max(most, row.size());
  std::vector<std::int32_t> columns;
  for (const std::set<std::int32_t>& row : rows) {
    columns.insert(columns.end(), row.begin(), row.end());
    columns.resize(columns.size() + most - row.size(), -1);
  }
  return columns;
}

// Calls read(begin, count) for blocks of a text: large enough for fast products, and small enough
// for the keys that each of its tokens sees.
template <class Read>
void for_each_block(std::size_t length, const Read& read) {
  constexpr std::size_t kBlock = 64;
  for (std::size_t begin = 0; begin < length; begin += kBlock)
    read(begin, std::min(kBlock, length - begin));
}

}  // namespace

LanguageScorer::LanguageScorer(const LanguageTransformer& model,
                               std::span<const std::int32_t> prompt,
                               const LanguageScorerOptions& options)
    : model_(model),
      options_(options),
      first_token_(prompt.back()),
      state_(model.begin(1)),
      branches_(1) {
  if (options.cache.used())
    branches_[0].cache = std::make_unique<ContinuousCache>(options.cache, model.config().d_model);
  Branch& branch = branches_[0];
  branch.context.assign(prompt.begin(), prompt.end() - 1);
  for_each_block(branch.context.size(), [&](std::size_t begin, std::size_t count) {
    const Tensor hidden = read_contexts(begin, count);
    for (std::size_t i = 0; branch.cache && i < count && begin + i + 1 < branch.context.size();
         ++i) {
      const auto row = static_cast<std::int64_t>(i);
      branch.cache->remember(hidden.slice_rows(row, row + 1), branch.context[begin + i + 1]);
    }
    hidden_ = hidden.slice_rows(hidden.rows() - 1, hidden.rows());
  });
}

LanguageScorer::Branch LanguageScorer::continued(const Branch& branch) const {
  return {branch.context,
          branch.cache ? std::make_unique<ContinuousCache>(branch.cache->clone()) : nullptr};
}

Tensor LanguageScorer::read_contexts(std::size_t begin, std::size_t count) {
  RaggedBuilder block;
  for (const Branch& branch : branches_) block.add(std::span(branch.context).subspan(begin, count));
  return state_->read(block.build());
}

void LanguageScorer::forget_older_half() {
  state_ = model_.begin(std::ssize(branches_));
  const std::int64_t kept = options_.context / 2;
  for (Branch& branch : branches_)
    branch.context.erase(branch.context.begin(), branch.context.end() - kept);
  for_each_block(static_cast<std::size_t>(kept),
                 [this](std::size_t begin, std::size_t count) { read_contexts(begin, count); });
}

void LanguageScorer::step(std::span<const std::int32_t> parents,
                          std::span<const std::int32_t> tokens) {
  check_step(std::ssize(branches_), parents, tokens);
  std::vector<int> children(branches_.size(), 0);
  for (const std::int32_t parent : parents) ++children[static_cast<std::size_t>(parent)];
  std::vector<Branch> branches;
  for (std::size_t r = 0; r < parents.size(); ++r) {
    Branch& parent = branches_[static_cast<std::size_t>(parents[r])];
    branches.push_back(--children[static_cast<std::size_t>(parents[r])] > 0 ? continued(parent)
                                                                            : std::move(parent));
    if (branches.back().cache && hidden_.defined())
      branches.back().cache->remember(hidden_.slice_rows(parents[r], parents[r] + 1), tokens[r]);
  }
  branches_ = std::move(branches);

  const bool full = !branches_.empty() && std::ssize(branches_[0].context) ==
                                              options_.context;  // all contexts are equally long
  std::vector<std::int32_t> from(parents.begin(), parents.end());
  if (full) {
    forget_older_half();
    std::iota(from.begin(), from.end(), 0);
  }
  for (std::size_t r = 0; r < tokens.size(); ++r) branches_[r].context.push_back(tokens[r]);
  hidden_ = state_->step(from, tokens);
}

Tensor LanguageScorer::logits(std::int64_t begin, std::int64_t end) {
  const NoGradient guard;
  const Tensor logits = model_.project(Variable(hidden_.slice_rows(begin, end))).value();
  if (options_.cache.used()) {
    backend().log_softmax(logits, logits);
    for (std::int64_t r = begin; r < end; ++r)
      branches_[static_cast<std::size_t>(r)].cache->mix(
          hidden_.slice_rows(r, r + 1), logits.slice_rows(r - begin, r - begin + 1));
  }
  return logits;
}

bool LanguageScorer::adjust(std::int64_t begin, const Tensor& logits) {
  const bool forbids = !options_.forbidden.empty(), penalizes = options_.repetition_penalty != 1.0f;
  std::vector<std::set<std::int32_t>> forbidden, repeated;
  for (std::int64_t r = begin; r < begin + logits.rows(); ++r) {
    const std::vector<std::int32_t>& context = branches_[static_cast<std::size_t>(r)].context;
    if (forbids) forbidden.emplace_back(options_.forbidden.begin(), options_.forbidden.end());
    if (!penalizes) continue;
    repeated.emplace_back(context.begin(), context.end()).erase(options_.never_penalized);
  }
  if (forbids)
    backend().fill_columns(logits, columns_of(forbidden), -std::numeric_limits<float>::infinity());
  if (penalizes)
    backend().penalize_columns(logits, columns_of(repeated), options_.repetition_penalty);
  return forbids || penalizes;
}

}  // namespace attend
