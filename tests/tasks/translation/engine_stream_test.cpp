// Translating line by line, as `attend translate` does.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <istream>
#include <sstream>
#include <streambuf>

#include "attend/error.h"
#include "attend/tasks/translation/engine.h"
#include "attend/tensor/allocator.h"
#include "core/scoped_threads.h"
#include "tasks/small_model.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class TranslatorStream : public testing::TestWithParam<int> {
 protected:
  TranslatorStream() {
    options_.window = GetParam();
    options_.beam.beam_size = 2;
    options_.beam.max_length = 6;
  }

  // Appends to accepted_.
  void translate(const std::string& text, const TranslationEngine& translator) {
    std::istringstream stream(text);
    LineReader lines(stream, "standard input");
    translator.translate(lines, {[this](const Translation& t) { accept(t); }}, options_);
  }
  void translate(const std::string& text) { translate(text, translator_); }

  void accept(const Translation& translation) {
    if (static_cast<int>(accepted_.size()) == fail_after_)
      throw IoError("standard output: no space left");
    accepted_.push_back(translation);
  }

  void expect_accepted(const std::vector<std::string>& sentences) const {
    const std::vector<Translation> expected = translator_.translate(sentences, options_);
    ASSERT_EQ(accepted_.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(accepted_[i].source_tokens, expected[i].source_tokens) << "line " << i + 1;
      EXPECT_EQ(accepted_[i].text(), expected[i].text());
      EXPECT_EQ(accepted_[i].candidates[0].log_probability,
                expected[i].candidates[0].log_probability);
    }
  }

  TranslationEngine translator_{small_model()};
  TranslationOptions options_;
  std::vector<Translation> accepted_;
  int fail_after_ = -1;
};

const std::vector<std::string> kLines{
    "the old dog",       "a cat", "", "dogs catch the small fish & chips", "fish", " ",
    "the cat sees a dog"};

std::string lines_of(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += sentence + "\n";
  return text;
}

TEST_P(TranslatorStream, KeepsTheOrderOfTheInput) {
  translate(lines_of(kLines));
  expect_accepted(kLines);
}

TEST_P(TranslatorStream, DrawsTheSamplesOfTheWholeText) {
  options_.sampling = SamplingOptions{};
  options_.sampling->max_length = 6;
  translate(lines_of(kLines));
  expect_accepted(kLines);
}

TEST_P(TranslatorStream, OfNothingIsNothing) {
  translate("");
  EXPECT_TRUE(accepted_.empty());
}

TEST_P(TranslatorStream, EndsWithoutANewline) {
  translate("a cat\nthe dog");
  expect_accepted({"a cat", "the dog"});
}

TEST_P(TranslatorStream, RefusesATooLongLineAfterAllBeforeIt) {
  options_.max_source_tokens = 40;
  std::string longer = "cat";
  for (int i = 0; i < 100'000; ++i) longer += " cat";
  std::vector<std::string> sentences = kLines;
  sentences.push_back(longer);
  sentences.push_back("a cat");
  expect_error<DataError>(
      [&] { translate(lines_of(sentences)); },
      {"standard input:8", "100001 tokens", "max_source_tokens 40", "max_source_tokens"});
  expect_accepted(kLines);
}

TEST_P(TranslatorStream, RefusesWhatIsNotTextAfterAllBeforeIt) {
  expect_error<DataError>([&] { translate(lines_of(kLines) + "a \xff cat\n"); },
                          {"standard input:8", "UTF-8"});
  expect_accepted(kLines);
}

TranslationEngine with_positions(int positions) {
  TranslationModel model = small_model();
  auto config = std::get<TransformerConfig>(model.network->architecture());
  config.positions = PositionKind::learned;
  config.max_positions = positions;
  model.network = std::make_shared<Transformer>(config, 1);
  return TranslationEngine(model);
}

TEST_P(TranslatorStream, WritesNoFurtherThanTheLearnedPositions) {
  const TranslationEngine limited = with_positions(12);
  options_.beam.max_length = options_.beam.min_length = 40;
  translate("a cat\n", limited);
  options_.sampling = SamplingOptions{};
  options_.sampling->max_length = 40;
  translate("a cat\n", limited);
  ASSERT_EQ(accepted_.size(), 2u);
  EXPECT_EQ(accepted_[0].candidates[0].tokens.size(), 12u);
  EXPECT_LE(accepted_[1].candidates[0].tokens.size(), 12u);
}

TEST_P(TranslatorStream, RefusesALinePastTheLearnedPositions) {
  const TranslationEngine limited = with_positions(12);
  expect_error<DataError>(
      [&] { translate("a cat\ncat cat cat cat cat cat cat cat cat cat cat cat\n", limited); },
      {"standard input:2", "12 positions", "split it"});
  EXPECT_EQ(accepted_.size(), 1u);
}

TEST(TranslatorScores, OnlyWhatTheLearnedPositionsHaveRoomFor) {
  const TranslationEngine limited = with_positions(12);
  const auto text_of = [](const Tokenizer& tokenizer, std::size_t tokens) {
    std::string text;
    while (tokenizer.encode(text).size() < tokens) text += "c";
    EXPECT_EQ(tokenizer.encode(text).size(), tokens);
    return text;
  };
  const auto score = [&](std::size_t src, std::size_t tgt) {
    const std::vector<std::string> source{text_of(limited.model().src_tokenizer, src)},
        target{text_of(limited.model().tgt_tokenizer, tgt)};
    limited.score(source, target);
  };
  EXPECT_NO_THROW(score(11, 11));
  expect_error<DataError>([&] { score(12, 11); },
                          {"source 1: a text of 12 tokens plus eos", "12 positions"});
  expect_error<DataError>([&] { score(11, 12); },
                          {"target 1: a text of 12 tokens plus eos", "12 positions"});
}

// A model that makes no numbers of one word.
TranslationEngine failing_at(const std::string& word, const std::string& others) {
  TranslationModel model = small_model();
  const std::vector<std::int32_t> harmless = model.src_tokenizer.encode(others);
  const Tensor table = model.network->src_embeddings();
  for (const std::int32_t id : model.src_tokenizer.encode(word)) {
    if (std::find(harmless.begin(), harmless.end(), id) == harmless.end()) table.row(id)[0] = NAN;
  }
  return TranslationEngine(model);
}

TEST_P(TranslatorStream, HandsOnEverythingBeforeALineThatCannotBeDecoded) {
  const std::string good = "the old cat sees a small dog";
  const TranslationEngine failing = failing_at("fish", good);
  for (const int failing_line : {1, 2, 5, 9}) {
    accepted_.clear();
    std::vector<std::string> sentences(9, good);
    sentences[static_cast<std::size_t>(failing_line) - 1] = "a fish";
    sentences.back() = "a fish";
    expect_error<DataError>([&] { translate(lines_of(sentences), failing); },
                            {fmt::format("standard input:{}: ", failing_line)});
    expect_accepted(std::vector<std::string>(static_cast<std::size_t>(failing_line) - 1, good));
  }
}

TEST_P(TranslatorStream, DoesNotBlameALineForAnOption) {
  options_.shortlist = true;
  try {
    translate(lines_of(kLines));
    FAIL() << "expected a ConfigError";
  } catch (const ConfigError& error) {
    EXPECT_EQ(std::string(error.what()).find("standard input"), std::string::npos) << error.what();
  }
}

TEST_P(TranslatorStream, CallsNobodyAgainAfterAFailure) {
  fail_after_ = 2;
  expect_error<IoError>([&] { translate(lines_of(kLines)); }, {"no space left"});
  expect_accepted({kLines[0], kLines[1]});
}

// A text of many lines that is made while it is read.
class EndlessText : public std::streambuf {
 public:
  explicit EndlessText(std::int64_t lines) : left_(lines) {}
  std::int64_t given() const { return given_; }

 protected:
  int_type underflow() override {
    if (left_ == 0) return traits_type::eof();
    --left_;
    ++given_;
    line_ = given_ % 2 == 0 ? "the cat sees a dog\n" : "a cat\n";
    setg(line_.data(), line_.data(), line_.data() + line_.size());
    return traits_type::to_int_type(*gptr());
  }

 private:
  std::int64_t left_, given_ = 0;
  std::string line_;
};

TEST(TranslatorMemory, DoesNotGrowWithTheLengthOfTheText) {
  const TranslationEngine translator(small_model());
  TranslationOptions options;
  options.window = 8;
  options.beam.beam_size = 1;
  options.beam.max_length = 3;
  const ScopedThreads one(1);  // which batches meet on two threads differs
  std::vector<std::int64_t> peaks;
  for (const std::int64_t count : {50, 12000}) {
    EndlessText text(count);
    std::istream stream(&text);
    LineReader lines(stream, "standard input");
    std::int64_t accepted = 0, ahead = 0;
    reset_peak_memory();
    const auto accept = [&](const Translation&) {
      ahead = std::max(ahead, text.given() - ++accepted);
    };
    translator.translate(lines, {accept}, options);
    EXPECT_EQ(accepted, count);
    peaks.push_back(memory_statistics().peak_bytes);
    EXPECT_LT(ahead, 7000) << "no more than a buffer of text and a window";
  }
  EXPECT_EQ(peaks[1], peaks[0]);
}

INSTANTIATE_TEST_SUITE_P(Windows, TranslatorStream, testing::Values(1, 3, 1024));

}  // namespace
}  // namespace attend
