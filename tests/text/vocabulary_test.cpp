#include "attend/text/vocabulary.h"

#include <gtest/gtest.h>

#include <array>

#include "attend/error.h"
#include "tensor/expect_error.h"

namespace attend::detail {
namespace {

TEST(Vocabulary, NumbersItsPieces) {
  const Vocabulary vocabulary(
      {.pieces = {"[UNK]", "[CLS]", "a", "ab"}, .controls = {1}, .special = {.bos = 1, .unk = 0}});
  EXPECT_EQ(vocabulary.size(), 4);
  EXPECT_EQ(vocabulary.find("ab"), 3);
  EXPECT_EQ(vocabulary.find("b"), -1);
  EXPECT_EQ(vocabulary.find(""), -1);
  EXPECT_EQ(vocabulary.piece(2), "a");
  EXPECT_TRUE(vocabulary.is_control(1));
  EXPECT_FALSE(vocabulary.is_control(0)) << "an unknown word is text";
  EXPECT_TRUE(vocabulary.is_unknown(0));
}

TEST(Vocabulary, KeepsFindingWhenItMoves) {
  Vocabulary first({.pieces = {"a", "b"}});
  const Vocabulary moved = std::move(first);
  EXPECT_EQ(moved.find("b"), 1);
}

TEST(Vocabulary, RefusesPiecesThatAreNone) {
  const auto refuse = [](PieceList list, const char* part) {
    expect_error<DataError>([&] { Vocabulary{list}; }, {part});
  };
  refuse({.pieces = {}}, "expected 1 to");
  refuse({.pieces = {"a", ""}}, "empty");
  refuse({.pieces = {"a", "\xFF"}}, "not UTF-8");
  refuse({.pieces = {"a", "b", "a"}}, "twice");
  refuse({.pieces = {std::string(4097, 'a')}}, "4097 bytes");
}

TEST(Vocabulary, RefusesIdsOutsideIt) {
  const auto refuse = [](PieceList list, const char* part) {
    expect_error<DataError>([&] { Vocabulary{list}; }, {part});
  };
  refuse({.pieces = {"a"}, .controls = {1}}, "a control piece has the id 1");
  refuse({.pieces = {"a"}, .controls = {-1}}, "a control piece has the id -1");
  refuse({.pieces = {"a"}, .special = {.unk = 1}}, "special token");
  refuse({.pieces = {"a"}, .special = {.pad = -2}}, "special token");
  refuse({.pieces = {"a"}, .special = {.eos = 0}}, "no control piece");
  const Vocabulary vocabulary({.pieces = {"a", "b"}});
  EXPECT_NO_THROW(vocabulary.require(std::array{0, 1}, "a text"));
  expect_error<DataError>(
      [&] {
        vocabulary.require(std::array{0, 2}, "a text");
      },
      {"a text has the id 2 of 2 pieces"});
}

}  // namespace
}  // namespace attend::detail
