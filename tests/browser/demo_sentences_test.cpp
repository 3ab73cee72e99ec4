#include "attend/browser/demo_sentences.h"

#include <nlohmann/json.hpp>

#include "api/c/c_test.h"
#include "attend/core/json/json.h"
#include "attend/demo/corpus.h"

namespace attend {
namespace {

TEST(DemoSentences, AreThoseOfTheDemosGrammar) {
  const OwnedOptions options = options_of({{"sentences", "2000"}, {"seed", "3"}});
  const OwnedResult result(
      made([&](attend_error** error) { return attend_demo_sentences(options.get(), error); }));
  const nlohmann::json found =
      parse_json(attend_result_text(result.get(), 0, 0, nullptr), "sentences");
  const DemoCorpus corpus = make_demo_corpus(
      {.seed = 3, .train_sentences = 2000, .valid_sentences = 50, .test_sentences = 1});
  EXPECT_EQ(found["train"]["src"], nlohmann::json(corpus.train_src));
  EXPECT_EQ(found["train"]["tgt"], nlohmann::json(corpus.train_tgt));
  EXPECT_EQ(found["valid"]["src"], nlohmann::json(corpus.valid_src));
  EXPECT_EQ(found["valid"]["tgt"], nlohmann::json(corpus.valid_tgt));
}

TEST(DemoSentences, AreAtLeastOne) {
  const OwnedOptions options = options_of({{"sentences", "0"}});
  expect_failure(ATTEND_CONFIG_ERROR, {"sentences", "0"},
                 [&](attend_error** error) { return attend_demo_sentences(options.get(), error); });
}

}  // namespace
}  // namespace attend
