// Binary lexical shortlists of Marian (lex.*.bin): the target tokens that may translate a source
// token.
//
//   8 bytes    a magic number
//   8 bytes    a checksum, which is not compared
//   8 bytes    how many of the first target ids are always allowed
//   8 bytes    the most target ids of a source id
//   8 bytes    N, the number of offsets: one more than there are source ids
//   8 bytes    M, the number of target ids
//   N x 8      where the target ids of each source id begin
//   M x 4      target ids
#pragma once

#include <string_view>

#include "attend/decode/scorers/shortlist.h"

namespace attend {

struct MarianShortlistShape {
  int source_tokens = 0;
  int target_tokens = 0;
  bool shared = false;  // one vocabulary: a source token may translate itself
};

bool is_marian_shortlist(std::string_view bytes);

// Source tokens that the file does not have get no translations of their own. Throws DataError
// "<where>: ..." for a damaged file, and for ids that the model does not have.
Shortlist read_marian_shortlist(std::string_view bytes, const MarianShortlistShape& shape,
                                std::string_view where);

}  // namespace attend
