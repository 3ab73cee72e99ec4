#include "attend/text/preparation.h"

#include <gtest/gtest.h>

#include "attend/error.h"

namespace attend {
namespace {

const std::string kRaw = "Mr. Ümit said: “It's 5 %…”";

TEST(Preparation, DoesWhatIsAskedForInOrder) {
  EXPECT_EQ(prepared(kRaw, {}, MosesLanguage::en), kRaw);
  EXPECT_EQ(prepared(kRaw, {.lowercase = true}, MosesLanguage::en), "mr. ümit said: “it's 5 %…”");
  EXPECT_EQ(prepared(kRaw, {.normalize_punctuation = true}, MosesLanguage::en),
            "Mr. Ümit said: \"It's 5%...\"");
  EXPECT_EQ(prepared(kRaw, {.tokenize = WordSplitting::moses}, MosesLanguage::en),
            "Mr. Ümit said : “ It &apos;s 5 % … ”");
  EXPECT_EQ(
      prepared(kRaw,
               {.lowercase = true, .normalize_punctuation = true, .tokenize = WordSplitting::moses},
               MosesLanguage::en),
      "mr. ümit said : &quot; it &apos;s 5 % ... &quot;")
      << "no capital follows the period";
}

TEST(Preparation, KnowsItsLanguages) {
  EXPECT_EQ(moses_language("de", "language"), MosesLanguage::de);
  const auto refusal = [](const std::string& language) {
    try {
      moses_language(language, "tgt-language");
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal(""),
            "tgt_language: expected the language of the text, which the model does not name: en, "
            "de, fr");
  EXPECT_EQ(refusal("tlh"), "tgt_language: expected one of en, de, fr, got 'tlh'");
}

}  // namespace
}  // namespace attend
