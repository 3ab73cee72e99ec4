#include "attend/text/bpe_dropout.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

#include "attend/core/error.h"
#include "attend/text/meta_symbol.h"

namespace attend {

namespace {

std::uint64_t key(std::int32_t left, std::int32_t right) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) | static_cast<std::uint32_t>(right);
}

std::size_t character_length(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

std::optional<std::int32_t> find(const Tokenizer& tokenizer, std::string_view piece) {
  const std::int32_t id = tokenizer.id(piece);
  return id == tokenizer.unk_id() ? std::nullopt : std::optional(id);
}

// Neither text of its own nor made of characters: unknown, control and byte pieces.
bool is_special(const Tokenizer& tokenizer, std::int32_t id) {
  const std::string& piece = tokenizer.piece(id);
  const bool control = id == tokenizer.unk_id() || id == tokenizer.pad_id() || id == tokenizer.bos_id() || id == tokenizer.eos_id();
  return control || (piece.size() == 6 && piece.starts_with("<0x"));
}

}  // namespace

BpeDropout::BpeDropout(const Tokenizer& tokenizer, float probability) : probability_(probability) {
  if (!(probability >= 0.0f && probability < 1.0f))
    throw ConfigError(fmt::format("bpe-dropout: expected a probability in [0, 1), got {}", probability));
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) {
    const std::string_view piece = tokenizer.piece(id);
    begins_word_.push_back(piece.starts_with(detail::kMetaSymbol));
    characters_.push_back({id});
    if (is_special(tokenizer, id)) continue;
    std::vector<std::int32_t> characters;
    for (std::size_t at = 0; at < piece.size();) {
      const std::size_t length = character_length(piece[at]);
      const auto character = find(tokenizer, piece.substr(at, length));
      if (!character) break;
      characters.push_back(*character);
      at += length;
      if (at == piece.size()) characters_.back() = characters;
      if (at == piece.size() || at == 0) continue;
      const auto left = find(tokenizer, piece.substr(0, at)), right = find(tokenizer, piece.substr(at));
      if (left && right) merges_[key(*left, *right)] = {id, tokenizer.score(id)};
    }
  }
}

std::vector<std::int32_t> BpeDropout::sample(std::span<const std::int32_t> ids, Random& random) const {
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

void BpeDropout::sample_word(std::vector<std::int32_t>& symbols, Random& random) const {
  while (symbols.size() > 1) {
    std::size_t best = symbols.size();
    Merge merge{0, 0};
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      const auto found = merges_.find(key(symbols[i], symbols[i + 1]));
      if (found == merges_.end()) continue;
      if (probability_ > 0.0f && random.uniform() < probability_) continue;
      if (best == symbols.size() || found->second.score > merge.score) {
        best = i;
        merge = found->second;
      }
    }
    if (best == symbols.size()) return;
    symbols[best] = merge.id;
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

}  // namespace attend
