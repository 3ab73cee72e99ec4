// Creates an encoder-decoder of any architecture from its configuration.
#pragma once

#include <cstdint>
#include <memory>

#include "attend/models/encoder_decoder.h"

namespace attend {

// With gradients, initialized from the seed; or for inference. Throws ConfigError.
std::shared_ptr<EncoderDecoder> make_encoder_decoder(const ArchitectureConfig& config,
                                                     std::uint64_t seed);
std::shared_ptr<EncoderDecoder> make_encoder_decoder(const ArchitectureConfig& config,
                                                     EncoderDecoder::Purpose purpose);

}  // namespace attend
