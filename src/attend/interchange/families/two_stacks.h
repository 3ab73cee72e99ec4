// The stacks of an encoder-decoder, where files describe each on its own.
#pragma once

#include <string>

#include "attend/models/architecture.h"

namespace attend {

// Makes `decoder` the decoder of a model whose encoder and numbers of layers are those of `shape`.
// Throws DataError with the first option that must be that of the encoder and is not.
void set_decoder(TransformerConfig& shape, const StackConfig& decoder, const std::string& where);

}  // namespace attend
