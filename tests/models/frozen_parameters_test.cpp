// Models of which a part is trained.
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

#include "attend/models/make_encoder_decoder.h"
#include "models/small_encoder_decoder.h"
#include "ops/operands.h"

namespace attend {
namespace {

class FrozenParameters : public testing::TestWithParam<EncoderDecoderVariant> {
 protected:
  // A model after a backward pass without the gradients of `frozen`.
  static std::shared_ptr<EncoderDecoder> stepped(const std::set<std::string>& frozen) {
    auto model = make_encoder_decoder(GetParam().config, 1);
    if (!frozen.empty()) model->parameters().freeze(frozen);
    const Ragged src = random_tokens({5, 3}, model->config().src_vocab_size, 7),
                 tgt = random_tokens({4, 6}, model->config().tgt_vocab_size, 8);
    Pass pass = Pass::training(1, 1);
    backward(model->loss(src, tgt, tgt.ids, {0.1f, 0.0}, pass).loss);
    return model;
  }
  // "encoder.layers.0.self_attn" of a parameter of it.
  static std::string module_of(const std::string& name) {
    return name.substr(0, name.find('.', name.find("layers.") == name.npos
                                             ? 0
                                             : name.find('.', name.find("layers.") + 7) + 1));
  }
};

INSTANTIATE_TEST_SUITE_P(Of, FrozenParameters, testing::ValuesIn(encoder_decoder_variants()),
                         [](const auto& suite) { return suite.param.name; });

TEST_P(FrozenParameters, LeaveTheGradientsOfTheOthersAsTheyAre) {
  const auto whole = stepped({});
  std::set<std::string> modules;
  for (const auto& entry : whole->parameters().entries()) modules.insert(module_of(entry.name));
  EXPECT_GT(modules.size(), 2u);
  for (const std::string& module : modules) {
    std::set<std::string> others;
    for (const auto& entry : whole->parameters().entries())
      if (module_of(entry.name) != module) others.insert(entry.name);
    const auto part = stepped(others);
    std::int64_t trained = 0;
    for (const auto& entry : whole->parameters().entries()) {
      if (module_of(entry.name) != module) continue;
      const ParameterRange range{entry.offset, entry.offset + entry.shape.size()};
      EXPECT_TRUE(
          same_bits(part->parameters().gradients(range), whole->parameters().gradients(range)))
          << entry.name;
      trained += entry.shape.size();
    }
    EXPECT_EQ(part->parameters().trained_size(), trained) << module;
  }
}

}  // namespace
}  // namespace attend
