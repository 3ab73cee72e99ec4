#include "attend/text/tokenizer_engine.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "attend/error.h"
#include "attend/text/byte_bpe/byte_bpe.h"
#include "attend/text/huggingface/steps_engine.h"
#include "attend/text/sentencepiece/sentencepiece_engine.h"
#include "attend/text/tokenizer_file.h"
#include "attend/text/wordpiece/wordpiece.h"

namespace attend::detail {
namespace {

std::unique_ptr<const TokenizerEngine> engine_of(WordPieceDescription description) {
  return std::make_unique<WordPiece>(std::move(description));
}

std::unique_ptr<const TokenizerEngine> engine_of(ByteBpeDescription description) {
  return std::make_unique<ByteBpe>(std::move(description));
}

std::unique_ptr<const TokenizerEngine> engine_of(StepsDescription description) {
  return std::make_unique<StepsEngine>(std::move(description));
}

}  // namespace

void refuse_long_text(std::size_t bytes) {
  if (bytes >= kMostTextBytes)
    throw DataError(fmt::format(
        "tokenizer: expected a line of less than {} bytes, found more; split it", kMostTextBytes));
}

const PrefixTable& TokenizerEngine::special_strings() const {
  std::call_once(has_special_strings_, [this] {
    std::vector<std::pair<std::string, std::int32_t>> strings;
    for (std::int32_t id = 0; id < vocab_size(); ++id)
      if (is_control(id) || id == special().unk) strings.emplace_back(piece(id), id);
    special_strings_.emplace(std::move(strings));
  });
  return *special_strings_;
}

template <class Part, class Token>
void TokenizerEngine::cut_at_special(std::string_view text, const Part& part,
                                     const Token& token) const {
  const PrefixTable& strings = special_strings();
  std::size_t done = 0;
  for (std::size_t at = 0; at < text.size();) {
    const PrefixTable::Match match = strings.longest(text.substr(at));
    if (match.length == 0) {
      ++at;
      continue;
    }
    if (at > done) part(text.substr(done, at - done));
    token(match.value, text.substr(at, match.length));
    done = at += match.length;
  }
  if (done < text.size()) part(text.substr(done));
}

std::vector<std::int32_t> TokenizerEngine::encode_with_special(std::string_view text) const {
  refuse_long_text(text.size());
  std::vector<std::int32_t> ids;
  cut_at_special(
      text,
      [&](std::string_view part) {
        const std::vector<std::int32_t> more = encode(part);
        ids.insert(ids.end(), more.begin(), more.end());
      },
      [&](std::int32_t id, std::string_view) { ids.push_back(id); });
  return ids;
}

std::vector<TokenSpan> TokenizerEngine::spans_with_special(std::string_view text) const {
  refuse_long_text(text.size());
  std::vector<TokenSpan> result;
  const auto position = [&](std::string_view part) {
    return static_cast<std::size_t>(part.data() - text.data());
  };
  cut_at_special(
      text,
      [&](std::string_view part) {
        for (const TokenSpan& span : spans(part))
          result.push_back({position(part) + span.begin, position(part) + span.end});
      },
      [&](std::int32_t, std::string_view token) {
        result.push_back({position(token), position(token) + token.size()});
      });
  return result;
}

void TokenizerEngine::trim(std::string_view, std::span<const std::int32_t>,
                           std::span<TokenSpan>) const {}

std::unique_ptr<const TokenizerEngine> make_engine(std::string_view bytes) {
  if (!is_tokenizer_file(bytes)) return std::make_unique<SentencePieceEngine>(bytes);
  return std::visit([](auto description) { return engine_of(std::move(description)); },
                    read_tokenizer_file(bytes));
}

}  // namespace attend::detail
