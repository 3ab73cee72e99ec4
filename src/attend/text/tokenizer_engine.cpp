#include "attend/text/tokenizer_engine.h"

#include <fmt/format.h>

#include <variant>

#include "attend/error.h"
#include "attend/text/byte_bpe.h"
#include "attend/text/sentencepiece_engine.h"
#include "attend/text/tokenizer_file.h"
#include "attend/text/wordpiece.h"

namespace attend::detail {
namespace {

std::unique_ptr<const TokenizerEngine> engine_of(WordPieceDescription description) {
  return std::make_unique<WordPiece>(std::move(description));
}

std::unique_ptr<const TokenizerEngine> engine_of(ByteBpeDescription description) {
  return std::make_unique<ByteBpe>(std::move(description));
}

}  // namespace

void refuse_long_text(std::size_t bytes) {
  if (bytes >= kMostTextBytes)
    throw DataError(fmt::format(
        "tokenizer: expected a line of less than {} bytes, found more; split it", kMostTextBytes));
}

std::unique_ptr<const TokenizerEngine> make_engine(std::string_view bytes) {
  if (!is_tokenizer_file(bytes)) return std::make_unique<SentencePieceEngine>(bytes);
  return std::visit([](auto description) { return engine_of(std::move(description)); },
                    read_tokenizer_file(bytes));
}

}  // namespace attend::detail
