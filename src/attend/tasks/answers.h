// Answers to requests that come one by one, as the lines of a text do: worked out window by window, handed on in order, none lost to the
// failure of a later one.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attend/core/error.h"

namespace attend {

template <class Request, class Answer>
struct Conversation {
  std::size_t window = 1024;                                            // requests answered together
  std::function<std::optional<Request>()> next;                         // nullopt at the end; throws for one that is wrong
  std::function<std::string()> where;                                   // what next() gave last was read: "in.txt:17"
  std::function<std::vector<Answer>(std::span<const Request>)> answer;  // an answer each, whatever stands beside a request
  std::function<void(const Answer&)> accept;
};

namespace detail {

// Where a request fails, halves of halves find it, so that those before it are answered all the same.
template <class Request, class Answer>
void answer_in_order(std::span<const Request> requests, std::span<const std::string> places, const Conversation<Request, Answer>& c) {
  if (requests.empty()) return;
  std::vector<Answer> answers;
  bool failed = false;
  try {
    answers = c.answer(requests);
  } catch (const ConfigError&) {
    throw;  // the fault of no request
  } catch (const std::exception& error) {
    if (requests.size() == 1) throw DataError(fmt::format("{}: {}", places.front(), error.what()));
    failed = true;
  }
  if (failed) {
    const std::size_t half = requests.size() / 2;
    answer_in_order(requests.first(half), places.first(half), c);
    answer_in_order(requests.subspan(half), places.subspan(half), c);
  }
  for (const Answer& answer : answers) c.accept(answer);
}

}  // namespace detail

// Until next() has no more, in bounded memory. Before the exception for a request that is wrong, or a DataError that names the place of one
// that cannot be answered, everything before it has been accepted. What accept() throws passes through.
template <class Request, class Answer>
void answer_all(const Conversation<Request, Answer>& c) {
  std::vector<Request> requests;
  std::vector<std::string> places;
  std::exception_ptr wrong;
  for (bool more = true; more;) {
    requests.clear();
    places.clear();
    while (more && requests.size() < std::max<std::size_t>(c.window, 1)) {
      try {
        std::optional<Request> request = c.next();
        more = request.has_value();
        if (more) {
          requests.push_back(std::move(*request));
          places.push_back(c.where());
        }
      } catch (const std::exception&) {
        wrong = std::current_exception();
        more = false;
      }
    }
    detail::answer_in_order<Request, Answer>(requests, places, c);
  }
  if (wrong) std::rethrow_exception(wrong);
}

}  // namespace attend
