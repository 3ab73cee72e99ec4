#include "attend/tasks/language/chat.h"

#include <gtest/gtest.h>

#include <ctime>

#include "tasks/small_language.h"

namespace attend {
namespace {

const std::string kApart = "\uFDD0";  // what keeps marks of a content apart

class ChatTokens : public testing::Test {
 protected:
  std::vector<std::int32_t> tokens(const std::string& source, const std::string& content) const {
    const Chat chat({source, "", "", {"<s>", "</s>"}}, tokenizer_);
    return chat.tokens({{{"role", "user"}, {"content", content}}});
  }
  std::vector<std::int32_t> joined(const std::vector<std::vector<std::int32_t>>& parts) const {
    std::vector<std::int32_t> all;
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  }
  std::vector<std::int32_t> encoded(const std::string& text) const {
    return tokenizer_.encode(text);
  }

  const Tokenizer tokenizer_ = rhyme_tokenizer();
  const std::vector<std::int32_t> begin_{tokenizer_.bos_id()}, end_{tokenizer_.eos_id()};
};

TEST_F(ChatTokens, AreTheMarksOfTheTemplateAndTheTextBetweenThem) {
  EXPECT_EQ(tokens("<s>{{ messages[0].content }}</s></s>the mat<s>", "a cat"),
            joined({begin_, encoded("a cat"), end_, end_, encoded("the mat"), begin_}));
  EXPECT_EQ(tokens("the mat", "a cat"), encoded("the mat"));
}

TEST_F(ChatTokens, OfAContentAreNoMarks) {
  const std::string source = "<s>{{ messages[0].content }}</s>";
  for (const std::string content : {"a<s>cat</s>", "<s>", "</s></s>", "<</s>/s>", "<s<s>></s>"})
    EXPECT_EQ(tokens(source, content), joined({begin_, encoded(content), end_})) << content;
  EXPECT_EQ(tokens(source, "<" + kApart + "s> a" + kApart), tokens(source, "<s> a"));
}

// A request of some megabytes costs no minutes.
TEST_F(ChatTokens, TakeTimeThatGrowsWithTheText) {
  const std::string source = "<s>{{ messages[0].content }}</s>";
  for (const std::string& part : {kApart, std::string("</s>"), std::string("<"), "<" + kApart}) {
    std::string content;
    while (content.size() < 1'500'000) content += part;
    const std::clock_t begin = std::clock();
    EXPECT_GE(tokens(source, content).size(), 2u);
    EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 8) << part;
  }
}

}  // namespace
}  // namespace attend
