#include "attend/tasks/answers.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tensor/expect_error.h"

namespace attend {
namespace {

// Asked the numbers 1 .. count, answers ten times as much; some numbers it cannot answer.
struct Counting {
  int count = 20;
  int wrong = -1;                      // is no number at all
  std::vector<int> unanswerable = {};  // fail, with all that are asked beside them
  std::size_t largest_window = 9999;   // more at once is too much
  int given = 0;
  std::vector<int> accepted = {};
  std::vector<std::size_t> windows = {};

  Conversation<int, int> conversation(std::size_t window) {
    return {.window = window,
            .next = [this] { return next(); },
            .where = [this] { return fmt::format("numbers:{}", given); },
            .answer = [this](std::span<const int> numbers) { return answer(numbers); },
            .accept = [this](int answer) { accepted.push_back(answer); }};
  }
  std::optional<int> next() {
    if (given == count) return std::nullopt;
    if (++given == wrong) throw DataError("no number");
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
  expect_error<DataError>([&] { answer_all(counting.conversation(GetParam())); }, {"numbers:9: 9 is too much"});
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
  conversation.accept = [&](int answer) {
    if (answer == 50) throw IoError("disk full");
    counting.accepted.push_back(answer);
  };
  expect_error<IoError>([&] { answer_all(conversation); }, {"disk full"});
  EXPECT_EQ(counting.accepted, Counting::up_to(4));
}

TEST_P(Answers, DoNotBlameARequestForAnOption) {
  Counting counting;
  Conversation<int, int> conversation = counting.conversation(GetParam());
  conversation.answer = [](std::span<const int>) -> std::vector<int> { throw ConfigError("--option: wrong"); };
  try {
    answer_all(conversation);
    FAIL() << "expected a ConfigError";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "--option: wrong");
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

}  // namespace
}  // namespace attend
