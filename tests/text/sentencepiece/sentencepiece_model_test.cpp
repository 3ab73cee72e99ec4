#include "attend/text/sentencepiece/sentencepiece_model.h"

#include <gtest/gtest.h>
#include <sentencepiece_processor.h>

#include "attend/error.h"
#include "text/model_bytes.h"
#include "text/small_tokenizers.h"

namespace attend {
namespace {

constexpr std::uint32_t kUnkPiece = 45, kBosPiece = 46, kEosPiece = 47, kPadPiece = 48;

std::string piece(const std::string& text, detail::PieceType type) {
  return field(1, field(1, text) + field(3, static_cast<std::uint64_t>(type)));
}

std::string names(std::uint32_t number, const std::string& text) {
  return field(kTrainerField, field(number, text));
}

// Loads what the library makes of the bytes, and compares the special tokens.
void expect_those_of_the_library(const std::string& bytes, const std::string& name) {
  sentencepiece::SentencePieceProcessor library;
  ASSERT_TRUE(library.LoadFromSerializedProto(bytes).ok()) << name;
  const SpecialTokens special = special_tokens(detail::read_sentencepiece_model(bytes));
  EXPECT_EQ(special.unk, library.unk_id()) << name;
  EXPECT_EQ(special.bos, library.bos_id()) << name;
  EXPECT_EQ(special.eos, library.eos_id()) << name;
  EXPECT_EQ(special.pad, library.pad_id()) << name;
}

TEST(SentencePieceModel, HasTheSpecialTokensOfTheLibrary) {
  using detail::PieceType;
  for (const TokenizerUnderTest& t : small_tokenizers()) {
    const std::string& bytes = t.tokenizer.bytes();
    const std::string ordinary = t.tokenizer.piece(t.tokenizer.vocab_size() - 1);
    expect_those_of_the_library(bytes, t.name);
    for (const char* text : {"<unk>", "<s>", "</s>", "<pad>"})
      expect_those_of_the_library(piece(text, PieceType::unused) + bytes,
                                  t.name + ": an unused piece before it");
    for (const std::uint32_t number : {kUnkPiece, kBosPiece, kEosPiece, kPadPiece}) {
      const auto expect = [&](const std::string& more, const char* what) {
        expect_those_of_the_library(bytes + more, t.name + ": " + std::to_string(number) + what);
      };
      expect(names(number, ""), ": the usual text");
      expect(names(number, "none"), ": a text that is no piece");
      expect(names(number, "<s>"), ": a control piece");
      expect(names(number, "<unk>"), ": the unknown piece");
      expect(names(number, ordinary), ": an ordinary piece");
      expect(names(number, std::string("<s>\0x", 5)), ": a text with a zero byte");
      expect(names(number, "none") + names(number, ""), ": the last of two texts");
      expect(names(number, "[X]") + piece("[X]", PieceType::control), ": a new control piece");
      expect(names(number, "[X]") + piece("[X]", PieceType::normal), ": a new ordinary piece");
      expect(piece("</s>", PieceType::unused), ": the same text for an unused piece");
    }
  }
}

TEST(SentencePieceModel, IsLoadedWithoutItsSelfTest) {
  const std::string bytes = small_tokenizers().front().tokenizer.bytes(),
                    samples = field(kSelfTestField, field(1, field(1, "a") + field(2, "x")));
  EXPECT_EQ(detail::loadable_part(samples + bytes + samples), bytes);
}

}  // namespace
}  // namespace attend
