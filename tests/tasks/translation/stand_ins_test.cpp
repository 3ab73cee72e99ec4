#include "attend/tasks/translation/stand_ins.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tasks/translation/small_translator.h"

namespace attend {
namespace {

TEST(StandIns, AreWordsThatBothVocabulariesHave) {
  const TranslationModel& model = translator().model();
  const TextPreparer none;
  const StandIns words = stand_ins({model.src_tokenizer, none}, {model.tgt_tokenizer, none});
  for (const std::vector<std::string>* const list : {&words.names, &words.numbers}) {
    for (const std::string& word : *list) {
      for (const Tokenizer* const tokenizer : {&model.src_tokenizer, &model.tgt_tokenizer}) {
        const auto ids = tokenizer->encode(word);
        EXPECT_EQ(std::count(ids.begin(), ids.end(), tokenizer->unk_id()), 0) << word;
      }
    }
  }
}

TEST(StandIns, BeginWithTheFewestTokens) {
  const std::vector<std::string> text{"Maria sees Maria and Maria and the old dog",
                                      "4 of 4 are 4, the cats eat fish"};
  const Tokenizer tokenizer = small_tokenizer(text);
  const TextPreparer none;
  const StandIns words = stand_ins({tokenizer, none}, {tokenizer, none});
  ASSERT_FALSE(words.numbers.empty());
  EXPECT_EQ(words.numbers.front(), "4");
}

}  // namespace
}  // namespace attend
