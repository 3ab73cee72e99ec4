#include "attend/interchange/writing/tokenizer_writing.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "attend/error.h"
#include "attend/interchange/tokenizers/tokenizer_directory.h"
#include "interchange/tokenizer_goldens.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

// What a directory with these two files is read as.
ForeignTokenizer written_and_read(const Tokenizer& tokenizer, const TextSpecialTokens& marks) {
  const std::string json = write_tokenizer_json(tokenizer, marks),
                    config = write_tokenizer_config(tokenizer);
  const FileText file = [&](std::string_view name) -> std::optional<std::string> {
    if (name == "tokenizer.json") return json;
    if (name == "tokenizer_config.json") return config;
    return std::nullopt;
  };
  return read_tokenizer_directory(file, "written");
}

// Tokenizers of all kinds, whose ids are those that their own library gives.
TEST(TokenizerWriting, KeepsTheTokenizersOfOtherPrograms) {
  int equal = 0;
  for (const auto& golden : goldens::kForeignTokenizers) {
    const ForeignTokenizer foreign = read_tokenizer_json(golden.json, {}, golden.name);
    const ForeignTokenizer again =
        written_and_read(foreign.tokenizer, {foreign.prefix, foreign.suffix});
    EXPECT_EQ(again.prefix, foreign.prefix) << golden.name;
    EXPECT_EQ(again.suffix, foreign.suffix) << golden.name;
    equal += again.tokenizer.bytes() == foreign.tokenizer.bytes();
    for (std::size_t i = 0; i < goldens::kTokenizedTexts.size(); ++i)
      EXPECT_EQ(again.tokenizer.encode(goldens::kTokenizedTexts[i]), golden.ids[i])
          << golden.name << ", text " << i;
    EXPECT_NO_THROW(require_same_tokens(foreign.tokenizer, again.tokenizer)) << golden.name;
  }
  EXPECT_EQ(equal, std::ssize(goldens::kForeignTokenizers));
}

TEST(TokenizerWriting, NamesTheTokenThatIsMissing) {
  const Tokenizer tokenizer =
      read_tokenizer_json(goldens::kForeignTokenizers.front().json, {}, "golden").tokenizer;
  EXPECT_EQ(needed_piece(tokenizer, 0, "ends a text"), tokenizer.piece(0));
  expect_error<ConfigError>([&] { needed_piece(tokenizer, -1, "ends a text"); },
                            {"its tokenizer has no token that ends a text", "train the model"});
}

Tokenizer trained_for_writing(const TokenizerOptions& options) {
  const std::vector<std::string> sentences{"the small dog reads a red house, and reads.",
                                           "a young woman is watching the yellow bicycles!",
                                           "der alte Mann kauft den grünen Apfel für 3 €."};
  return Tokenizer::train(sentences, options);
}

TEST(TokenizerWriting, KeepsWhatOurTokenizersMakeOfText) {
  for (const TokenizerOptions& options :
       {TokenizerOptions{.type = TokenizerType::bpe, .vocab_size = 90},
        TokenizerOptions{.type = TokenizerType::bpe, .vocab_size = 340, .byte_fallback = true},
        TokenizerOptions{.type = TokenizerType::unigram,
        .vocab_size = 45,
        .normalization = Normalization::identity},
        TokenizerOptions{.type = TokenizerType::chars, .vocab_size = 60},
        TokenizerOptions{.type = TokenizerType::byte_bpe,
        .vocab_size = 280,
        .normalization = Normalization::nfkc},
        TokenizerOptions{.type = TokenizerType::byte_bpe,
        .vocab_size = 280,
        .normalization = Normalization::identity}}) {
    const Tokenizer tokenizer = trained_for_writing(options);
    const Tokenizer again = written_and_read(tokenizer, {}).tokenizer;
    SCOPED_TRACE(static_cast<int>(options.type));
    ASSERT_EQ(again.vocab_size(), tokenizer.vocab_size());
    EXPECT_NO_THROW(require_same_tokens(tokenizer, again));
    for (const char* text : {"the  young dog", " der Apfel \xE2\x82\xAC 京 the", "", "ﬁne"})
      EXPECT_EQ(again.encode(text), tokenizer.encode(text)) << text;
    for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id)
      EXPECT_EQ(again.piece(id), tokenizer.piece(id));
    EXPECT_EQ(again.eos_id(), tokenizer.eos_id());
    EXPECT_EQ(again.pad_id(), tokenizer.pad_id());
  }
}

TEST(TokenizerWriting, NamesWhatHasNoEqual) {
  const auto expect_refused_for = [](const TokenizerOptions& options, std::string_view what) {
    expect_error<ConfigError>([&] { write_tokenizer_json(trained_for_writing(options), {}); },
                              {"no equivalent in a tokenizer.json", what});
  };
  TokenizerOptions with_symbols{.type = TokenizerType::bpe, .vocab_size = 90};
  with_symbols.user_symbols = {"<bt>"};
  expect_refused_for(with_symbols, "user_symbols");
  expect_refused_for({.type = TokenizerType::word, .vocab_size = 20}, "tokenizer word");
  expect_refused_for({.type = TokenizerType::byte_bpe, .vocab_size = 280}, "nmt");
  expect_refused_for(
      {.type = TokenizerType::byte_bpe, .vocab_size = 280, .normalization = Normalization::nfkc_cf},
      "folds cases");
  expect_refused_for({.type = TokenizerType::byte_bpe,
                      .vocab_size = 280,
                      .normalization = Normalization::identity,
                      .pretokenized = true},
                     "pattern of its own");
}

TEST(RequireSameTokens, FindsATextThatIsCutDifferently) {
  const Tokenizer merged = trained_for_writing({.type = TokenizerType::bpe, .vocab_size = 60}),
                  single = trained_for_writing({.type = TokenizerType::unigram, .vocab_size = 45});
  EXPECT_NO_THROW(require_same_tokens(merged, merged));
  expect_error<ConfigError>([&] { require_same_tokens(merged, single); }, {"into other tokens"});
}

}  // namespace
}  // namespace attend
