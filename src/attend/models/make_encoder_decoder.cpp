#include "attend/models/make_encoder_decoder.h"

#include "attend/models/recurrent.h"
#include "attend/models/transformer.h"

namespace attend {

namespace {

std::shared_ptr<EncoderDecoder> make(const TransformerConfig& config) {
  return std::make_shared<Transformer>(config);
}
std::shared_ptr<EncoderDecoder> make(const RecurrentConfig& config) {
  return std::make_shared<Recurrent>(config);
}

}  // namespace

std::shared_ptr<EncoderDecoder> make_encoder_decoder(const ArchitectureConfig& config) {
  return std::visit([](const auto& one) { return make(one); }, config);
}

std::shared_ptr<EncoderDecoder> make_encoder_decoder(const ArchitectureConfig& config,
                                                     std::uint64_t seed) {
  std::shared_ptr<EncoderDecoder> model = make_encoder_decoder(config);
  model->parameters().allocate(seed);
  return model;
}

}  // namespace attend
