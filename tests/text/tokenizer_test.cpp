#include "attend/text/tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <thread>

#include "attend/error.h"
#include "core/files.h"
#include "text/trained_tokenizers.h"

namespace attend {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr int kAllWords = 38;

constexpr TokenizerType kAllTypes[] = {TokenizerType::bpe,       TokenizerType::unigram,
                                       TokenizerType::chars,     TokenizerType::word,
                                       TokenizerType::wordpiece, TokenizerType::byte_bpe};

class AnyTokenizer : public testing::TestWithParam<TokenizerType> {};

TEST_P(AnyTokenizer, GivesTheTrainingTextBack) {
  TokenizerOptions options = options_of(GetParam());
  if (GetParam() == TokenizerType::word) options.vocab_size = kAllWords;
  const Tokenizer tokenizer = Tokenizer::train(corpus(), options);
  for (const std::string& sentence : corpus())
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(sentence)), sentence);
}

TEST_P(AnyTokenizer, PutsTheControlPiecesFirst) {
  const Tokenizer tokenizer = trained(GetParam());
  EXPECT_EQ(tokenizer.pad_id(), 0);
  EXPECT_EQ(tokenizer.unk_id(), 1);
  EXPECT_EQ(tokenizer.bos_id(), 2);
  EXPECT_EQ(tokenizer.eos_id(), 3);
  EXPECT_EQ(tokenizer.piece(0), "<pad>");
  EXPECT_EQ(tokenizer.piece(3), "</s>");
  for (const std::string& sentence : corpus()) {
    for (const std::int32_t id : tokenizer.encode(sentence)) {
      EXPECT_TRUE(id == tokenizer.unk_id() || id > 3);
      EXPECT_LT(id, tokenizer.vocab_size());
    }
  }
}

TEST_P(AnyTokenizer, HasTheVocabularySizeAskedFor) {
  const int expected = size_for(GetParam());
  if (GetParam() == TokenizerType::chars) {
    EXPECT_LT(trained(GetParam()).vocab_size(),
              expected);  // at most: the text has fewer characters
  } else {
    EXPECT_EQ(trained(GetParam()).vocab_size(), expected);
  }
}

TEST_P(AnyTokenizer, LearnsTheSameBytesAgain) {
  EXPECT_EQ(trained(GetParam()).bytes(), trained(GetParam()).bytes());
}

TEST_P(AnyTokenizer, IsTheSameAfterSavingAndLoading) {
  const Tokenizer tokenizer = trained(GetParam());
  const Tokenizer loaded = Tokenizer::from_bytes(tokenizer.bytes());
  EXPECT_EQ(loaded.bytes(), tokenizer.bytes());
  EXPECT_EQ(loaded.vocab_size(), tokenizer.vocab_size());
  for (const std::string& sentence : corpus())
    EXPECT_EQ(loaded.encode(sentence), tokenizer.encode(sentence));
}

TEST_P(AnyTokenizer, IsTheSameWhenItIsLoadedForDecoding) {
  const Tokenizer tokenizer = trained(GetParam());
  const Tokenizer loaded = Tokenizer::for_decoding(tokenizer.bytes());
  ASSERT_EQ(loaded.vocab_size(), tokenizer.vocab_size());
  EXPECT_EQ(loaded.unk_id(), tokenizer.unk_id());
  EXPECT_EQ(loaded.bos_id(), tokenizer.bos_id());
  EXPECT_EQ(loaded.eos_id(), tokenizer.eos_id());
  EXPECT_EQ(loaded.pad_id(), tokenizer.pad_id());
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) {
    EXPECT_EQ(loaded.piece(id), tokenizer.piece(id));
    EXPECT_EQ(loaded.score(id), tokenizer.score(id));
    EXPECT_EQ(loaded.decode(std::vector{id}), tokenizer.decode(std::vector{id}));
  }
  for (const std::string& sentence : corpus()) {
    EXPECT_EQ(loaded.encode(sentence), tokenizer.encode(sentence));
    EXPECT_EQ(loaded.id(loaded.piece(loaded.vocab_size() - 1)), loaded.vocab_size() - 1);
  }
}

TEST_P(AnyTokenizer, EncodesNothingAsNothing) {
  const Tokenizer tokenizer = trained(GetParam());
  EXPECT_TRUE(tokenizer.encode("").empty());
  EXPECT_TRUE(tokenizer.encode("   ").empty());
  EXPECT_EQ(tokenizer.decode({}), "");
  EXPECT_TRUE(tokenizer.words({}).empty());
}

TEST_P(AnyTokenizer, IgnoresControlIdsWhenDecoding) {
  const Tokenizer tokenizer = trained(GetParam());
  const std::string sentence = "Der alte Mann kauft den grünen Apfel.";
  Ids ids = tokenizer.encode(sentence);
  const std::string expected = tokenizer.decode(ids);
  ids.insert(ids.begin(), {tokenizer.bos_id(), tokenizer.pad_id()});
  ids.push_back(tokenizer.eos_id());
  EXPECT_EQ(tokenizer.decode(ids), expected);
}

TEST_P(AnyTokenizer, NeverReadsTextAsAControlPiece) {
  std::vector<std::string> sentences = corpus();
  for (int i = 0; i < 200; ++i) sentences.push_back("<s> <pad> </s> <unk> end </s>");
  const Tokenizer tokenizer = Tokenizer::train(sentences, options_of(GetParam()));
  for (const std::int32_t id : tokenizer.encode("<s> a </s> <pad> end</s>")) {
    EXPECT_NE(id, tokenizer.pad_id());
    EXPECT_NE(id, tokenizer.bos_id());
    EXPECT_NE(id, tokenizer.eos_id());
  }
}

TEST_P(AnyTokenizer, ReadsSpecialTokensInTextWhenAsked) {
  const Tokenizer tokenizer = Tokenizer::train(corpus(), options_of(GetParam()));
  const std::string end = tokenizer.piece(tokenizer.eos_id()), text = "the dog";
  std::vector<std::int32_t> wanted{tokenizer.pad_id()};
  for (const std::int32_t id : tokenizer.encode(text)) wanted.push_back(id);
  wanted.push_back(tokenizer.eos_id());
  const std::string marked = tokenizer.piece(tokenizer.pad_id()) + text + end;
  EXPECT_EQ(tokenizer.encode(marked, SpecialText::as_tokens), wanted);
  const std::vector<TokenSpan> spans = tokenizer.spans(marked, SpecialText::as_tokens);
  ASSERT_EQ(spans.size(), wanted.size());
  EXPECT_EQ(spans[1].begin, spans[0].end);
  EXPECT_EQ(marked.substr(spans.back().begin, spans.back().end - spans.back().begin), end);
  EXPECT_EQ(tokenizer.encode(text, SpecialText::as_tokens), tokenizer.encode(text));
  EXPECT_EQ(tokenizer.encode("", SpecialText::as_tokens), std::vector<std::int32_t>{});
}

TEST_P(AnyTokenizer, CutsIdsIntoTheWordsOfTheText) {
  TokenizerOptions options = options_of(GetParam());
  if (GetParam() == TokenizerType::word) options.vocab_size = kAllWords;
  const Tokenizer tokenizer = Tokenizer::train(corpus(), options);
  Ids ids = tokenizer.encode("Ein Mädchen sieht die Straße?");
  ids.insert(ids.begin(), tokenizer.bos_id());
  ids.push_back(tokenizer.eos_id());
  const auto words = tokenizer.words(ids);
  std::vector<std::string> texts;
  std::int32_t at = 0;
  for (const auto& word : words) {
    texts.push_back(word.text);
    EXPECT_EQ(word.begin, at);
    EXPECT_GT(word.end, word.begin);
    at = word.end;
  }
  EXPECT_EQ(at, static_cast<std::int32_t>(ids.size()));
  std::vector<std::string> expected{"<s>", "Ein", "Mädchen", "sieht", "die", "Straße?", "</s>"};
  if (GetParam() == TokenizerType::wordpiece)  // to which punctuation is a word
    expected = {"<s>", "Ein", "Mädchen", "sieht", "die", "Straße", "?", "</s>"};
  EXPECT_EQ(texts, expected);
}

TEST_P(AnyTokenizer, EncodesFromSeveralThreadsAtOnce) {
  const Tokenizer tokenizer = trained(GetParam());
  const auto sentences = corpus();
  std::vector<Ids> expected;
  for (const auto& sentence : sentences) expected.push_back(tokenizer.encode(sentence));
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (int& count : wrong) {
    threads.emplace_back([&tokenizer, &sentences, &expected, &count] {
      for (std::size_t i = 0; i < sentences.size(); ++i)
        count += tokenizer.encode(sentences[i]) != expected[i];
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST_P(AnyTokenizer, RejectsIdsOutsideTheVocabulary) {
  const Tokenizer tokenizer = trained(GetParam());
  const Ids too_large{4, tokenizer.vocab_size()};
  const Ids negative{-1};
  EXPECT_THROW(tokenizer.decode(too_large), DataError);
  EXPECT_THROW(tokenizer.decode(negative), DataError);
  EXPECT_THROW(tokenizer.words(too_large), DataError);
  EXPECT_THROW(tokenizer.piece(-1), DataError);
}

TEST_P(AnyTokenizer, SurvivesALongLine) {
  const Tokenizer tokenizer = trained(GetParam());
  std::string line;
  for (int i = 0; i < 20'000; ++i) line += "Ein Mädchen sieht die Straße? ";
  const Ids ids = tokenizer.encode(line);
  EXPECT_GE(ids.size(), 100'000u);
}

TEST_P(AnyTokenizer, SaysThatThereIsNoText) {
  TokenizerOptions options = options_of(GetParam());
  const std::vector<std::string> nothing;
  const std::vector<std::string> blank{"", "  ", "\t"};
  const std::vector<std::string> vanishing{"\xE2\x80\x8B", "\xC2\xA0"};  // spaces to nmt_nfkc
  for (const auto* sentences : {&nothing, &blank, &vanishing}) {
    const std::string message =
        message_of<DataError>([&] { Tokenizer::train(*sentences, options); });
    EXPECT_TRUE(contains(message, "none with a character")) << message;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, AnyTokenizer, testing::ValuesIn(kAllTypes), [](const auto& type) {
  std::string name(enum_names(type.param)[static_cast<std::size_t>(type.param)]);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Tokenizer, MarksUnseenCharactersInsideTheirWords) {
  const Tokenizer tokenizer = trained(TokenizerType::bpe);
  const Ids ids = tokenizer.encode("Ein M🤖d sieht");
  EXPECT_EQ(std::count(ids.begin(), ids.end(), tokenizer.unk_id()), 1);
  EXPECT_EQ(tokenizer.decode(ids), "Ein M⁇d sieht");
  EXPECT_EQ(tokenizer.words(ids).size(), 3u);
}

TEST(Tokenizer, KeepsUnknownWordsApart) {
  const Tokenizer tokenizer = trained(TokenizerType::word);
  const Ids ids = tokenizer.encode("unknown words Der two more");
  EXPECT_EQ(ids, (Ids{1, 1, tokenizer.id("▁Der"), 1, 1}));
  EXPECT_EQ(tokenizer.decode(ids), "⁇ ⁇ Der ⁇ ⁇");
  const auto words = tokenizer.words(ids);
  ASSERT_EQ(words.size(), 5u);
  EXPECT_EQ(words[0].text, "⁇");
  EXPECT_EQ(words[2].text, "Der");
}

TEST(Tokenizer, RefusesBytesThatAreNoModel) {
  EXPECT_THROW(Tokenizer::from_bytes(""), DataError);
  EXPECT_THROW(Tokenizer::from_bytes("no model at all"), DataError);
  const std::string bytes = trained(TokenizerType::bpe).bytes();
  EXPECT_THROW(Tokenizer::from_bytes(std::string_view(bytes).substr(0, bytes.size() / 2)),
               DataError);
}

// Earlier versions put a checksum after the model, as field 201 of 32 bits. Whatever it is, it
// means nothing.
TEST(Tokenizer, LoadsAModelWithTheChecksumOfEarlierVersions) {
  const Tokenizer tokenizer = trained(TokenizerType::bpe);
  const std::string bytes = tokenizer.bytes() + "\xCD\x0C" + "\x01\x02\x03\x04";
  const Tokenizer loaded = Tokenizer::from_bytes(bytes);
  EXPECT_EQ(loaded.encode("Ein Mann kauft"), tokenizer.encode("Ein Mann kauft"));
  EXPECT_EQ(loaded.bytes(), bytes);
}

TEST(Tokenizer, PrintsNothing) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  trained(TokenizerType::unigram);
  TokenizerOptions options;
  options.vocab_size = 100'000;
  EXPECT_THROW(Tokenizer::train(corpus(), options), ConfigError);
  EXPECT_THROW(Tokenizer::from_bytes("no model"), DataError);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

}  // namespace
}  // namespace attend
