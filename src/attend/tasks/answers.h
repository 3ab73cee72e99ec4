// Answers to requests that come one by one, as the lines of a text do: worked out window by window,
// handed on in order, none lost to the failure of another.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "attend/answers.h"
#include "attend/checkpoint/finite.h"
#include "attend/error.h"

namespace attend {

template <class Request, class Answer>
struct Conversation {
  std::size_t window = 1024;      // requests answered together, at most
  std::function<bool()> arrived;  // whether next() would return without waiting
  std::function<std::optional<Request>()>
      next;  // nullopt at the end; LineError for one that is wrong; other exceptions end all
  std::function<std::string()> where;  // what next() gave last was read: "in.txt:17"
  std::function<std::vector<Answer>(std::span<const Request>)>
      answer;  // an answer each, whatever stands beside a request
  AnswerSink<Answer> sink;
};

namespace detail {

// The requests that are answered together, in order with those among them that are wrong, and with
// what ended them.
template <class Request, class Answer>
class AnswerWindow {
 public:
  explicit AnswerWindow(const Conversation<Request, Answer>& c) : c_(c) {}

  // Reads what has arrived, but at least one request and at most a window of them. False after the
  // last.
  bool read() {
    while (outcomes_.size() < std::max<std::size_t>(c_.window, 1)) {
      try {
        if (!c_.arrived()) {
          if (!outcomes_.empty()) return true;
          if (c_.sink.caught_up) c_.sink.caught_up();
        }
        std::optional<Request> request = c_.next();
        if (!request) return false;
        requests_.push_back(std::move(*request));
        places_.push_back({outcomes_.size(), c_.where()});
        outcomes_.emplace_back();
      } catch (const LineError& error) {
        outcomes_.emplace_back(error);
        if (!c_.sink.reject) return false;
      } catch (...) {
        outcomes_.emplace_back(std::current_exception());
        return false;
      }
    }
    return true;
  }

  void answer() { answer(requests_, places_); }

  void hand_on() const {
    for (const Outcome& outcome : outcomes_) {
      if (const Answer* answer = std::get_if<Answer>(&outcome)) c_.sink.accept(*answer);
      if (const std::exception_ptr* end = std::get_if<std::exception_ptr>(&outcome))
        std::rethrow_exception(*end);
      if (const LineError* error = std::get_if<LineError>(&outcome)) {
        if (!c_.sink.reject) throw *error;
        c_.sink.reject(*error);
      }
    }
  }

 private:
  // monostate: of a request that has not been answered yet.
  using Outcome = std::variant<std::monostate, Answer, LineError, std::exception_ptr>;
  struct Place {
    std::size_t outcome;
    std::string name;
  };

  // Where some fail together, halves of halves find the one that does.
  void answer(std::span<const Request> requests, std::span<const Place> places) {
    if (requests.empty()) return;
    try {
      std::vector<Answer> answers = c_.answer(requests);
      for (std::size_t i = 0; i < answers.size(); ++i)
        outcomes_[places[i].outcome] = std::move(answers[i]);
      return;
    } catch (const ConfigError&) {
      throw;  // the fault of no request
    } catch (const std::exception& error) {
      if (requests.size() == 1) return fail(error, places.front());
    }
    const std::size_t half = requests.size() / 2;
    answer(requests.first(half), places.first(half));
    answer(requests.subspan(half), places.subspan(half));
  }

  void fail(const std::exception& error, const Place& place) {
    const std::string message = fmt::format("{}: {}", place.name, error.what());
    if (dynamic_cast<const NotFiniteError*>(&error) !=
        nullptr) {  // a model that gives no numbers is no fault of the line
      outcomes_[place.outcome] = std::make_exception_ptr(NotFiniteError(message));
    } else {
      outcomes_[place.outcome] = LineError(message);
    }
  }

  const Conversation<Request, Answer>& c_;
  std::vector<Request> requests_;
  std::vector<Place> places_;  // of the requests
  std::vector<Outcome> outcomes_;
};

}  // namespace detail

// Until next() has no more, in bounded memory. A window ends early where the next request has not
// arrived, so that whoever waits for an answer before writing more gets it. A request that cannot
// be answered is a LineError that names its place: rejected, or thrown, as the sink has it. Before
// anything is thrown, everything before it has been accepted.
template <class Request, class Answer>
void answer_all(const Conversation<Request, Answer>& c) {
  for (bool more = true; more;) {
    detail::AnswerWindow<Request, Answer> window(c);
    more = window.read();
    window.answer();
    window.hand_on();
  }
}

}  // namespace attend
