#include "attend/text/sentencepiece/sentencepiece_writing.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "attend/error.h"
#include "attend/text/tokenizer.h"

namespace attend {
namespace {

using Ids = std::vector<std::int32_t>;

Tokenizer learned(TokenizerType type) {
  const std::vector<std::string> sentences{"the small dog reads a red house.",
                                           "a young woman is watching the yellow bicycles!",
                                           "der alte Mann kauft den grünen Apfel."};
  TokenizerOptions options;
  options.type = type;
  options.vocab_size = type == TokenizerType::unigram ? 42 : 80;
  return Tokenizer::train(sentences, options);
}

std::vector<std::string> pieces_of_vocabulary(const Tokenizer& tokenizer) {
  std::vector<std::string> pieces;
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id)
    pieces.push_back(tokenizer.piece(id));
  return pieces;
}

std::vector<std::string> pieces_of_text(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<std::string> pieces;
  for (const std::int32_t id : tokenizer.encode(text)) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

VocabularyOrder reversed_order(const Tokenizer& tokenizer) {
  VocabularyOrder order{.special = {"<pad>", "</s>", "<pad>", "<unk>"}};
  order.pieces = pieces_of_vocabulary(tokenizer);
  std::erase(order.pieces, "<s>");
  std::reverse(order.pieces.begin(), order.pieces.end());
  return order;
}

TEST(ReorderSentencePiece, GivesTheSamePiecesTheIdsOfTheVocabulary) {
  for (const TokenizerType type : {TokenizerType::bpe, TokenizerType::unigram}) {
    const Tokenizer tokenizer = learned(type);
    VocabularyOrder order = reversed_order(tokenizer);
    order.pieces.insert(order.pieces.begin() + 5, {"▁étranger", "▁red"});  // one is there already
    order.pieces.erase(std::find(order.pieces.rbegin(), order.pieces.rend(), "▁red").base() - 1);
    order.pieces.push_back(">>fra<<");
    order.controls = {">>fra<<"};
    const Tokenizer other = Tokenizer::from_bytes(reorder_sentencepiece(tokenizer.bytes(), order));
    EXPECT_EQ(pieces_of_vocabulary(other), order.pieces);
    for (const char* text : {"the red dog kauft Apfel", "étranger >>fra<< house", "京 the"})
      EXPECT_EQ(pieces_of_text(other, text), pieces_of_text(tokenizer, text)) << text;
    EXPECT_EQ(other.decode(other.encode("the red house")), "the red house");
    EXPECT_EQ(other.bos_id(), other.id("<pad>"));
    EXPECT_EQ(other.eos_id(), other.id("</s>"));
    EXPECT_EQ(other.decode(Ids{other.id(">>fra<<"), other.eos_id()}), "");
    EXPECT_EQ(count_pieces_without_id(tokenizer.bytes(), order), 0);
  }
}

TEST(ReorderSentencePiece, MakesPiecesWithoutAnIdUnknown) {
  const Tokenizer tokenizer = learned(TokenizerType::bpe);
  VocabularyOrder order = reversed_order(tokenizer);
  const std::vector<std::string> cut = pieces_of_text(tokenizer, "the dog the");
  std::erase(order.pieces, cut.front());
  EXPECT_EQ(count_pieces_without_id(tokenizer.bytes(), order), 1);
  const Tokenizer other = Tokenizer::from_bytes(reorder_sentencepiece(tokenizer.bytes(), order));
  EXPECT_EQ(other.vocab_size(), static_cast<std::int32_t>(order.pieces.size()));
  std::vector<std::string> expected = cut;
  std::replace(expected.begin(), expected.end(), cut.front(), std::string("<unk>"));
  EXPECT_EQ(pieces_of_text(other, "the dog the"), expected);
  EXPECT_EQ(other.id(cut.front()), other.unk_id());
  EXPECT_THROW(other.piece(other.vocab_size()), DataError);
}

TEST(ReorderSentencePiece, ChangesNothingTheSecondTime) {
  for (const TokenizerType type : {TokenizerType::bpe, TokenizerType::unigram}) {
    const Tokenizer tokenizer = learned(type);
    VocabularyOrder order = reversed_order(tokenizer);
    order.pieces.insert(order.pieces.begin() + 5, "▁étranger");
    std::erase(order.pieces, "▁red");
    // A piece of text that becomes a mark has no score.
    order.controls = {tokenizer.piece(tokenizer.vocab_size() - 1)};
    const std::string once = reorder_sentencepiece(tokenizer.bytes(), order);
    EXPECT_NE(once, tokenizer.bytes());
    EXPECT_EQ(reorder_sentencepiece(once, order), once);
  }
}

TEST(ReorderSentencePiece, KnowsCharactersThatOnlyTheOrderHas) {
  for (const TokenizerType type : {TokenizerType::bpe, TokenizerType::unigram}) {
    const Tokenizer tokenizer = learned(type);
    VocabularyOrder order = reversed_order(tokenizer);
    order.pieces.insert(order.pieces.end(), {"ß", "京都"});
    const Tokenizer other = Tokenizer::from_bytes(reorder_sentencepiece(tokenizer.bytes(), order));
    const std::vector<std::string> dog = pieces_of_text(tokenizer, "the dog");
    std::vector<std::string> expected = dog;
    expected.emplace_back("ß");
    EXPECT_EQ(pieces_of_text(other, "the dogß"), expected) << "nothing else changes";
    expected.back() = "京都";
    EXPECT_EQ(pieces_of_text(other, "the dog京都"), expected)
        << "what is unknown is looked up whole";
    expected.back() = "<unk>";
    for (const char* run : {"ßß", "ß京", "京ß", "京", "京都ß"}) {
      EXPECT_EQ(pieces_of_text(other, std::string("the dog") + run), expected) << run;
      EXPECT_EQ(other.spans(std::string("the dog") + run).back().begin, 7u) << run;
      EXPECT_EQ(other.spans(std::string("the dog") + run).back().end, 7 + std::string(run).size());
    }
    expected.back() = "ß";
    expected.insert(expected.end(), dog.begin(), dog.end());
    expected.emplace_back("ß");
    EXPECT_EQ(pieces_of_text(other, "the dogß the dogß"), expected);
  }
}

TEST(ReorderSentencePiece, RefusesAnOrderThatIsNone) {
  const std::string bytes = learned(TokenizerType::bpe).bytes();
  VocabularyOrder order = reversed_order(learned(TokenizerType::bpe));
  VocabularyOrder twice = order, without = order, nothing = order;
  twice.pieces.push_back(order.pieces.front());
  EXPECT_THROW(reorder_sentencepiece(bytes, twice), DataError);
  std::erase(without.pieces, "<unk>");
  EXPECT_THROW(reorder_sentencepiece(bytes, without), DataError);
  nothing.special.eos = "<end>";
  EXPECT_THROW(reorder_sentencepiece(bytes, nothing), DataError);
  EXPECT_THROW(reorder_sentencepiece("no model", order), DataError);
}

// A model as fairseq's families have it, before its order.
std::string fairseq_model(const Tokenizer& tokenizer) {
  SentencePieceDescription d{.special = {"<s>", "</s>", "", "<unk>"}};
  d.pieces = {{"<unk>", 0, detail::PieceType::unknown},
              {"<s>", 0, detail::PieceType::control},
              {"</s>", 0, detail::PieceType::control}};
  for (std::int32_t id = 4; id < tokenizer.vocab_size(); ++id)
    d.pieces.push_back({tokenizer.piece(id), tokenizer.score(id)});
  return sentencepiece_bytes(d);
}

TEST(RestoreSentencePiece, UndoesAnOrder) {
  const std::string bytes = fairseq_model(learned(TokenizerType::unigram));
  const std::vector<std::string> languages{"eng_Latn", "deu_Latn", "<mask>"},
      pieces = sentencepiece_pieces(bytes);
  VocabularyOrder order = fairseq_order(bytes, languages);
  const std::string reordered = reorder_sentencepiece(bytes, order);
  EXPECT_FALSE(is_reordered_sentencepiece(bytes));
  EXPECT_TRUE(is_reordered_sentencepiece(reordered));
  EXPECT_EQ(restore_sentencepiece(reordered, pieces), bytes);
  EXPECT_THROW(restore_sentencepiece(reordered, {"<unk>", "not there"}), DataError);
  EXPECT_THROW(restore_sentencepiece("no model", pieces), DataError);
}

TEST(RestoreSentencePiece, KeepsPiecesWithoutAnId) {
  const std::string bytes = fairseq_model(learned(TokenizerType::unigram));
  VocabularyOrder order = fairseq_order(bytes, {});
  const std::string last = order.pieces.back();
  order.pieces.pop_back();
  const std::string reordered = reorder_sentencepiece(bytes, order);
  std::vector<std::string> pieces = sentencepiece_pieces(bytes);
  ASSERT_EQ(pieces.back(), last);
  pieces.pop_back();
  EXPECT_EQ(restore_sentencepiece(reordered, pieces), bytes);
  EXPECT_EQ(reorder_sentencepiece(restore_sentencepiece(reordered, pieces), order), reordered);
}

TEST(FairseqOrder, PutsItsOwnSpecialPiecesFirst) {
  const Tokenizer tokenizer = learned(TokenizerType::unigram);
  const std::vector<std::string> languages{"eng_Latn", "deu_Latn", "<mask>"};
  const std::string bytes = fairseq_model(tokenizer);
  const Tokenizer plain = Tokenizer::from_bytes(bytes);
  const Tokenizer other =
      Tokenizer::from_bytes(reorder_sentencepiece(bytes, fairseq_order(bytes, languages)));
  EXPECT_EQ(plain.pad_id(), -1);
  EXPECT_EQ(other.vocab_size(), plain.vocab_size() + 4);
  const SpecialTokens& special = other.special_tokens();
  EXPECT_EQ((Ids{special.bos, special.pad, special.eos, special.unk}), (Ids{0, 1, 2, 3}));
  Ids expected = plain.encode("the young dog eng_Latn");
  for (std::int32_t& id : expected) id = id == plain.unk_id() ? 3 : id + 1;
  EXPECT_EQ(other.encode("the young dog eng_Latn"), expected);
  EXPECT_EQ(other.decode(Ids{other.id("eng_Latn")}), "");
}

TEST(SentencePieceBytes, SayWhatTheDescriptionSays) {
  SentencePieceDescription d{.type = detail::ModelType::bpe,
                             .pieces = {{"<unk>", 0, detail::PieceType::unknown},
                                        {"</s>", 0, detail::PieceType::control},
                                        {"▁"},
                                        {"a"},
                                        {"b"},
                                        {"▁a", -1},
                                        {"ab", -2}},
                             .special = {"", "</s>", "", "<unk>"},
                             .unknown_surface = "?"};
  const Tokenizer tokenizer = Tokenizer::from_bytes(sentencepiece_bytes(d));
  EXPECT_EQ(pieces_of_text(tokenizer, "ab  ab"), (std::vector<std::string>{"▁a", "b", "▁a", "b"}));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("a xb")), "a ?b");
  EXPECT_EQ(tokenizer.special_tokens().bos, -1);
  d.dummy_prefix = d.remove_extra_spaces = false;
  const Tokenizer bare = Tokenizer::from_bytes(sentencepiece_bytes(d));
  EXPECT_EQ(pieces_of_text(bare, "ab  ab"), (std::vector<std::string>{"ab", "▁", "▁a", "b"}));
}

}  // namespace
}  // namespace attend
