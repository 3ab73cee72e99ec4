#include "attend/models/network.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "attend/error.h"
#include "attend/models/language_transformer.h"
#include "attend/models/text_classifier.h"
#include "attend/models/text_embedder.h"
#include "attend/models/token_tagger.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

std::vector<std::string> names_of(const ParameterSet& parameters) {
  std::vector<std::string> names;
  for (const ParameterSet::Entry& entry : parameters.entries()) names.push_back(entry.name);
  return names;
}

template <class One>
struct Sample {
  using Network = One;
  static auto config() {
    auto config = std::remove_cvref_t<decltype(std::declval<One>().config())>();
    config.d_model = 8;
    config.n_heads = 2;
    config.d_ff = 12;
    config.vocab_size = 11;
    if constexpr (requires { config.classes; }) config.classes = 3;
    if constexpr (requires { config.tags; }) config.tags = 3;
    return config;
  }
};

template <class Kind>
class Networks : public testing::Test {};
using Kinds = testing::Types<Sample<LanguageTransformer>, Sample<TextClassifier>,
                             Sample<TextEmbedder>, Sample<TokenTagger>>;
TYPED_TEST_SUITE(Networks, Kinds);

TYPED_TEST(Networks, HaveTheSameParametersForTrainingAndForInference) {
  const auto config = TypeParam::config();
  const typename TypeParam::Network trained(config, 1), loaded(config);
  EXPECT_EQ(names_of(loaded.parameters()), names_of(trained.parameters()));
  EXPECT_EQ(loaded.parameters().size(), trained.parameters().size());
  EXPECT_EQ(loaded.config().d_model, 8);
}

TYPED_TEST(Networks, DrawTheirParametersFromTheSeed) {
  const auto config = TypeParam::config();
  const typename TypeParam::Network one(config, 1), same(config, 1), other(config, 2);
  const auto embeddings = [](const auto& network) { return network.embeddings().to_vector(); };
  EXPECT_EQ(embeddings(one), embeddings(same));
  EXPECT_NE(embeddings(one), embeddings(other));
}

TYPED_TEST(Networks, NameTheOptionThatIsWrong) {
  auto config = TypeParam::config();
  config.vocab_size = 0;
  expect_error<ConfigError>([&] { (void)typename TypeParam::Network(config); }, {"vocab_size"});
}

}  // namespace
}  // namespace attend
