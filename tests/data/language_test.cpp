#include "attend/data/language.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "core/files.h"
#include "data/ids.h"

namespace attend {
namespace {

using Files = std::vector<std::string>;

constexpr std::int32_t kEos = 3;

Tokenizer words() {
  TokenizerOptions options;
  options.type = TokenizerType::word;
  options.vocab_size = 4 + 3;
  return Tokenizer::train(std::vector<std::string>{"one two three"}, options);
}

// 0, 1, 2, ...: every token is its position.
TokenIds counting(int tokens) {
  TokenIds stream(tokens);
  std::iota(stream.begin(), stream.end(), 0);
  return stream;
}

class Language : public WithFiles {};

TEST_F(Language, JoinsLinesIntoOneStream) {
  const Tokenizer tokenizer = words();
  const std::int32_t one = tokenizer.id("▁one");
  const std::int32_t two = tokenizer.id("▁two");
  const LanguageText text = encode_language(Files{"one two", "", "two"}, tokenizer);
  EXPECT_EQ(text.stream, (TokenIds{kEos, one, two, kEos, kEos, two, kEos}));
  EXPECT_EQ(text.targets(), 6);
  EXPECT_EQ(text.summary(), "3 lines (1 empty), 3 words, 6 tokens");
}

TEST_F(Language, JoinsDocumentsWithAnEndBehindEach) {
  const Tokenizer tokenizer = words();
  const std::int32_t one = tokenizer.id("▁one"), two = tokenizer.id("▁two");
  const Files documents{"one\ntwo\n", "two"};
  const auto stream = [&](const StreamFormat& format) {
    return encode_language(documents, tokenizer, format).stream;
  };
  const StreamFormat plain{.unit = TextUnit::documents};
  EXPECT_EQ(stream(plain), (TokenIds{one, two, kEos, two, kEos}));
  // What stands before a document is not repeated where the end of the one before is the same.
  StreamFormat marked{.unit = TextUnit::documents, .before = {kEos}};
  EXPECT_EQ(stream(marked), (TokenIds{kEos, one, two, kEos, two, kEos}));
  marked.before = {two};
  marked.after = {one, kEos};
  EXPECT_EQ(stream(marked), (TokenIds{two, one, two, one, kEos, two, two, one, kEos}));
  const LanguageText text = encode_language(documents, tokenizer, plain);
  EXPECT_EQ(text.summary(), "2 documents of 3 lines, 3 words, 4 tokens");
  EXPECT_EQ(text.characters, 11);
}

// Every token is scored once, but the first and, where windows have none in common, the first of
// each.
TEST(DocumentWindows, ScoreWhatTheWindowsBeforeDoNotHave) {
  for (const auto& [tokens, length, stride] :
       {std::tuple{31, 8, 3}, {31, 8, 8}, {31, 8, 7}, {8, 8, 4}, {9, 8, 8}, {2, 8, 4}}) {
    std::vector<int> scored(static_cast<std::size_t>(tokens), 0);
    std::int64_t begin = 0;
    for (const TokenWindow& window : document_windows(tokens, length, stride)) {
      EXPECT_EQ(window.begin, begin);
      EXPECT_LE(window.end + 1 - window.begin, length);
      for (std::int64_t n = window.scored; n < window.end; ++n)
        ++scored[static_cast<std::size_t>(n) + 1];
      begin += stride;
    }
    for (int n = 0; n < tokens; ++n)
      EXPECT_EQ(scored[static_cast<std::size_t>(n)], n > 0 && (stride < length || n % stride > 0))
          << tokens << ", " << length << ", " << stride << ": " << n;
  }
  EXPECT_TRUE(document_windows(1, 8, 4).empty());
  EXPECT_THROW(document_windows(9, 8, 9), ConfigError);
  EXPECT_THROW(document_windows(9, 8, 0), ConfigError);
}

// Where the tokenizer sees two words, so do those who count them.
TEST_F(Language, CountsWordsBetweenWhiteSpaceOfAllKinds) {
  const Tokenizer tokenizer = words();
  const TokenIds two_words{tokenizer.id("▁one"), tokenizer.id("▁two")};
  int separating = 0;
  for (char32_t c = 1; c < 0x10000; ++c) {
    if (c == '\n' || !is_white_space(c)) continue;
    std::string line = "one";
    append_code_point(line, c);
    EXPECT_EQ(encode_language(Files{line + "two"}, tokenizer).words, 2) << static_cast<unsigned>(c);
    EXPECT_EQ(encode_language(Files{line + " two"}, tokenizer).words, 2)
        << static_cast<unsigned>(c);
    if (tokenizer.encode(line + "two") == two_words) ++separating;
  }
  EXPECT_GT(separating, 20) << "the tokenizer, too, takes nearly all of them for spaces";
  EXPECT_EQ(encode_language(Files{"one\u00A0two\u3000\u2003three\u00A0"}, tokenizer).words, 3);
}

TEST_F(Language, ReadsFilesAsIfTheyWereOne) {
  const Tokenizer tokenizer = words();
  const LanguageText text =
      read_language(Files{write("a", "one two\n\n"), write("b", "two\n")}, tokenizer);
  EXPECT_EQ(text.stream, encode_language(Files{"one two", "", "two"}, tokenizer).stream);
  EXPECT_EQ(text.lines, 3);
  EXPECT_THROW(read_language(Files{}, tokenizer), ConfigError);
}

TEST_F(Language, ReadsManyLinesInOrder) {
  const Tokenizer tokenizer = words();
  std::string content;
  Files lines;
  for (int i = 0; i < 20'000; ++i) {
    lines.push_back(i % 3 == 0 ? "one" : i % 5 == 0 ? "two three" : "");
    content += lines.back() + "\n";
  }
  const LanguageText text = read_language(Files{write("a", content)}, tokenizer);
  EXPECT_EQ(text.lines, 20'000);
  EXPECT_EQ(text.stream, encode_language(lines, tokenizer).stream);
}

TEST_F(Language, CutsTheStreamIntoWindowsShiftedByOne) {
  const LanguageBatcher batcher(counting(8), {.sequence_length = 3}, {6}, std::nullopt);
  ASSERT_EQ(batcher.batches(0), 2);
  const LanguageBatch first = batcher.batch(0, 0);
  EXPECT_EQ(first.input.ids, (TokenIds{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(first.input.offsets, (TokenIds{0, 3, 6}));
  EXPECT_EQ(first.target, (TokenIds{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(first.first_scored, (TokenIds{0, 0}));
  const LanguageBatch last = batcher.batch(0, 1);
  EXPECT_EQ(last.input.ids, TokenIds{6});
  EXPECT_EQ(last.target, TokenIds{7});
}

TEST_F(Language, BeginsItsWindowsWhereSeedAndEpochSay) {
  const auto beginning = [](std::uint64_t seed, std::int64_t epoch) {
    const LanguageBatcher batcher(counting(1001), {.sequence_length = 16}, {16}, seed);
    std::int32_t last = 0;  // of the window that begins last; the first may be cut short
    for (std::int64_t index = 0; index < batcher.batches(epoch); ++index)
      last = std::max(last, batcher.batch(epoch, index).input[0][0]);
    return last % 16;
  };
  std::set<std::int32_t> of_seeds, of_epochs;
  for (std::uint64_t i = 0; i < 8; ++i) {
    of_seeds.insert(beginning(i, 0));
    of_epochs.insert(beginning(1, static_cast<std::int64_t>(i)));
  }
  EXPECT_GT(of_seeds.size(), 3u);
  EXPECT_GT(of_epochs.size(), 3u);
}

TEST_F(Language, PredictsEveryTokenOnceInAnEpoch) {
  const LanguageBatcher batcher(counting(1001), {.sequence_length = 16}, {64}, 9);
  std::set<std::int32_t> beginnings;
  for (std::int64_t epoch = 0; epoch < 6; ++epoch) {
    TokenIds seen;
    for (std::int64_t index = 0; index < batcher.batches(epoch); ++index) {
      const LanguageBatch batch = batcher.batch(epoch, index);
      EXPECT_LE(batch.input.tokens(), 64);
      EXPECT_EQ(batch.scored(), batcher.size(epoch, index));
      EXPECT_EQ(batch.scored(), batch.input.tokens());
      for (std::int64_t i = 0; i < batch.input.sequences(); ++i) {
        EXPECT_LE(batch.input.length(i), 16);
        EXPECT_GE(batch.input.length(i), 1);
        beginnings.insert(batch.input[i][0] % 16);
      }
      for (std::size_t n = 0; n < batch.target->size(); ++n)
        EXPECT_EQ((*batch.target)[n], (*batch.input.ids)[n] + 1);
      seen.insert(seen.end(), batch.target->begin(), batch.target->end());
    }
    std::sort(seen.begin(), seen.end());
    TokenIds all = counting(1001);
    all.erase(all.begin());
    EXPECT_EQ(seen, all);
  }
  EXPECT_GE(beginnings.size(), 4u);  // windows are cut elsewhere in every epoch
}

TEST_F(Language, OrdersWindowsBySeedAndEpochAlone) {
  const LanguageOptions options{.sequence_length = 16};
  const LanguageBatcher batcher(counting(1001), options, {64}, 9);
  const Ids expected = batcher.batch(3, 2).target;
  EXPECT_NE(batcher.batch(2, 2).target, expected);
  EXPECT_EQ(LanguageBatcher(counting(1001), options, {64}, 9).batch(3, 2).target, expected);
  EXPECT_NE(LanguageBatcher(counting(1001), options, {64}, 10).batch(3, 2).target, expected);
}

TEST_F(Language, KeepsTheWindowsOfAMixtureWithinTheirTexts) {
  const std::vector<std::int64_t> targets{10, 0, 3};
  const TextWindows windows(targets, {.sequence_length = 4});
  EXPECT_EQ(std::vector(windows.counts().begin(), windows.counts().end()),
            (std::vector<std::int64_t>{3, 0, 1}));
  std::vector<std::pair<std::int64_t, std::int64_t>> found;
  for (std::int64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(windows[i].scored, windows[i].begin) << "all of them count";
    found.emplace_back(windows[i].begin, windows[i].end);
  }
  EXPECT_EQ(found, (decltype(found){{0, 4}, {4, 8}, {8, 10}, {10, 13}}));
}

TEST_F(Language, TakesTheWindowsThatAMixtureHasInAnEpoch) {
  const std::vector<std::int64_t> targets{8, 5};
  const auto of_epoch = [](std::int64_t epoch) {
    return epoch == 0 ? std::vector<std::int32_t>{0, 1, 2} : std::vector<std::int32_t>{3, 3};
  };
  const LanguageBatcher batcher(std::make_shared<const TokensInMemory>(counting(14)),
                                TextWindows(targets, {.sequence_length = 4}), {100}, 1, of_epoch);
  EXPECT_EQ(batcher.targets(), 13);
  const LanguageBatch first = batcher.batch(0, 0);
  TokenIds seen(first.target->begin(), first.target->end());
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, (TokenIds{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(batcher.size(0, 0), 12);
  const LanguageBatch second = batcher.batch(1, 0);
  EXPECT_EQ(second.input.ids, (TokenIds{12, 12}));
  EXPECT_EQ(second.target, (TokenIds{13, 13}));
}

TEST_F(Language, EvaluatesEveryTargetOnceWithItsContext) {
  for (const int stride : {1, 3, 8}) {
    const LanguageEvaluationBatcher batcher(counting(31), {.sequence_length = 8}, stride, {20});
    TokenIds scored;
    for (std::int64_t index = 0; index < batcher.batches(); ++index) {
      const LanguageBatch batch = batcher.batch(index);
      EXPECT_LE(batch.input.tokens(), 20);
      std::int64_t count = 0;
      for (std::int64_t i = 0; i < batch.input.sequences(); ++i) {
        EXPECT_LE(batch.input.length(i), 8);
        for (std::int32_t t = batch.first_scored[i]; t < batch.input.length(i); ++t, ++count) {
          const std::int32_t target = (*batch.target)[batch.input.begin_of(i) + t];
          EXPECT_GE(t, std::min(8 - stride, target - 1));  // positions before it in its window
          scored.push_back(target);
        }
      }
      EXPECT_EQ(batch.scored(), count);
    }
    TokenIds all = counting(31);
    all.erase(all.begin());
    EXPECT_EQ(scored, all) << "stride " << stride;
  }
}

TEST_F(Language, ChecksItsOptions) {
  EXPECT_THROW(LanguageBatcher(counting(10), {.sequence_length = 0}, {64}, 1), ConfigError);
  EXPECT_THROW(LanguageBatcher(counting(1), {}, {64}, 1), DataError);
  EXPECT_THROW(LanguageEvaluationBatcher(counting(10), {.sequence_length = 8}, 0, {64}),
               ConfigError);
  EXPECT_THROW(LanguageEvaluationBatcher(counting(10), {.sequence_length = 8}, 9, {64}),
               ConfigError);
  EXPECT_THROW(LanguageBatcher(counting(10), {}, {64}, 1).batch(0, 1), DataError);
}

TEST_F(Language, CountsWikiText2AsThePublishedResultsDo) {
  const std::string file = real_data("wikitext-2/valid.txt");
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no WikiText-2 at " << file;
  const LanguageText text = read_language(Files{file}, words());
  EXPECT_EQ(text.lines, 3760);
  EXPECT_EQ(text.words, 213886);
  EXPECT_EQ(text.targets(),
            213886 + 3760);  // words and ends of lines: unknown neighbors stay apart
}

}  // namespace
}  // namespace attend
