#include "attend/metrics/expected_utility.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/core/threads/interruption.h"
#include "attend/core/threads/parallel.h"
#include "attend/metrics/bleu.h"
#include "attend/metrics/chrf.h"
#include "attend/metrics/ngrams.h"
#include "attend/metrics/tokenize.h"

namespace attend {
namespace {

using Symbols = std::vector<std::uint32_t>;

Symbols characters_to_compare(std::string_view text) {
  Symbols symbols;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (!unicode::is_space(c)) symbols.push_back(static_cast<std::uint32_t>(c));
  }
  return symbols;
}

class Words {
 public:
  Symbols of(std::string_view text) {
    const std::string tokens = bleu_tokenize(text, BleuOptions().tokenization);
    Symbols symbols;
    for (const std::string_view word : unicode::split(tokens))
      symbols.push_back(
          numbers_.try_emplace(std::string(word), static_cast<std::uint32_t>(numbers_.size()))
              .first->second);
    return symbols;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

// The n-grams of a text, which are numbered together with those of other texts.
struct CountedText {
  struct Ngram {
    std::uint32_t number = 0;
    std::uint32_t count = 0;
  };
  std::int64_t length = 0;                 // symbols
  std::vector<std::vector<Ngram>> orders;  // [order - 1]

  CountedText(const Symbols& symbols, int max_order, NgramTable& table)
      : length(std::ssize(symbols)), orders(static_cast<std::size_t>(max_order)) {
    std::vector<std::uint32_t> ends(symbols.size(), 0);  // numbers of the n-grams from each place
    for (std::size_t n = 0; n < orders.size() && n < symbols.size(); ++n) {
      std::vector<std::uint32_t> numbers;
      for (std::size_t i = 0; i + n < symbols.size(); ++i)
        numbers.push_back(ends[i] = table.insert(ends[i], symbols[i + n]));
      std::sort(numbers.begin(), numbers.end());
      for (const std::uint32_t number : numbers) {
        if (orders[n].empty() || orders[n].back().number != number) orders[n].push_back({number});
        ++orders[n].back().count;
      }
    }
  }
};

// The scores of texts with one reference after another.
class Comparison {
 public:
  Comparison(Utility utility, std::size_t ngrams) : utility_(utility), clips_(ngrams) {}

  void set_reference(const CountedText& reference) {
    if (reference_)
      for (const auto& order : reference_->orders)
        for (const auto& ngram : order) clips_[ngram.number] = 0;
    reference_ = &reference;
    for (const auto& order : reference.orders)
      for (const auto& ngram : order) clips_[ngram.number] = ngram.count;
  }

  double score(const CountedText& text) {
    row_.clear();
    if (utility_ == Utility::bleu) {
      row_ = {text.length, reference_->length};
      for (std::size_t n = 0; n < text.orders.size(); ++n) row_.push_back(matches(text.orders[n]));
      for (int n = 1; n <= std::ssize(text.orders); ++n) row_.push_back(ngrams_in(text.length, n));
      static const BleuOptions options{.effective_order = true};
      return bleu_from_counts(row_, options).score;
    }
    for (int n = 1; n <= std::ssize(text.orders); ++n) {
      row_.push_back(ngrams_in(text.length, n));
      row_.push_back(ngrams_in(reference_->length, n));
      row_.push_back(matches(text.orders[static_cast<std::size_t>(n - 1)]));
    }
    return chrf_from_counts(row_);
  }

 private:
  std::int64_t matches(const std::vector<CountedText::Ngram>& ngrams) const {
    std::int64_t sum = 0;
    for (const auto& ngram : ngrams) sum += std::min(ngram.count, clips_[ngram.number]);
    return sum;
  }

  Utility utility_;
  std::vector<std::uint32_t> clips_;  // how often the reference has each n-gram
  const CountedText* reference_ = nullptr;
  std::vector<std::int64_t> row_;
};

std::vector<CountedText> counted_texts(Utility utility, std::span<const std::string> texts,
                                       NgramTable& table) {
  Words words;
  std::vector<CountedText> counted;
  for (const std::string& text : texts)
    utility == Utility::bleu
        ? counted.emplace_back(words.of(text), BleuOptions().max_order, table)
        : counted.emplace_back(characters_to_compare(text), ChrfOptions().char_order, table);
  return counted;
}

std::vector<double> compared_by_ngrams(Utility utility, std::span<const std::string> texts) {
  NgramTable table;
  const std::vector<CountedText> counted = counted_texts(utility, texts, table);
  const std::size_t count = texts.size();
  std::vector<double> scores(count * count);
  parallel_for(static_cast<std::int64_t>(count), 1, [&](std::int64_t begin, std::int64_t end) {
    Comparison comparison(utility, table.size());
    for (auto r = static_cast<std::size_t>(begin); r < static_cast<std::size_t>(end); ++r) {
      look_for_interruption();
      comparison.set_reference(counted[r]);
      for (std::size_t h = 0; h < count; ++h) scores[r * count + h] = comparison.score(counted[h]);
    }
  });
  return scores;
}

}  // namespace

std::span<const std::string_view> enum_names(Utility) {
  static constexpr std::array<std::string_view, 4> kNames{"none", "chrf", "bleu", "comet"};
  return kNames;
}

PairUtility pair_utility(Utility utility) {
  return
      [utility](std::span<const std::string> texts) { return compared_by_ngrams(utility, texts); };
}

std::vector<double> expected_utilities(const PairUtility& utility,
                                       std::span<const std::string> texts,
                                       std::span<const double> weights, ComparedWith compared) {
  std::unordered_map<std::string_view, std::size_t> numbers;
  std::vector<std::string> distinct;
  std::vector<double> distinct_weights;
  std::vector<std::size_t> number_of;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto [at, is_new] = numbers.try_emplace(texts[i], distinct.size());
    if (is_new) {
      distinct.push_back(texts[i]);
      distinct_weights.push_back(0);
    }
    distinct_weights[at->second] += weights[i];
    number_of.push_back(at->second);
  }

  const std::vector<double> scores = utility(distinct);
  const std::size_t count = distinct.size();
  std::vector<double> expected(count, 0);
  for (std::size_t r = 0; r < count; ++r)
    for (std::size_t h = 0; h < count; ++h)
      expected[h] += distinct_weights[r] * scores[r * count + h];

  std::vector<double> result;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::size_t h = number_of[i];
    if (compared == ComparedWith::all)
      result.push_back(expected[h]);
    else if (texts.size() == 1)
      result.push_back(0);
    else
      result.push_back((expected[h] - weights[i] * scores[h * count + h]) / (1 - weights[i]));
  }
  return result;
}

}  // namespace attend
