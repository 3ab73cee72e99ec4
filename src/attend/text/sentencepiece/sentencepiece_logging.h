// What SentencePiece prints. Private to text/.
#pragma once

namespace attend::detail {

// Disables SentencePiece's logging to standard error. Idempotent.
void silence_sentencepiece();

}  // namespace attend::detail
