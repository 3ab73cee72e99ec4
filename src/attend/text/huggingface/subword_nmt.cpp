#include "attend/text/huggingface/subword_nmt.h"

#include <fmt/format.h>

#include <array>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/text/byte_bpe/merges.h"

namespace attend::detail {
namespace {

class SubwordNmtModel final : public PieceModel {
 public:
  SubwordNmtModel(const PieceModelDescription& description, const Vocabulary& vocabulary)
      : vocabulary_(&vocabulary),
        is_outside_(vocabulary.pieces().size()),
        unknown_(description.unknown),
        suffix_(description.word_suffix),
        suffix_apart_(description.suffix_apart),
        merges_({}) {
    if (suffix_.empty()) throw DataError("its words have no suffix");
    vocabulary.require(description.outside, "a piece outside its model");
    for (const std::int32_t id : description.outside)
      is_outside_[static_cast<std::size_t>(id)] = true;
    merges_ = Merges(merges_of(description.codes), MergeOrder::pair_by_pair);
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      pieces_.push_back(piece_of(texts_[i]));
      last_pieces_.push_back(piece_of(texts_[i] + suffix_));
    }
  }

  void cut(std::string_view part, SpecialText, std::vector<PieceToken>& tokens) const override {
    std::vector<std::int32_t> word;
    std::vector<std::size_t> ends, begins;  // of the symbols
    std::vector<std::string> strange;       // symbols of no merge
    const auto add = [&](std::string symbol, std::size_t end) {
      const auto found = ids_.find(symbol);
      word.push_back(found != ids_.end()
                         ? found->second
                         : static_cast<std::int32_t>(texts_.size() + strange.size()));
      if (found == ids_.end()) strange.push_back(std::move(symbol));
      ends.push_back(end);
    };
    for (std::size_t begin = 0, end = 0; begin < part.size(); begin = end) {
      next_code_point(part, end);
      std::string symbol(part.substr(begin, end - begin));
      if (end == part.size() && !suffix_apart_) symbol += suffix_;
      add(std::move(symbol), end);
    }
    if (suffix_apart_) add(suffix_, part.size());
    merges_.apply(word, &begins);
    // The suffix that has remained a symbol belongs to the one before.
    const bool is_apart = suffix_apart_ && word.size() > 1 && begins.back() + 1 == ends.size();
    if (is_apart) word.pop_back();
    begins.push_back(ends.size());
    const auto piece = [&](std::size_t i) {
      const bool is_last = is_apart && i + 1 == word.size();
      const auto symbol = static_cast<std::size_t>(word[i]);
      if (symbol < texts_.size()) return is_last ? last_pieces_[symbol] : pieces_[symbol];
      return piece_of(strange[symbol - texts_.size()] + (is_last ? suffix_ : ""));
    };
    for (std::size_t i = 0; i < word.size(); ++i)
      tokens.push_back(
          {piece(i), begins[i] == 0 ? 0 : ends[begins[i] - 1], ends[begins[i + 1] - 1]});
  }

 private:
  std::int32_t piece_of(const std::string& symbol) const {
    const std::int32_t id = vocabulary_->find(symbol);
    const bool may_be =
        id >= 0 && !is_outside_[static_cast<std::size_t>(id)] && !vocabulary_->is_control(id);
    return may_be ? id : unknown_;
  }

  std::int32_t symbol_of(std::string text) {
    const auto [found, is_new] = ids_.emplace(text, static_cast<std::int32_t>(texts_.size()));
    if (is_new) texts_.push_back(std::move(text));
    return found->second;
  }

  // The first of several merges of the same pair counts.
  std::vector<Merges::Merge> merges_of(const std::vector<std::string>& codes) {
    std::vector<Merges::Merge> merges;
    std::set<std::string_view> known;
    for (const std::string& code : codes) {
      const std::size_t space = code.find(' ');
      if (space == 0 || space >= code.size() - 1 || code.find(' ', space + 1) != code.npos)
        throw DataError(fmt::format("expected two symbols, found the merge {}", quote(code)));
      if (!known.insert(code).second) continue;
      std::string left = code.substr(0, space), right = code.substr(space + 1);
      const std::int32_t whole = symbol_of(left + right);
      merges.push_back({symbol_of(std::move(left)), symbol_of(std::move(right)), whole});
    }
    return merges;
  }

  const Vocabulary* vocabulary_;
  std::vector<bool> is_outside_;  // by id
  std::int32_t unknown_;
  std::string suffix_;
  bool suffix_apart_;
  std::unordered_map<std::string, std::int32_t> ids_;  // of symbols
  std::vector<std::string> texts_;                     // of symbols
  std::vector<std::int32_t> pieces_, last_pieces_;     // of symbols, and with the suffix
  Merges merges_;
};

}  // namespace

std::unique_ptr<const PieceModel> make_subword_nmt(const PieceModelDescription& description,
                                                   const Vocabulary& vocabulary) {
  return std::make_unique<SubwordNmtModel>(description, vocabulary);
}

}  // namespace attend::detail
