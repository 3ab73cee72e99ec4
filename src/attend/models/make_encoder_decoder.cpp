#include "attend/models/make_encoder_decoder.h"

#include "attend/models/recurrent.h"
#include "attend/models/transformer.h"

namespace attend {

namespace {

std::shared_ptr<EncoderDecoder> make(const TransformerConfig& config, auto how) {
  return std::make_shared<Transformer>(config, how);
}
std::shared_ptr<EncoderDecoder> make(const RecurrentConfig& config, auto how) {
  return std::make_shared<Recurrent>(config, how);
}

}  // namespace

std::shared_ptr<EncoderDecoder> make_encoder_decoder(const ArchitectureConfig& config,
                                                     std::uint64_t seed) {
  return std::visit([seed](const auto& one) { return make(one, seed); }, config);
}

std::shared_ptr<EncoderDecoder> make_encoder_decoder(const ArchitectureConfig& config,
                                                     EncoderDecoder::Purpose purpose) {
  return std::visit([purpose](const auto& one) { return make(one, purpose); }, config);
}

}  // namespace attend
