#include "attend/text/wordpiece/wordpiece_decoder.h"

#include <algorithm>
#include <array>
#include <utility>

namespace attend::detail {
namespace {

using namespace std::string_view_literals;

constexpr std::array kClosing{"."sv, ","sv, ";"sv, ":"sv, "!"sv, "?"sv,  ")"sv,  "]"sv,
                              "}"sv, "%"sv, "…"sv, "”"sv, "»"sv, "。"sv, "、"sv, "，"sv};
constexpr std::array kOpening{"("sv, "["sv, "{"sv, "„"sv, "«"sv, "¿"sv, "¡"sv};
constexpr std::array kJoining{"'"sv, "’"sv, "-"sv};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& marks, std::string_view piece) {
  return std::find(marks.begin(), marks.end(), piece) != marks.end();
}

}  // namespace

std::string WordPieceDecoder::add(std::int32_t id) {
  if (engine_->is_unknown(id)) {
    const bool joined = std::exchange(joins_next_, false);
    return joined ? "⁇" : " ⁇";
  }
  if (engine_->is_control(id)) return "";
  std::string_view piece = engine_->piece(id);
  if (engine_->continues_word(id)) {
    joins_next_ = false;
    return std::string(piece.substr(kContinuation.size()));
  }
  const bool marks = engine_->splits_punctuation();
  const bool joins = marks && is_one_of(kJoining, piece);
  const bool space = !joins_next_ && !joins && !(marks && is_one_of(kClosing, piece));
  joins_next_ = joins || (marks && is_one_of(kOpening, piece));
  return (space ? " " : "") + std::string(piece);
}

std::string WordPieceDecoder::finish() {
  joins_next_ = true;
  return "";
}

}  // namespace attend::detail
