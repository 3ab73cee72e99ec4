// Receives the answers to the lines of a stream.
#pragma once

#include <functional>

#include "attend/error.h"

#pragma GCC visibility push(default)
namespace attend {

// Receives one call per line, in input order: accept or reject. An exception thrown by a callback
// ends the stream and propagates.
//
//   translator.translate(
//       std::cin, "standard input",
//       {.accept = [](const attend::Translation& t) { std::cout << t.text() << '\n'; }}, options);
template <class Answer>
struct AnswerSink {
  std::function<void(const Answer&)> accept;
  // Receives a line that cannot be answered; the stream continues. Without this callback the first
  // such error is thrown, after all earlier lines have been accepted.
  std::function<void(const LineError&)> reject = {};
  // Called when all lines read so far are answered and the stream is about to block for input.
  std::function<void()> caught_up = {};
};

}  // namespace attend
#pragma GCC visibility pop
