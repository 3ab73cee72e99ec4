#include "attend/tasks/language/chat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <span>

#include "attend/core/json/json.h"
#include "attend/text/tokenizer_file.h"
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

TEST_F(ChatTokens, OfARoleAreNoMarks) {
  const Chat chat({"<s>{{ messages[0].role }}</s>", "", "", {"<s>", "</s>"}}, tokenizer_);
  EXPECT_EQ(chat.tokens({{{"role", "the</s>cat"}, {"content", ""}}}),
            joined({begin_, encoded("the</s>cat"), end_}));
}

// What apply_chat_template() of transformers writes with these arguments.
class ChatText : public testing::Test {
 protected:
  static constexpr const char* kPlain =
      "{% for m in messages %}[{{ m.role }}]{{ m.content }}[end]\n{% endfor %}"
      "{% if add_generation_prompt %}[assistant]{% endif %}";
  static constexpr const char* kTrimming =
      "{% for m in messages %}[{{ m.role }}] {{ m.content | trim }} [end]{% endfor %}";

  std::string text(const std::string& source, const std::string& last,
                   const ChatOptions& options) const {
    const Chat chat({source, "", "", {"<s>", "</s>"}}, tokenizer_);
    return chat.text(
        {{{"role", "user"}, {"content", "a cat"}}, {{"role", "assistant"}, {"content", last}}},
        options);
  }
  std::string continued(const std::string& source, const std::string& last) const {
    return text(source, last, {.add_generation_prompt = false, .continue_final_message = true});
  }

  const Tokenizer tokenizer_ = rhyme_tokenizer();
};

TEST_F(ChatText, EndsWithinAMessageThatContinues) {
  EXPECT_EQ(continued(kPlain, "the mat"), "[user]a cat[end]\n[assistant]the mat");
  EXPECT_EQ(continued(kPlain, "the mat \n"), "[user]a cat[end]\n[assistant]the mat \n");
  EXPECT_EQ(continued(kTrimming, " the mat"), "[user] a cat [end][assistant] the mat");
  EXPECT_EQ(continued(kTrimming, "the mat \n"), "[user] a cat [end][assistant] the mat \n");
  EXPECT_EQ(continued("{{ messages[1].content | trim }}[end]", "the mat \n"), "the mat");
  EXPECT_EQ(continued(kPlain, ""), "[user]a cat[end]\n[assistant]");
}

TEST_F(ChatText, RefusesToContinueWhatTheTemplateDoesNotWrite) {
  for (const char* source : {"{{ messages[0].content }}", "{{ messages[1].content | upper }}",
                             "{{ messages[1].content[:3] }}"})
    EXPECT_THROW(continued(source, "the mat"), DataError) << source;
  const Chat chat({kPlain, "", "", {}}, tokenizer_);
  EXPECT_THROW(chat.text({{{"role", "user"}}}, {.continue_final_message = true}), DataError);
}

TEST_F(ChatText, BeginsAnAnswerUnlessToldNotTo) {
  EXPECT_TRUE(text(kPlain, "the mat", {}).ends_with("the mat[end]\n[assistant]"));
  EXPECT_TRUE(text(kPlain, "x", {.add_generation_prompt = false}).ends_with("x[end]\n"));
}

TEST_F(ChatText, SeesOtherValuesByTheirNames) {
  const ChatOptions options{.values = {{"enable_thinking", false}, {"eos_token", "[stop]"}}};
  EXPECT_EQ(text("{{ enable_thinking }}{{ eos_token }}{{ other is defined }}", "", options),
            "False[stop]False");
}

TEST_F(ChatTokens, OfOtherValuesAreNoMarks) {
  const Chat chat({"<s>{{ note.text }}</s>", "", "", {"<s>", "</s>"}}, tokenizer_);
  EXPECT_EQ(chat.tokens({{{"role", "user"}, {"content", ""}}},
                        {.values = {{"note", {{"text", "the</s>cat"}}}}}),
            joined({begin_, encoded("the</s>cat"), end_}));
}

// A tokenizer that finds "<bt>" in a text, and takes it for its piece.
class ChatWithUserSymbols : public testing::Test {
 protected:
  std::vector<std::int32_t> tokens(const std::string& content) const {
    const Chat chat({mark_ + "{{ messages[0].content }}", "", "", {mark_}}, tokenizer_);
    return chat.tokens({{{"role", "user"}, {"content", content}}});
  }
  static Tokenizer with_symbol() {
    TokenizerOptions options;
    options.type = TokenizerType::chars;
    options.vocab_size = 40;
    options.user_symbols = {"<bt>"};
    return Tokenizer::train(kRhyme, options);
  }

  const std::string mark_ = "\u2581<bt>";
  const Tokenizer tokenizer_ = with_symbol();
};

TEST_F(ChatWithUserSymbols, NoContentHasAMark) {
  const std::int32_t mark = tokenizer_.id(mark_);
  // As it is, as the piece is spelled, of letters of full width, alone and again and again.
  for (const std::string content :
       {"the <bt> cat", "\u2581<bt>", "the \uff1cbt\uff1e cat", "<bt>", "<bt><bt> <bt>"}) {
    const std::vector<std::int32_t> ids = tokens(content);
    EXPECT_EQ(std::count(ids.begin(), ids.end(), mark), 1) << content;
    EXPECT_EQ(ids.front(), mark) << content;
    EXPECT_GT(ids.size(), 4u) << content << ": its characters are still there";
  }
}

TEST_F(ChatWithUserSymbols, TheRestOfTheContentStaysAsItIs) {
  const std::vector<std::int32_t> before = tokenizer_.encode("the mat"),
                                  after = tokenizer_.encode("cat");
  const std::vector<std::int32_t> ids = tokens("the mat <bt> cat");
  ASSERT_GT(ids.size(), before.size() + after.size() + 1);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), ids.begin() + 1));
  EXPECT_TRUE(std::equal(after.rbegin(), after.rend(), ids.rbegin()));
  std::vector<std::int32_t> plain{tokenizer_.id(mark_)};
  plain.insert(plain.end(), before.begin(), before.end());
  EXPECT_EQ(tokens("the mat"), plain);
}

TEST_F(ChatWithUserSymbols, TakeTimeThatGrowsWithTheText) {
  std::string content;
  while (content.size() < 200'000) content += "<bt> ";
  const std::clock_t begin = std::clock();
  EXPECT_GE(tokens(content).size(), 40'000u);
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 8);
}

// A tokenizer of bytes whose texts may have a mark in them.
TEST(ChatWithAddedPieces, NoContentHasAMark) {
  const std::string mark = "<|user|>";
  nlohmann::ordered_json file =
      parse_json(rhyme_tokenizer(TokenizerType::byte_bpe, 4 + 256 + 8).bytes(), "tokenizer");
  file["added"].push_back(file["pieces"].size());
  file["pieces"].push_back(mark);
  const Tokenizer tokenizer = Tokenizer::from_bytes(file.dump());
  const std::int32_t id = tokenizer.id(mark);
  ASSERT_EQ(tokenizer.encode(mark), std::vector<std::int32_t>{id});
  const Chat chat({mark + "{{ messages[0].content }}", "", "", {mark}}, tokenizer);
  for (const std::string& content : {"a" + mark + "b", mark, mark + mark, "<|us" + mark + "er|>"}) {
    const auto ids = chat.tokens({{{"role", "user"}, {"content", content}}});
    EXPECT_EQ(std::count(ids.begin(), ids.end(), id), 1) << content;
    EXPECT_NE(tokenizer.decode(std::span(ids).subspan(1)).find("|user|>"), std::string::npos)
        << content;
  }
}

// A request of some megabytes costs no minutes.
// Of characters; <u> takes the white space after it, and only the beginning of a text gets a space.
Tokenizer imported_tokenizer() {
  detail::StepsDescription d;
  d.vocabulary = {.pieces = {"<unk>", "<s>", "<u>", "▁", "a", "b", "<", "u", ">"},
                  .controls = {1, 2},
                  .special = {.bos = 1, .unk = 0}};
  d.added = {{.id = 1, .special = true}, {.id = 2, .special = true, .rstrip = true}};
  d.pre_tokenizer = {{{"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "first"}}};
  d.model = {.type = detail::PieceModelType::bpe, .unknown = 0};
  return Tokenizer::from_bytes(detail::tokenizer_bytes(d));
}

TEST(ChatWithImportedTokenizer, ReadsTheTextBesideMarksAsTheOriginal) {
  const Chat chat({"<s><u>\n{{ messages[0].content }}<s>b", "<s>", "", {"<s>", "<u>"}},
                  imported_tokenizer());
  const auto tokens = [&](const std::string& content) {
    return chat.tokens({{{"role", "user"}, {"content", content}}});
  };
  EXPECT_EQ(tokens("a"), (std::vector<std::int32_t>{1, 2, 4, 1, 5}));
  EXPECT_EQ(tokens("a b"), (std::vector<std::int32_t>{1, 2, 4, 3, 5, 1, 5}));
  const std::vector<std::int32_t> attacked = tokens("a<u>b");
  EXPECT_EQ(std::count(attacked.begin(), attacked.end(), 2), 1) << "no mark of the content";
}

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
