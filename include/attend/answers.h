// Where the answers to the lines of a stream go.
#pragma once

#include <functional>

#include "attend/error.h"

#pragma GCC visibility push(default)
namespace attend {

// Called in the order of the lines, for each of them either accept or reject. What one of them
// throws ends the stream and passes through.
//
//   translator.translate(std::cin, "standard input", {.accept = [](const attend::Translation& t) {
//   std::cout << t.text() << '\n'; }}, options);
template <class Answer>
struct AnswerSink {
  std::function<void(const Answer&)> accept;
  // A line that cannot be answered; the lines after it can. Without it the first such line is
  // thrown, after everything before it has been accepted.
  std::function<void(const LineError&)> reject = {};
  // All lines that have arrived are answered; the next one has to be waited for.
  std::function<void()> caught_up = {};
};

}  // namespace attend
#pragma GCC visibility pop
