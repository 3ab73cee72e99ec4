// The pieces of a GGUF file with their types, and the tokens that have a meaning. Private to
// families/gguf.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "attend/interchange/foreign_config.h"

namespace attend::detail {

enum class GgufPieceType { undefined, normal, unknown, control, user_defined, unused, byte };

// The ids that llama.cpp assumes where a file says nothing.
struct GgufUsualIds {
  std::int64_t bos, eos, unknown;  // -1: none
};

struct GgufPieces {
  std::vector<std::string> texts;
  std::vector<GgufPieceType> types;  // of each
  // Control tokens by their text alone: the file calls them normal.
  std::vector<std::size_t> found_by_text;
  std::unordered_map<std::string_view, std::size_t> ids;
  std::optional<std::int64_t> bos, eos, unknown, padding;
  std::vector<std::int64_t> ends;  // each ends a generated text

  // nullopt: there is no such token.
  std::optional<std::string> text(const std::optional<std::int64_t>& id) const;
};

// Throws DataError for pieces that are not UTF-8, appear twice, or have a meaning in llama.cpp that
// they do not have here.
GgufPieces read_gguf_pieces(ForeignConfig& metadata, const GgufUsualIds& usual);

}  // namespace attend::detail
