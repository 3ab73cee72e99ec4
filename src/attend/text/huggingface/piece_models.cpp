#include "attend/text/huggingface/piece_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>
#include <utility>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/text/byte_bpe/merges.h"
#include "attend/text/huggingface/piece_trie.h"
#include "attend/text/huggingface/subword_nmt.h"
#include "attend/text/prefix_table.h"

namespace attend::detail {
namespace {

std::string name_of_byte(unsigned char byte) { return fmt::format("<0x{:02X}>", byte); }

// What all models need of the vocabulary.
class KnownPieces {
 public:
  KnownPieces(const PieceModelDescription& model, const Vocabulary& vocabulary)
      : vocabulary_(&vocabulary), is_outside_(vocabulary.pieces().size()) {
    vocabulary.require(model.outside, "a piece outside its model");
    for (const std::int32_t id : model.outside) is_outside_[static_cast<std::size_t>(id)] = true;
    bytes_.fill(-1);
    for (unsigned byte = 0; model.byte_fallback && byte < bytes_.size(); ++byte)
      bytes_[byte] = find(name_of_byte(static_cast<unsigned char>(byte)), SpecialText::as_tokens);
  }

  // -1: there is none, or it may not be found in text.
  std::int32_t find(std::string_view piece, SpecialText special) const {
    const std::int32_t id = vocabulary_->find(piece);
    return id >= 0 && may_be_found(id, special) ? id : -1;
  }
  bool may_be_found(std::int32_t id, SpecialText special) const {
    return !is_outside_[static_cast<std::size_t>(id)] &&
           (special == SpecialText::as_tokens || !vocabulary_->is_control(id));
  }
  // The pieces of the bytes of a text, if all of them have one. Each has the whole text as its
  // place.
  bool append_bytes(std::string_view text, std::size_t begin, std::size_t end,
                    std::vector<PieceToken>& tokens) const {
    const auto piece_of = [this](char byte) { return bytes_[static_cast<unsigned char>(byte)]; };
    if (std::any_of(text.begin(), text.end(), [&](char byte) { return piece_of(byte) < 0; }))
      return false;
    for (const char byte : text) tokens.push_back({piece_of(byte), begin, end});
    return true;
  }

 private:
  const Vocabulary* vocabulary_;
  std::vector<bool> is_outside_;  // by id
  std::array<std::int32_t, 256> bytes_{};
};

// The most likely pieces (Kudo 2018). A character without a piece has the least score of all, minus
// a penalty; neighbors without a piece are one token.
class UnigramModel final : public PieceModel {
 public:
  UnigramModel(PieceModelDescription description, const Vocabulary& vocabulary)
      : known_(description, vocabulary),
        scores_(std::move(description.scores)),
        unknown_(description.unknown) {
    constexpr double kPenalty = 10.0;
    std::vector<std::pair<std::string_view, std::int32_t>> entries;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < scores_.size(); ++i) {
      entries.emplace_back(vocabulary.pieces()[i], static_cast<std::int32_t>(i));
      least = std::min(least, scores_[i]);
    }
    unknown_score_ = least - kPenalty;
    pieces_ = PieceTrie(std::move(entries));
  }

  float score(std::int32_t id) const override {
    const auto index = static_cast<std::size_t>(id);
    return index < scores_.size() ? static_cast<float>(scores_[index]) : 0.0f;
  }

  void cut(std::string_view part, SpecialText special,
           std::vector<PieceToken>& tokens) const override {
    const std::vector<Step> best = best_steps(part, special);
    std::vector<std::pair<std::size_t, std::size_t>> pieces;  // from the last to the first
    bool after_unknown = false;
    for (std::size_t end = part.size(); end > 0; end = best[end].begin) {
      const bool unknown = best[end].id == unknown_;
      if (unknown && after_unknown) {
        pieces.back().first = best[end].begin;
      } else {
        pieces.emplace_back(best[end].begin, end);
      }
      after_unknown = unknown;
    }
    std::for_each(pieces.rbegin(), pieces.rend(), [&](const auto& piece) {
      append(part, piece.first, piece.second, special, tokens);
    });
  }

 private:
  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();
  struct Step {  // the last piece of the best pieces up to a position
    double score = 0;
    std::size_t begin = kNowhere;
    std::int32_t id = 0;
  };

  std::vector<Step> best_steps(std::string_view part, SpecialText special) const {
    std::vector<Step> best(part.size() + 1);
    const auto offer = [&](std::size_t end, const Step& step) {
      if (best[end].begin == kNowhere || step.score > best[end].score) best[end] = step;
    };
    for (std::size_t at = 0; at < part.size();) {
      std::size_t next = at;
      next_code_point(part, next);
      const double before = best[at].score;
      bool has_character = false;
      pieces_.prefixes(part.substr(at), [&](std::int32_t id, std::size_t length) {
        if (!known_.may_be_found(id, special)) return;
        offer(at + length, {scores_[static_cast<std::size_t>(id)] + before, at, id});
        has_character = has_character || at + length == next;
      });
      if (!has_character) offer(next, {unknown_score_ + before, at, unknown_});
      at = next;
    }
    return best;
  }

  // Unknown characters side by side may be the string of a piece.
  void append(std::string_view part, std::size_t begin, std::size_t end, SpecialText special,
              std::vector<PieceToken>& tokens) const {
    const std::string_view text = part.substr(begin, end - begin);
    const std::int32_t id = known_.find(text, special);
    if (id >= 0) {
      tokens.push_back({id, begin, end});
    } else if (!known_.append_bytes(text, begin, end, tokens)) {
      tokens.push_back({unknown_, begin, end});
    }
  }

  KnownPieces known_;
  std::vector<double> scores_;
  std::int32_t unknown_;
  double unknown_score_ = 0;
  PieceTrie pieces_;
};

// Merges of neighboring pieces (Sennrich et al. 2016), which begin as characters.
class BpeModel final : public PieceModel {
 public:
  BpeModel(PieceModelDescription description, const Vocabulary& vocabulary)
      : options_(std::move(description)),
        known_(options_, vocabulary),
        scores_(vocabulary.pieces().size(), 0.0f),
        merges_(merges_of(vocabulary)) {
    options_.merges = {};
  }

  float score(std::int32_t id) const override { return scores_[static_cast<std::size_t>(id)]; }

  void cut(std::string_view part, SpecialText special,
           std::vector<PieceToken>& tokens) const override {
    if (options_.ignore_merges) {
      const std::int32_t whole = known_.find(part, special);
      if (whole >= 0) {
        tokens.push_back({whole, 0, part.size()});
        return;
      }
    }
    const std::vector<PieceToken> symbols = symbols_of(part, special);
    std::vector<std::int32_t> word;
    word.reserve(symbols.size());
    for (const PieceToken& symbol : symbols) word.push_back(symbol.id);
    std::vector<std::size_t> begins;
    merges_.apply(word, &begins);
    begins.push_back(symbols.size());
    for (std::size_t i = 0; i < word.size(); ++i)
      tokens.push_back({word[i], symbols[begins[i]].begin, symbols[begins[i + 1] - 1].end});
  }

 private:
  // Characters, unknown ones perhaps joined. The bytes of a character stand before unknown ones
  // that come before it, as in the original.
  std::vector<PieceToken> symbols_of(std::string_view part, SpecialText special) const {
    std::vector<PieceToken> symbols;
    PieceToken unknown{-1, 0, 0};
    const auto finish_unknown = [&] {
      if (unknown.id >= 0) symbols.push_back(std::exchange(unknown, {-1, 0, 0}));
    };
    std::string symbol;
    for (std::size_t begin = 0, end = 0; begin < part.size(); begin = end) {
      next_code_point(part, end);
      symbol = begin > 0 ? options_.continuing_prefix : "";
      symbol += part.substr(begin, end - begin);
      if (end == part.size()) symbol += options_.word_suffix;
      const std::int32_t id = known_.find(symbol, special);
      if (id >= 0) {
        finish_unknown();
        symbols.push_back({id, begin, end});
      } else if (!known_.append_bytes(symbol, begin, end, symbols) && options_.unknown >= 0) {
        if (!options_.fuse_unknown) finish_unknown();
        unknown = {options_.unknown, unknown.id >= 0 ? unknown.begin : begin, end};
      }
    }
    finish_unknown();
    return symbols;
  }

  std::vector<Merges::Merge> merges_of(const Vocabulary& vocabulary) {
    std::vector<Merges::Merge> merges;
    merges.reserve(options_.merges.size());
    const std::string& prefix = options_.continuing_prefix;
    for (const auto& [left, right] : options_.merges) {
      vocabulary.require(std::array{left, right}, "a side of a merge");
      const std::string& end = vocabulary.piece(right);
      if (!end.starts_with(prefix))
        throw DataError(fmt::format("the merge with {} joins no continuation", quote(end)));
      const std::string whole = vocabulary.piece(left) + end.substr(prefix.size());
      const std::int32_t id = vocabulary.find(whole);
      if (id < 0) throw DataError(fmt::format("no piece is what a merge makes, {}", quote(whole)));
      for (const std::int32_t one : {left, right, id})
        if (vocabulary.is_control(one))
          throw DataError(
              fmt::format("the special token {} is part of a merge", quote(vocabulary.piece(one))));
      merges.push_back({left, right, id});
      float& score = scores_[static_cast<std::size_t>(id)];
      if (score == 0.0f) score = -static_cast<float>(merges.size());
    }
    return merges;
  }

  PieceModelDescription options_;  // without the merges
  KnownPieces known_;
  std::vector<float> scores_;
  Merges merges_;
};

// The longest known pieces from left to right (Wu et al. 2016). A word with an unknown part is
// unknown as a whole.
class WordPieceModel final : public PieceModel {
 public:
  WordPieceModel(PieceModelDescription description, const Vocabulary& vocabulary)
      : options_(std::move(description)) {
    const KnownPieces known(options_, vocabulary);
    for (const SpecialText special : {SpecialText::as_text, SpecialText::as_tokens}) {
      begins_.push_back(table(known, vocabulary, special, ""));
      continues_.push_back(table(known, vocabulary, special, options_.continuing_prefix));
    }
  }

  void cut(std::string_view part, SpecialText special,
           std::vector<PieceToken>& tokens) const override {
    const std::size_t before = tokens.size(), which = special == SpecialText::as_tokens ? 1 : 0;
    const auto most = static_cast<std::size_t>(options_.longest_word);
    bool known = part.size() <= most || count_code_points(part) <= most;
    for (std::size_t at = 0; known && at < part.size();) {
      const auto& table = at == 0 ? begins_ : continues_;
      const PrefixTable::Match match = table[which].longest(part.substr(at));
      known = match.length > 0;
      if (known) tokens.push_back({match.value, at, at + match.length});
      at += match.length;
    }
    if (known) return;
    tokens.resize(before);
    tokens.push_back({options_.unknown, 0, part.size()});
  }

 private:
  // What follows the prefix in pieces that have it.
  static PrefixTable table(const KnownPieces& known, const Vocabulary& vocabulary,
                           SpecialText special, std::string_view prefix) {
    std::vector<std::pair<std::string, std::int32_t>> entries;
    for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
      const std::string_view piece = vocabulary.piece(id);
      if (known.may_be_found(id, special) && piece.starts_with(prefix) &&
          piece.size() > prefix.size())
        entries.emplace_back(piece.substr(prefix.size()), id);
    }
    return PrefixTable(std::move(entries));
  }

  PieceModelDescription options_;
  std::vector<PrefixTable> begins_, continues_;  // without and with control pieces
};

}  // namespace

std::unique_ptr<const PieceModel> make_piece_model(PieceModelDescription d,
                                                   const Vocabulary& vocabulary) {
  if (d.unknown >= vocabulary.size() || (d.unknown < 0 && d.type != PieceModelType::bpe))
    throw DataError("it has no unknown token");
  switch (d.type) {
    case PieceModelType::unigram:
      if (d.scores.empty() || std::ssize(d.scores) > vocabulary.size())
        throw DataError("its pieces and scores are not equally many");
      return std::make_unique<UnigramModel>(std::move(d), vocabulary);
    case PieceModelType::bpe:
      return std::make_unique<BpeModel>(std::move(d), vocabulary);
    case PieceModelType::subword_nmt:
      return make_subword_nmt(d, vocabulary);
    case PieceModelType::wordpiece:
      break;
  }
  return std::make_unique<WordPieceModel>(std::move(d), vocabulary);
}

}  // namespace attend::detail
