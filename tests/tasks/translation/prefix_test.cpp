// Translations whose beginning is given.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <sstream>

#include "attend/error.h"
#include "tasks/translation/small_translator.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using BegunIds = std::vector<std::int32_t>;

const std::vector<std::string> kToBegin{"the old dog", "a cat", "", "dogs catch the small fish"};

// The sentences with the tokens that their translations begin with.
std::vector<TokenizedSentence> tokenized(const std::vector<BegunIds>& prefixes) {
  const TranslationModel& model = translator().model();
  const PairSpecialTokens marks = model.format.of({});
  std::vector<TokenizedSentence> result;
  for (std::size_t i = 0; i < prefixes.size(); ++i)
    result.push_back({marks.around(model.src_tokenizer.encode(kToBegin[i])), prefixes[i]});
  return result;
}

BegunIds ids_of(const std::vector<std::string>& tokens) {
  BegunIds ids;
  for (const std::string& token : tokens)
    ids.push_back(translator().model().tgt_tokenizer.id(token));
  return ids;
}

TEST(Prefix, OfTheGreedyTranslationChangesNothingButItsScores) {
  const Translation free = translator().translate_ids(tokenized({{}}), beam_of(1))[0];
  const TranslationCandidate& expected = free.candidates[0];
  ASSERT_GT(expected.tokens.size(), 4u);
  BegunIds prefix = ids_of(expected.tokens);
  prefix.resize(3);
  const Translation begun = translator().translate_ids(tokenized({prefix}), beam_of(1))[0];
  EXPECT_EQ(begun.candidates[0].tokens, expected.tokens);
  std::vector<float> scores = expected.token_scores;
  std::fill(scores.begin(), scores.begin() + 3, 0.0f);
  EXPECT_EQ(begun.candidates[0].token_scores, scores);
  EXPECT_EQ(begun.candidates[0].log_probability,
            std::accumulate(scores.begin(), scores.end(), 0.0f));
  EXPECT_FLOAT_EQ(begun.candidates[0].score,
                  begun.candidates[0].log_probability / static_cast<float>(scores.size()));
}

TEST(Prefix, IsReadByTheDecoder) {
  const TranslationModel& model = translator().model();
  const BegunIds prefix =
      ids_of(translator().translate(kToBegin, beam_of(1))[3].candidates[0].tokens);
  TranslationOptions options = beam_of(3, 3);
  options.beam.max_length = static_cast<int>(prefix.size()) + 8;
  const Translation begun = translator().translate_ids(tokenized({prefix}), options)[0];
  for (const TranslationCandidate& candidate : begun.candidates) {
    const BegunIds ids = ids_of(candidate.tokens);
    ASSERT_GE(ids.size(), prefix.size());
    EXPECT_TRUE(std::equal(prefix.begin(), prefix.end(), ids.begin()));
    const PairSpecialTokens marks = model.format.of({});
    const std::vector<BegunIds> src{marks.around(model.src_tokenizer.encode(kToBegin[0]))},
        tgt{ids};
    const SequenceScore whole = score_pairs(model, marks, src, tgt)[0];
    for (std::size_t i = prefix.size(); i < candidate.token_scores.size(); ++i)
      EXPECT_NEAR(candidate.token_scores[i], whole.token_scores[i], 1e-4) << i;
  }
}

TEST(Prefix, BelongsToItsSentence) {
  TranslationOptions options = beam_of(2, 2);
  options.prefixes = {"der hund", "", "eine", "die katze"};
  const std::vector<Translation> together = translator().translate(kToBegin, options);
  EXPECT_EQ(together[2].text(), "") << "an empty line stays empty";
  for (std::size_t i = 0; i < kToBegin.size(); ++i) {
    TranslationOptions own = beam_of(2, 2);
    if (!options.prefixes[i].empty()) own.prefixes = {options.prefixes[i]};
    expect_same(together[i], translator().translate(std::span(&kToBegin[i], 1), own)[0]);
    if (i == 2) continue;
    for (const TranslationCandidate& candidate : together[i].candidates)
      EXPECT_TRUE(candidate.text.starts_with(options.prefixes[i])) << candidate.text;
  }
  options.prefixes = {"der"};
  for (const Translation& one : translator().translate(kToBegin, options))
    EXPECT_TRUE(one.source_tokens.empty() || one.text().starts_with("der")) << one.text();
}

// A text could not say where a token ends within a word.
TEST(Prefix, IsGivenAsTokens) {
  const Tokenizer& tokenizer = translator().model().tgt_tokenizer;
  TranslationOptions options = beam_of(2, 2);
  options.prefix_ids = {tokenizer.encode("der"), {}, {}, {tokenizer.id("d"), tokenizer.id("u")}};
  const auto begun = translator().translate(kToBegin, options);
  TranslationOptions by_text = beam_of(2, 2);
  by_text.prefixes = {"der", "", "", ""};
  const auto expected = translator().translate(kToBegin, by_text);
  for (const std::size_t i : {0, 1, 2}) expect_same(begun[i], expected[i]);
  for (const TranslationCandidate& candidate : begun[3].candidates) {
    ASSERT_GE(candidate.tokens.size(), 2u);
    EXPECT_EQ(candidate.tokens[0], "d");
    EXPECT_EQ(candidate.tokens[1], "u");
  }
  std::istringstream stream("a cat\nfish\n");
  LineReader lines(stream, "in");
  options.prefix_ids.resize(1);
  translator().translate(
      lines, {[](const Translation& t) { EXPECT_TRUE(t.text().starts_with("der")) << t.text(); }},
      options);
  options.prefix_ids = {{tokenizer.eos_id()}};
  expect_error<ConfigError>([&] { translator().translate(kToBegin, options); },
                            {"prefix_ids", "without the end"});
  options.prefix_ids = {{tokenizer.vocab_size()}};
  expect_error<ConfigError>([&] { translator().translate(kToBegin, options); }, {"prefix_ids"});
  options.prefix_ids = {{}, {}};
  expect_error<ConfigError>([&] { translator().translate(kToBegin, options); },
                            {"one for each of 4 sentences, got 2"});
  options.prefixes = {"der"};
  expect_error<ConfigError>([&] { translator().translate(kToBegin, options); },
                            {"no prefixes with"});
}

TEST(Prefix, IsContinuedBySamples) {
  TranslationOptions options = beam_of(1, 3);
  options.sampling = SamplingOptions{.max_length = 12};
  options.prefixes = {"der hund"};
  const auto samples = translator().translate(std::vector<std::string>{"a cat"}, options)[0];
  ASSERT_EQ(samples.candidates.size(), 3u);
  for (const TranslationCandidate& sample : samples.candidates) {
    EXPECT_TRUE(sample.text.starts_with("der hund")) << sample.text;
    EXPECT_EQ(sample.token_scores[0], 0);
    EXPECT_LE(sample.tokens.size(), 12u);
  }
  EXPECT_NE(samples.candidates[0].text, samples.candidates[1].text);
}

class PrefixStream : public testing::Test {
 protected:
  // The texts of the answers, and of the rejections.
  std::vector<std::string> translate(const std::string& lines, const std::string& prefixes) {
    std::istringstream stream(lines), prefix_stream(prefixes);
    LineReader reader(stream, "in"), prefix_reader(prefix_stream, "prefixes");
    std::vector<std::string> texts;
    AnswerSink<Translation> sink;
    sink.accept = [&](const Translation& t) { texts.push_back(t.text()); };
    sink.reject = [&](const LineError& error) { texts.push_back(error.what()); };
    TranslationOptions options = beam_of(1);
    options.window = 2;
    translator().translate(reader, sink, options, &prefix_reader);
    return texts;
  }
};

TEST_F(PrefixStream, TakesALineForEachLine) {
  const std::vector<std::string> texts =
      translate("a cat\nthe old dog\n\nfish\n", "der\ndie katze\nder\n\n");
  TranslationOptions options = beam_of(1);
  options.prefixes = {"der", "die katze", "", ""};
  const std::vector<std::string> sentences{"a cat", "the old dog", "", "fish"};
  const std::vector<Translation> expected = translator().translate(sentences, options);
  ASSERT_EQ(texts.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(texts[i], expected[i].text());
}

TEST_F(PrefixStream, NamesTheLineThatIsWrong) {
  const std::vector<std::string> texts = translate(
      "a cat\nfish\nthe \xff\ndog\n",
      "der \xfe\nder hund sieht die katze und den hund und die katze und den hund\nder\ndie\n");
  ASSERT_EQ(texts.size(), 4u);
  EXPECT_TRUE(texts[0].starts_with("prefixes:1: ")) << texts[0];
  EXPECT_TRUE(texts[1].starts_with("prefixes:2: a prefix of ")) << texts[1];
  EXPECT_NE(texts[1].find("leaves no room in max_length 12"), std::string::npos) << texts[1];
  EXPECT_TRUE(texts[2].starts_with("in:3: ")) << texts[2];
  EXPECT_TRUE(texts[3].starts_with("die")) << texts[3];
}

TEST_F(PrefixStream, HasAsManyLines) {
  expect_error<DataError>([&] { translate("a cat\nfish\n", "der\n"); },
                          {"prefixes ends at line 1, before in"});
  expect_error<DataError>([&] { translate("a cat\n", "der\ndie\n"); },
                          {"in ends at line 1, before prefixes"});
}

TEST(Prefix, OptionsFitTheSentences) {
  TranslationOptions options = beam_of(1);
  options.prefixes = {"der", "die"};
  expect_error<ConfigError>([&] { translator().translate(kToBegin, options); },
                            {"prefixes: expected one for each of 4 sentences, got 2"});
  std::istringstream stream("a cat\nfish\n");
  LineReader lines(stream, "in");
  expect_error<ConfigError>(
      [&] { translator().translate(lines, {[](const Translation&) {}}, options); },
      {"prefixes: expected one for all lines"});
  options.prefixes = {"der hund sieht die katze und den hund und die katze und den hund"};
  expect_error<LineError>([&] { translator().translate(kToBegin, options); },
                          {"sentence 1: a prefix of"});
  const auto tokens = translator().model().tgt_tokenizer.encode(options.prefixes[0]).size();
  options.beam.max_length = static_cast<int>(tokens);
  expect_error<LineError>([&] { translator().translate(kToBegin, options); },
                          {fmt::format("leaves no room in max_length {}", tokens)});
  ++options.beam.max_length;
  EXPECT_NO_THROW(translator().translate(kToBegin, options));
  options.sampling = SamplingOptions{.max_length = 2};
  options.beam.max_length = 0;
  expect_error<LineError>([&] { translator().translate(kToBegin, options); },
                          {"leaves no room in max_length 2"});
}

}  // namespace
}  // namespace attend
