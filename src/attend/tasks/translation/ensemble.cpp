#include "attend/tasks/translation/ensemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "attend/backend/backend.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/tasks/translation/scoring.h"

namespace attend {

namespace {

// The models of a comparison, and what of them is compared.
struct Compared {
  const TranslationModel& model;
  const TranslationModel& first;
  std::string_view part;  // "source"

  [[noreturn]] void refuse(const std::string& difference) const {
    throw DataError(fmt::format("{}: expected the {} vocabulary of {}, to translate with it; {}",
                                model.source, part, first.source, difference));
  }
};

void check_vocabulary(const Compared& compared, const Tokenizer& tokenizer,
                      const Tokenizer& first) {
  if (tokenizer.vocab_size() != first.vocab_size())
    compared.refuse(
        fmt::format("it has {} tokens, not {}", tokenizer.vocab_size(), first.vocab_size()));
  for (std::int32_t id = 0; id < first.vocab_size(); ++id)
    if (tokenizer.piece(id) != first.piece(id))
      compared.refuse(fmt::format("token {} is {}, not {}", id, quote(tokenizer.piece(id)),
                                  quote(first.piece(id))));
  if (tokenizer.eos_id() != first.eos_id() || tokenizer.bos_id() != first.bos_id())
    compared.refuse("its texts begin or end with another token");
}

void check_member(const TranslationModel& model, const TranslationModel& first) {
  check_vocabulary({model, first, "source"}, model.src_tokenizer, first.src_tokenizer);
  check_vocabulary({model, first, "target"}, model.tgt_tokenizer, first.tgt_tokenizer);
  if (model.ends != first.ends)
    throw DataError(
        fmt::format("{}: expected the tokens that end a translation of {}; found others",
                    model.source, first.source));
  if (pair_format_json(model.format) != pair_format_json(first.format))
    throw DataError(fmt::format(
        "{}: expected the languages, special tokens and context of {}, to translate with it; found "
        "others",
        model.source, first.source));
}

// The scores of all tokens, one sequence behind the other: [1, N].
Tensor token_scores(const std::vector<SequenceScore>& scores) {
  std::vector<float> all;
  for (const SequenceScore& score : scores)
    all.insert(all.end(), score.token_scores.begin(), score.token_scores.end());
  return Tensor::from(std::span<const float>(all), {1, std::ssize(all)});
}

}  // namespace

TranslationEnsemble::TranslationEnsemble(Models models) : models_(std::move(models)) {
  for (std::size_t m = 1; m < models_.size(); ++m) check_member(*models_[m], first());
}

std::int64_t TranslationEnsemble::longest_input() const {
  std::int64_t longest = 0;
  for (const auto& model : models_) {
    const std::int64_t own = model->longest_input();
    if (own > 0 && (longest == 0 || own < longest)) longest = own;
  }
  return longest;
}

std::vector<std::int32_t> TranslationEnsemble::suppressed() const {
  std::set<std::int32_t> tokens;
  for (const auto& model : models_)
    tokens.insert(model->suppressed.begin(), model->suppressed.end());
  return {tokens.begin(), tokens.end()};
}

std::vector<SequenceScore> TranslationEnsemble::score(
    const PairSpecialTokens& marks, std::span<const std::vector<std::int32_t>> src,
    std::span<const std::vector<std::int32_t>> tgt) const {
  std::vector<Tensor> members;
  std::vector<SequenceScore> scores;
  for (const auto& model : models_) {
    scores = score_pairs(*model, marks, src, tgt);
    members.push_back(token_scores(scores));
  }
  if (!has_several()) return scores;
  backend()->log_mean_exp(members, members.front());
  const std::vector<float> means = members.front().to_vector();
  auto mean = means.begin();
  for (SequenceScore& score : scores) {
    for (float& token : score.token_scores) token = *mean++;
    score.log_probability =
        std::accumulate(score.token_scores.begin(), score.token_scores.end(), 0.0f);
  }
  return scores;
}

}  // namespace attend
