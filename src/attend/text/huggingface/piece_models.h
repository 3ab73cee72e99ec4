// The models of Hugging Face's tokenizers: each cuts one part of a text into pieces of its
// vocabulary. Private to text/.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "attend/text/tokenizer_file.h"
#include "attend/text/vocabulary.h"

namespace attend::detail {

struct PieceToken {
  std::int32_t id;
  std::size_t begin, end;  // bytes of the part
};

class PieceModel {
 public:
  virtual ~PieceModel() = default;
  // Appends the tokens of a part, which is not empty. Control pieces are found only with
  // `as_tokens`.
  virtual void cut(std::string_view part, SpecialText special,
                   std::vector<PieceToken>& tokens) const = 0;
  virtual float score(std::int32_t) const { return 0; }
};

// `vocabulary` must outlive the model. Throws DataError, stating only the reason.
std::unique_ptr<const PieceModel> make_piece_model(PieceModelDescription description,
                                                   const Vocabulary& vocabulary);

}  // namespace attend::detail
