#include "attend/tasks/answers.h"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tensor/expect_error.h"

namespace attend {
namespace {

// Asked the numbers 1 .. count, answers ten times as much; some numbers it cannot answer.
struct Counting {
  int count = 20;
  int wrong = -1;                      // is no number at all
  int broken = -1;                     // cannot be read
  std::vector<int> unanswerable = {};  // fail, with all that are asked beside them
  std::size_t largest_window = 9999;   // more at once is too much
  int given = 0;
  std::vector<int> accepted = {};
  std::vector<std::size_t> windows = {};
  std::vector<std::string> rejected = {};
  int arrived = 9999;  // of the requests; when all of them are answered, so many more arrive
  int burst = 0;

  Conversation<int, int> conversation(std::size_t window) {
    return {.window = window,
            .arrived = [this] { return given < arrived || given == count; },
            .next = [this] { return next(); },
            .where = [this] { return fmt::format("numbers:{}", given); },
            .answer = [this](std::span<const int> numbers) { return answer(numbers); },
            .sink = {.accept = [this](int answer) { accepted.push_back(answer); }}};
  }
  // One that goes on after what cannot be answered.
  Conversation<int, int> lenient(std::size_t window) {
    Conversation<int, int> c = conversation(window);
    c.sink.reject = [this](const LineError& error) {
      rejected.push_back(error.what());
      accepted.push_back(-1);
    };
    c.sink.caught_up = [this] {
      EXPECT_EQ(accepted.size(), static_cast<std::size_t>(given))
          << "all that has arrived is answered";
      arrived += burst;
    };
    return c;
  }
  std::optional<int> next() {
    if (given == count) return std::nullopt;
    if (++given == wrong) throw LineError("no number");
    if (given == broken) throw IoError("disk on fire");
    return given;
  }
  std::vector<int> answer(std::span<const int> numbers) {
    windows.push_back(numbers.size());
    if (numbers.size() > largest_window) throw std::bad_alloc();
    std::vector<int> answers;
    for (const int number : numbers) {
      if (std::find(unanswerable.begin(), unanswerable.end(), number) != unanswerable.end())
        throw std::runtime_error(fmt::format("{} is too much", number));
      answers.push_back(10 * number);
    }
    return answers;
  }

  static std::vector<int> up_to(int number) {
    std::vector<int> answers;
    for (int i = 1; i <= number; ++i) answers.push_back(10 * i);
    return answers;
  }
};

class Answers : public testing::TestWithParam<std::size_t> {};

TEST_P(Answers, ComeInOrder) {
  for (const int count : {0, 1, 19, 20}) {
    Counting counting{.count = count};
    answer_all(counting.conversation(GetParam()));
    EXPECT_EQ(counting.accepted, Counting::up_to(count));
  }
}

TEST_P(Answers, AreGivenToAllBeforeAWrongRequest) {
  for (const int wrong : {1, 2, 7, 8, 20}) {
    Counting counting{.wrong = wrong};
    expect_error<DataError>([&] { answer_all(counting.conversation(GetParam())); }, {"no number"});
    EXPECT_EQ(counting.accepted, Counting::up_to(wrong - 1));
  }
}

TEST_P(Answers, AreGivenToAllBeforeTheFirstThatHasNone) {
  for (const int first : {1, 2, 7, 8, 20}) {
    Counting counting{.unanswerable = {20, first}};
    expect_error<DataError>([&] { answer_all(counting.conversation(GetParam())); },
                            {fmt::format("numbers:{}: {} is too much", first, first)});
    EXPECT_EQ(counting.accepted, Counting::up_to(first - 1));
  }
}

TEST_P(Answers, AreGivenToAllBeforeAWrongRequestBehindOneThatHasNone) {
  Counting counting{.wrong = 12, .unanswerable = {9}};
  expect_error<DataError>([&] { answer_all(counting.conversation(GetParam())); },
                          {"numbers:9: 9 is too much"});
  EXPECT_EQ(counting.accepted, Counting::up_to(8));
}

TEST_P(Answers, AreFoundInSmallerWindowsWhereALargeOneIsTooMuch) {
  Counting counting{.largest_window = 3};
  answer_all(counting.conversation(GetParam()));
  EXPECT_EQ(counting.accepted, Counting::up_to(20));
}

TEST_P(Answers, AreNotGivenTwiceWhenTheyAreRefused) {
  Counting counting;
  Conversation<int, int> conversation = counting.conversation(GetParam());
  conversation.sink.accept = [&](int answer) {
    if (answer == 50) throw IoError("disk full");
    counting.accepted.push_back(answer);
  };
  expect_error<IoError>([&] { answer_all(conversation); }, {"disk full"});
  EXPECT_EQ(counting.accepted, Counting::up_to(4));
}

TEST_P(Answers, DoNotBlameARequestForAnOption) {
  Counting counting;
  Conversation<int, int> conversation = counting.conversation(GetParam());
  conversation.answer = [](std::span<const int>) -> std::vector<int> {
    throw ConfigError("--option: wrong");
  };
  try {
    answer_all(conversation);
    FAIL() << "expected a ConfigError";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "--option: wrong");
  }
}

TEST_P(Answers, GoOnAfterWhatHasNone) {
  Counting counting{.wrong = 4, .unanswerable = {1, 9, 10, 20}};
  answer_all(counting.lenient(GetParam()));
  std::vector<int> expected = Counting::up_to(20);
  for (const int none : {1, 4, 9, 10, 20}) expected[static_cast<std::size_t>(none) - 1] = -1;
  EXPECT_EQ(counting.accepted, expected);
  EXPECT_EQ(
      counting.rejected,
      (std::vector<std::string>{"numbers:1: 1 is too much", "no number", "numbers:9: 9 is too much",
                                "numbers:10: 10 is too much", "numbers:20: 20 is too much"}));
}

TEST_P(Answers, EndWhereNothingMoreCanBeRead) {
  Counting counting{.wrong = 2, .broken = 7};
  expect_error<IoError>([&] { answer_all(counting.lenient(GetParam())); }, {"disk on fire"});
  EXPECT_EQ(counting.accepted, (std::vector<int>{10, -1, 30, 40, 50, 60}));
}

TEST_P(Answers, EndWithAModelThatGivesNoNumbers) {
  Counting counting;
  Conversation<int, int> conversation = counting.lenient(GetParam());
  conversation.answer = [&](std::span<const int> numbers) {
    for (const int number : numbers)
      if (number == 5) throw NotFiniteError("model: nan");
    return counting.answer(numbers);
  };
  expect_error<NotFiniteError>([&] { answer_all(conversation); }, {"numbers:5: model: nan"});
  EXPECT_EQ(counting.accepted, Counting::up_to(4));
  EXPECT_TRUE(counting.rejected.empty());
}

TEST_P(Answers, DoNotWaitForWhatHasNotArrived) {
  Counting counting{.count = 7, .arrived = 2, .burst = 3};
  answer_all(counting.lenient(GetParam()));
  EXPECT_EQ(counting.accepted, Counting::up_to(7));
  if (GetParam() >= 3) {
    EXPECT_EQ(counting.windows, (std::vector<std::size_t>{2, 3, 2}));
  }
}

INSTANTIATE_TEST_SUITE_P(Windows, Answers, testing::Values(1, 3, 7, 100));

TEST(AnswersInWindows, AreWorkedOutWindowByWindow) {
  Counting counting;
  answer_all(counting.conversation(8));
  EXPECT_EQ(counting.windows, (std::vector<std::size_t>{8, 8, 4}));
  Counting one_by_one{.count = 2};
  answer_all(one_by_one.conversation(0));
  EXPECT_EQ(one_by_one.windows, (std::vector<std::size_t>{1, 1}));
}

TEST(AnswersInWindows, NeedFewTriesToFindTheOneThatHasNone) {
  Counting counting{.count = 1024, .unanswerable = {1000}};
  EXPECT_THROW(answer_all(counting.conversation(1024)), DataError);
  EXPECT_EQ(counting.accepted.size(), 999u);
  EXPECT_LE(counting.windows.size(), 21u) << "two for every halving";
}

// The lengths of lines; "x" has none, and "zz" cannot be answered.
std::size_t length_of(const std::string& line, const std::string& where) {
  if (line == "x") throw LineError(where + ": expected a line, got x");
  return line.size();
}
std::vector<std::size_t> doubled(std::span<const std::size_t> lengths) {
  std::vector<std::size_t> answers;
  for (const std::size_t length : lengths) {
    if (length == 2) throw std::runtime_error("two is too much");
    answers.push_back(2 * length);
  }
  return answers;
}

struct Lengths {
  std::vector<std::size_t> accepted = {};
  std::vector<std::string> rejected = {};
  AnswerSink<std::size_t> sink() {
    return {.accept = [this](std::size_t answer) { accepted.push_back(answer); },
            .reject = [this](const LineError& error) { rejected.push_back(error.what()); }};
  }
};

TEST_P(Answers, OfLinesNameTheFileAndTheLine) {
  std::istringstream text("one\nx\nthree\nzz\nfour\n");
  LineReader lines(text, "in.txt");
  Lengths lengths;
  answer_lines(
      lines, GetParam(), lengths.sink(),
      [&](const std::string& line) { return length_of(line, lines.where()); }, doubled);
  EXPECT_EQ(lengths.accepted, (std::vector<std::size_t>{6, 10, 8}));
  EXPECT_EQ(lengths.rejected, (std::vector<std::string>{"in.txt:2: expected a line, got x",
                                                        "in.txt:4: two is too much"}));
}

TEST(AnswersOfTexts, NameTheNumberOfTheText) {
  const std::vector<std::string> texts{"one", "x", "three", "zz", "four"};
  Lengths lengths;
  answer_texts(texts, "text ", lengths.sink(), length_of, doubled);
  EXPECT_EQ(lengths.accepted, (std::vector<std::size_t>{6, 10, 8}));
  EXPECT_EQ(lengths.rejected, (std::vector<std::string>{"text 2: expected a line, got x",
                                                        "text 4: two is too much"}));
}

}  // namespace
}  // namespace attend
