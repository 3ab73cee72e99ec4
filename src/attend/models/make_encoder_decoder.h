// Creates an encoder-decoder of any architecture from its configuration.
#pragma once

#include <cstdint>
#include <memory>

#include "attend/models/encoder_decoder.h"

namespace attend {

// For inference; or with gradients, initialized from the seed. Throws ConfigError.
std::shared_ptr<EncoderDecoder> make_encoder_decoder(const ArchitectureConfig& config);
std::shared_ptr<EncoderDecoder> make_encoder_decoder(const ArchitectureConfig& config,
                                                     std::uint64_t seed);

}  // namespace attend
