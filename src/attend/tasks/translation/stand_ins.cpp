#include "attend/tasks/translation/stand_ins.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string_view>
#include <tuple>

namespace attend {

namespace {

// Names and words that many languages write alike.
constexpr std::array<std::string_view, 32> kNames{
    "Tom",       "Peter",  "Anna",     "Maria",    "Mary",   "John",   "Paul",   "David",
    "Martin",    "Daniel", "Robert",   "Thomas",   "Alex",   "Laura",  "Sarah",  "Emma",
    "Paris",     "London", "Berlin",   "Madrid",   "Boston", "Google", "Linux",  "Windows",
    "Microsoft", "Apple",  "Facebook", "Internet", "Europa", "Obama",  "Mozart", "Einstein"};
constexpr std::array<std::string_view, 12> kNumbers{"3",  "4",  "5",  "6",  "7",  "8",
                                                    "20", "30", "40", "50", "70", "80"};

// The number of tokens and the sum of their ids; nothing for a word that is not in the vocabulary.
std::pair<std::size_t, std::int64_t> cost(const PreparedSide& side, std::string_view word) {
  const std::vector<std::int32_t> ids = side.tokenizer.encode(side.prepare(word));
  if (std::find(ids.begin(), ids.end(), side.tokenizer.unk_id()) != ids.end()) return {};
  return {ids.size(), std::accumulate(ids.begin(), ids.end(), std::int64_t{0})};
}

std::vector<std::string> best_of(std::span<const std::string_view> words,
                                 const PreparedSide& source, const PreparedSide& target) {
  std::vector<std::tuple<std::size_t, std::int64_t, std::string>> costs;
  for (const std::string_view word : words) {
    const auto [source_tokens, source_ids] = cost(source, word);
    const auto [target_tokens, target_ids] = cost(target, word);
    if (source_tokens == 0 || target_tokens == 0) continue;
    costs.emplace_back(source_tokens + target_tokens, source_ids + target_ids, std::string(word));
  }
  std::sort(costs.begin(), costs.end());
  std::vector<std::string> best;
  for (auto& [tokens, ids, word] : costs) best.push_back(std::move(word));
  return best;
}

}  // namespace

StandIns stand_ins(const PreparedSide& source, const PreparedSide& target) {
  StandIns all{best_of(kNames, source, target), best_of(kNumbers, source, target)};
  // Names of another script are spelled letter by letter.
  constexpr std::size_t kFewTokens = 4;
  if (all.names.empty() ||
      cost(source, all.names.front()).first + cost(target, all.names.front()).first > kFewTokens)
    all.names.insert(all.names.begin(), all.numbers.begin(), all.numbers.end());
  return all;
}

}  // namespace attend
