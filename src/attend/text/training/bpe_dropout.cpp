#include "attend/text/training/bpe_dropout.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "attend/core/options/number_range.h"
#include "attend/core/options/option_error.h"
#include "attend/error.h"
#include "attend/text/sentencepiece/meta_symbol.h"
#include "attend/text/sentencepiece/sentencepiece_model.h"
#include "attend/text/tokenizer_file.h"

namespace attend {

namespace {

std::uint64_t key(std::int32_t left, std::int32_t right) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) |
         static_cast<std::uint32_t>(right);
}

std::size_t character_length(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

std::optional<std::int32_t> find(const Tokenizer& tokenizer, std::string_view piece) {
  const std::int32_t id = tokenizer.id(piece);
  return id == tokenizer.unk_id() ? std::nullopt : std::optional(id);
}

// Says of each id whether the token has no characters of its own or stays whole: unknown, control,
// byte and user-defined ones.
std::vector<bool> special_ids(const Tokenizer& tokenizer, const detail::SentencePieceModel& model) {
  std::vector<bool> special;
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) {
    const bool control = id == tokenizer.unk_id() || id == tokenizer.pad_id() ||
                         id == tokenizer.bos_id() || id == tokenizer.eos_id();
    const detail::PieceType type = model.pieces[static_cast<std::size_t>(id)].type;
    special.push_back(control || type == detail::PieceType::byte ||
                      type == detail::PieceType::user_defined);
  }
  return special;
}

// The symbols of a word by start position, and which of them may merge with the next.
class Word {
 public:
  struct Ranked {
    float score;
    std::size_t left;
    // Highest score first, then leftmost.
    bool operator<(const Ranked& other) const {
      return score != other.score ? score > other.score : left < other.left;
    }
  };

  explicit Word(std::size_t size) : next_(size), previous_(size), scores_(size), counts_(size + 1) {
    for (std::size_t i = 0; i < size; ++i) {
      next_[i] = i + 1;
      previous_[i] = i - 1;
    }
  }

  std::size_t next(std::size_t at) const {
    return next_[at];
  }  // the size of the word, after the last
  std::size_t previous(std::size_t at) const { return previous_[at]; }
  const std::set<Ranked>& ranked_merges() const { return ranked_; }

  // The number of possible merges to the left.
  std::uint64_t merges_before(std::size_t at) const {
    std::uint64_t count = 0;
    for (std::size_t i = at; i > 0; i &= i - 1) count += static_cast<std::uint64_t>(counts_[i]);
    return count;
  }

  void set_merge(std::size_t left, std::optional<float> score) {
    if (scores_[left]) ranked_.erase({*scores_[left], left});
    if (score) ranked_.insert({*score, left});
    const int more = (score ? 1 : 0) - (scores_[left] ? 1 : 0);
    if (more != 0) {
      for (std::size_t i = left + 1; i < counts_.size(); i += i & (~i + 1)) counts_[i] += more;
    }
    scores_[left] = score;
  }

  // Merges the symbol after `left` into it.
  void join(std::size_t left) {
    const std::size_t right = next_[left];
    set_merge(right, std::nullopt);
    next_[left] = next_[right];
    if (next_[left] < next_.size()) previous_[next_[left]] = left;
  }

 private:
  std::vector<std::size_t> next_, previous_;
  std::vector<std::optional<float>> scores_;  // of the merge with the next symbol
  std::vector<int> counts_;  // number of merges, as a binary indexed tree (Fenwick 1994)
  std::set<Ranked> ranked_;
};

}  // namespace

BpeDropout::BpeDropout(const Tokenizer& tokenizer, float probability) : probability_(probability) {
  require_in_range("bpe-dropout", probability, below_one());
  if (detail::is_tokenizer_file(tokenizer.bytes())) {
    read_imported(tokenizer);
  } else {
    read_sentencepiece(tokenizer);
  }
}

void BpeDropout::read_sentencepiece(const Tokenizer& tokenizer) {
  const std::vector<bool> special =
      special_ids(tokenizer, detail::read_sentencepiece_model(tokenizer.bytes()));
  read_characters(tokenizer, special);
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) {
    const std::string_view piece = tokenizer.piece(id);
    if (special[static_cast<std::size_t>(id)]) continue;
    for (std::size_t at = 0; at < piece.size();) {
      const std::size_t length = character_length(piece[at]);
      if (!find(tokenizer, piece.substr(at, length))) break;
      at += length;
      if (at == piece.size()) continue;
      const auto left = find(tokenizer, piece.substr(0, at)),
                 right = find(tokenizer, piece.substr(at));
      if (left && right) merges_[key(*left, *right)] = {id, tokenizer.score(id)};
    }
  }
}

// Its merges are pairs, each with a rank of its own.
void BpeDropout::read_imported(const Tokenizer& tokenizer) {
  const auto file = detail::read_tokenizer_file(tokenizer.bytes());
  const auto* const steps = std::get_if<detail::StepsDescription>(&file);
  if (steps == nullptr || !steps->model.continuing_prefix.empty() ||
      !steps->model.word_suffix.empty())
    throw OptionError<ConfigError>("{}: expected a tokenizer of type bpe, got another",
                                   as_key("bpe-dropout"));
  std::vector<bool> special(static_cast<std::size_t>(tokenizer.vocab_size()), false);
  for (const std::int32_t id : steps->vocabulary.controls)
    special[static_cast<std::size_t>(id)] = true;
  for (const detail::AddedPiece& piece : steps->added)
    special[static_cast<std::size_t>(piece.id)] = true;
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id)
    if (id == tokenizer.unk_id() || tokenizer.piece(id).starts_with("<0x"))
      special[static_cast<std::size_t>(id)] = true;
  read_characters(tokenizer, special);
  float rank = 0;
  for (const auto& [left, right] : steps->model.merges) {
    const std::int32_t whole = tokenizer.id(tokenizer.piece(left) + tokenizer.piece(right));
    merges_[key(left, right)] = {whole, rank -= 1};
  }
}

void BpeDropout::read_characters(const Tokenizer& tokenizer, const std::vector<bool>& special) {
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) {
    const std::string_view piece = tokenizer.piece(id);
    begins_word_.push_back(piece.starts_with(detail::kMetaSymbol));
    characters_.push_back({id});
    std::vector<std::int32_t> characters;
    for (std::size_t at = 0; at < piece.size() && !special[static_cast<std::size_t>(id)];) {
      const std::size_t length = character_length(piece[at]);
      const auto character = find(tokenizer, piece.substr(at, length));
      if (!character) break;
      characters.push_back(*character);
      at += length;
      if (at == piece.size()) characters_.back() = characters;
    }
  }
}

std::vector<std::int32_t> BpeDropout::sample(std::span<const std::int32_t> ids,
                                             Random& random) const {
  std::vector<std::int32_t> result, word;
  const auto finish_word = [&] {
    sample_word(word, random);
    result.insert(result.end(), word.begin(), word.end());
    word.clear();
  };
  for (const std::int32_t id : ids) {
    const auto index = static_cast<std::size_t>(id);
    if (begins_word_[index]) finish_word();
    word.insert(word.end(), characters_[index].begin(), characters_[index].end());
  }
  finish_word();
  return result;
}

const BpeDropout::Merge* BpeDropout::merge_of(std::int32_t left, std::int32_t right) const {
  const auto found = merges_.find(key(left, right));
  return found == merges_.end() ? nullptr : &found->second;
}

// Before each merge, every possible one draws a random number, from left to right, that decides
// whether it is dropped. Only the numbers of the best few are evaluated, until one is kept.
void BpeDropout::sample_word(std::vector<std::int32_t>& symbols, Random& random) const {
  Word word(symbols.size());
  const auto find_merge = [&](std::size_t left) {
    const std::size_t right = word.next(left);
    const Merge* merge = right < symbols.size() ? merge_of(symbols[left], symbols[right]) : nullptr;
    word.set_merge(left, merge == nullptr ? std::nullopt : std::optional(merge->score));
  };
  for (std::size_t i = 0; i < symbols.size(); ++i) find_merge(i);
  for (;;) {
    const auto& ranked = word.ranked_merges();
    const auto stays = [&](const Word::Ranked& merge) {
      if (probability_ == 0.0f) return true;
      Random own = random;
      own.skip(word.merges_before(merge.left));
      return own.uniform() >= probability_;
    };
    const auto best = std::find_if(ranked.begin(), ranked.end(), stays);
    if (probability_ > 0.0f) random.skip(ranked.size());
    if (best == ranked.end()) break;
    const std::size_t left = best->left;
    symbols[left] = merge_of(symbols[left], symbols[word.next(left)])->id;
    word.join(left);
    find_merge(left);
    if (left > 0) find_merge(word.previous(left));
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < symbols.size(); i = word.next(i)) symbols[kept++] = symbols[i];
  symbols.resize(kept);
}

}  // namespace attend
