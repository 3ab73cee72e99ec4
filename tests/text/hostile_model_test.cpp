// Models that are made to harm: refused before SentencePiece sees them.
#include <gtest/gtest.h>

#include <cstring>
#include <ctime>
#include <limits>

#include "attend/error.h"
#include "attend/text/tokenizer.h"
#include "text/character_map_bytes.h"
#include "text/model_bytes.h"

namespace attend {
namespace {

const std::vector<std::string> kVictimText{
    "the small dog reads a red house", "a young woman is watching",
    "der alte Mann kauft einen Apfel", "two children are painting a yellow house",
    "the old man buys a red apple quickly"};

Tokenizer victim(TokenizerType type = TokenizerType::bpe,
                 Normalization normalization = Normalization::identity,
                 bool byte_fallback = false) {
  TokenizerOptions options;
  options.type = type;
  options.vocab_size = (type == TokenizerType::word      ? 15
                        : type == TokenizerType::unigram ? 34
                                                         : 45) +
                       (byte_fallback ? 256 : 0);
  options.normalization = normalization;
  options.byte_fallback = byte_fallback;
  return Tokenizer::train(kVictimText, options);
}

void expect_refused(const std::string& bytes, std::string_view complaint, const std::string& name) {
  try {
    Tokenizer::from_bytes(bytes).encode("abc the small dog");
    ADD_FAILURE() << name << " is not refused";
  } catch (const DataError& error) {
    EXPECT_NE(std::string_view(error.what()).find(complaint), std::string_view::npos)
        << name << ": " << error.what();
  }
}

std::string piece(const std::string& text, std::uint64_t type = 1) {
  return field(kPieceField, field(1, text) + field(3, type));
}

std::string piece_with_score(float score) {
  char bytes[sizeof score];
  std::memcpy(bytes, &score, sizeof score);
  return field(kPieceField, field(1, "scored") + "\x15" + std::string(bytes, sizeof score));
}

TEST(HostileModel, IsRefusedForItsCharacterMap) {
  const std::string model = victim().bytes();
  for (const auto& [name, hostile] : hostile_maps()) {
    for (const std::uint32_t where : {kNormalizerField, kDenormalizerField})
      expect_refused(model + field(where, field(kMapField, hostile.first)), hostile.second, name);
  }
}

TEST(HostileModel, MayHaveACharacterMapThatIsRight) {
  const std::string map = field(kMapField, MapBytes().add("x", "a").bytes());
  const Tokenizer tokenizer = Tokenizer::from_bytes(
      victim().bytes() + field(kNormalizerField, map) + field(kDenormalizerField, map));
  EXPECT_EQ(tokenizer.encode("x smxll"), tokenizer.encode("a small"));
}

TEST(HostileModel, DoesNotMakeTooMuchOfAText) {
  const std::string map = field(kMapField, MapBytes().add("x", std::string(255, 'a')).bytes());
  for (const bool byte_fallback : {false, true}) {
    const Tokenizer tokenizer = Tokenizer::from_bytes(
        victim(TokenizerType::unigram, Normalization::identity, byte_fallback).bytes() +
        field(kNormalizerField, map));
    EXPECT_THROW(tokenizer.encode(std::string(9 << 20, 'x')), DataError)
        << "more bytes than the library can count";
  }
}

TEST(HostileModel, IsRefusedForItsPieces) {
  const std::string bpe = victim().bytes(), unigram = victim(TokenizerType::unigram).bytes();
  for (const std::string& model : {bpe, unigram}) {
    expect_refused(model + piece(""), "empty", "an empty piece");
    expect_refused(model + piece("\xC3"), "not UTF-8", "half a character");
    expect_refused(model + piece("a\x1B[2J\xFF"), "a\\x1b[2J", "bytes for a terminal");
    expect_refused(model + piece_with_score(std::numeric_limits<float>::quiet_NaN()), "score nan",
                   "no score");
    expect_refused(model + piece_with_score(std::numeric_limits<float>::infinity()), "score inf",
                   "an infinite score");
    expect_refused(model + piece(std::string("a\0b", 3), 4), "zero byte",
                   "a zero byte in a user-defined piece");
    expect_refused(model + piece(std::string(5000, 'a'), 4), "5000 bytes",
                   "a user-defined piece of 5000 bytes");
    expect_refused(model + piece(std::string(5000, 'a'), 5), "5000 bytes",
                   "an unused piece of 5000 bytes");
  }
  expect_refused(unigram + piece(std::string("\0", 1)), "zero byte",
                 "a zero byte in a piece of a trie");
  std::string nested;
  for (std::size_t length = 1; length <= 65; ++length)
    nested += piece(std::string(length, '\x01'), 4);
  expect_refused(bpe + nested, "prefixes of one another", "65 user-defined pieces in a row");
  expect_refused(field(kTrainerField, field(3, 2)), "no pieces", "a model without pieces");
  expect_refused(bpe + field(kTrainerField, field(kUnknownSurfaceField, "\xFF")), "not UTF-8",
                 "bytes for unknown text");
}

// The decoder computes with them.
TEST(HostileModel, IsRefusedForByteTokensThatAreNoBytes) {
  for (const char* text : {"a", "<0x", "<0xZZ>", "<0x0a>", "<0x00>x"})
    EXPECT_THROW(
        Tokenizer::for_decoding(victim(TokenizerType::bpe, Normalization::identity, true).bytes() +
                                piece(text, 6)),
        DataError)
        << text;
}

// What only the library finds.
TEST(HostileModel, IsRefusedBeforeItSplitsTextIfItWasLoadedForDecoding) {
  const std::string bytes = victim().bytes() + piece("twice") + piece("twice");
  EXPECT_THROW(Tokenizer::from_bytes(bytes), DataError);
  const Tokenizer tokenizer = Tokenizer::for_decoding(bytes);
  EXPECT_EQ(tokenizer.decode(std::vector{tokenizer.vocab_size() - 1}), "twice");
  for (int attempt = 0; attempt < 2; ++attempt) {
    try {
      tokenizer.encode("the small dog");
      ADD_FAILURE() << "text is split";
    } catch (const DataError& error) {
      EXPECT_STREQ(error.what(),
                   "tokenizer: it cannot be used (twice is already defined.); restore the file");
    }
  }
  EXPECT_TRUE(tokenizer.encode("").empty()) << "nothing has to be split";
  EXPECT_THROW(tokenizer.spans("the"), DataError);
  EXPECT_THROW(tokenizer.prepare(), DataError);
  EXPECT_THROW(tokenizer.id("the"), DataError);
}

TEST(HostileModel, IsRefusedWhenItsBytesCanBeReadInTwoWays) {
  const std::string model = victim().bytes();
  const std::string map = field(kMapField, hostile_maps().at("the root leads out").first);
  // A tag of 35 bits, of which protobuf might keep the lower ones: the normalizer.
  expect_refused(model + "\x9A\x80\x80\x80\x10" + varint(map.size()) + map, "no number",
                 "a long tag");
  expect_refused(model + std::string("\x9A\x80\x80\x80\x80\x00", 6) + varint(map.size()) + map,
                 "does not end", "a tag of six bytes");
  // The same tag with more bytes than it needs.
  expect_refused(model + std::string("\x9A\x00", 2) + varint(map.size()) + map,
                 "leads out of its trie", "a padded tag");
  expect_refused(model + "\x1B" + map + "\x1C", "unknown type", "a group");
  expect_refused(model + "\x1A\x05", "longer than what holds it", "a field that is cut");
}

TEST(HostileModel, HasNoEnumerationsBeyondThirtyTwoBits) {
  const std::string byte_piece =
      field(kPieceField, field(1, "q") + varint(3 << 3) + varint((std::uint64_t{1} << 32) + 6));
  expect_refused(victim().bytes() + byte_piece, "byte piece", "a piece whose type has 33 bits");
}

TEST(HostileModel, DoesNotTestItselfForHours) {
  std::string samples;
  for (int i = 0; i < 200; ++i)
    samples += field(1, field(1, std::string(100'000, '\x01')) + field(2, "x"));
  const std::string model = victim().bytes() + field(kSelfTestField, samples);
  const std::clock_t begin = std::clock();
  const Tokenizer tokenizer = Tokenizer::from_bytes(model);
  EXPECT_LT(std::clock() - begin, 5 * CLOCKS_PER_SEC);
  EXPECT_EQ(tokenizer.bytes(), model);
}

TEST(HostileModel, IsWhatNoNormalizationMakes) {
  for (const TokenizerType type :
       {TokenizerType::bpe, TokenizerType::unigram, TokenizerType::chars, TokenizerType::word}) {
    for (const Normalization normalization : {Normalization::nmt_nfkc, Normalization::nfkc,
                                              Normalization::nmt_nfkc_cf, Normalization::nfkc_cf})
      EXPECT_NO_THROW(Tokenizer::from_bytes(victim(type, normalization).bytes()));
  }
}

TEST(Tokenizer, HasNoIdForNoPiece) {
  for (const TokenizerType type : {TokenizerType::bpe, TokenizerType::unigram})
    EXPECT_EQ(victim(type).id(std::string_view()), 1);
}

}  // namespace
}  // namespace attend
