#include "attend/browser/demo_sentences.h"

#include <nlohmann/json.hpp>

#include "attend/api/c/call.h"
#include "attend/api/c/requests.h"
#include "attend/core/json/json_text.h"
#include "attend/core/options/options.h"
#include "attend/demo/corpus.h"

namespace attend {
namespace {

struct DemoSentencesRequest {
  DemoCorpusOptions corpus{.train_sentences = 2000, .valid_sentences = 50, .test_sentences = 1};
};
template <class Visitor>
void fields(DemoSentencesRequest& o, Visitor&& visit) {
  visit("sentences", o.corpus.train_sentences, between(1, 100'000), "sentences to train with");
  visit("valid-sentences", o.corpus.valid_sentences, between(1, 10'000), "others to validate with");
  visit("seed", o.corpus.seed, any_seed(), "equal seeds give equal sentences");
}

}  // namespace
}  // namespace attend

attend_result* attend_demo_sentences(const attend_options* options, attend_error** error) {
  return attend::made_by(error, nullptr, [&] {
    const attend::DemoCorpus corpus = attend::make_demo_corpus(
        attend::with_options(attend::DemoSentencesRequest(), options).corpus);
    const nlohmann::ordered_json json{
        {"train", {{"src", corpus.train_src}, {"tgt", corpus.train_tgt}}},
        {"valid", {{"src", corpus.valid_src}, {"tgt", corpus.valid_tgt}}}};
    auto result = std::make_unique<attend_result>();
    result->items.emplace_back().choices.emplace_back().text = attend::json_text(json);
    return result;
  });
}
