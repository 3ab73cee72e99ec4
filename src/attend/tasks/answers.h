// Answers to a stream of requests, such as the lines of a text: computed in windows, delivered in
// order, and not affected by the errors of other requests.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "attend/answers.h"
#include "attend/checkpoint/finite.h"
#include "attend/core/files/lines.h"
#include "attend/core/options/option_error.h"
#include "attend/error.h"

namespace attend {

inline constexpr std::size_t kAnswerWindow = 1024;

template <class Request, class Answer>
struct Conversation {
  std::size_t window = kAnswerWindow;  // most requests answered together
  std::function<bool()> arrived;       // whether next() would return without waiting
  // Nullopt at the end; LineError for a bad request; other exceptions end the stream.
  std::function<std::optional<Request>()> next;
  std::function<std::string()> where;  // position of the last request: "in.txt:17"
  // One answer per request, independent of the other requests.
  std::function<std::vector<Answer>(std::span<const Request>)> answer;
  AnswerSink<Answer> sink;
};

namespace detail {

// Requests that are answered together, with bad ones among them in order, and the exception that
// ended them.
template <class Request, class Answer>
class AnswerWindow {
 public:
  explicit AnswerWindow(const Conversation<Request, Answer>& c) : c_(c) {}

  // Reads available requests, at least one and at most a window. Returns false after the last.
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
      } catch (const LineError&) {
        outcomes_.emplace_back(std::current_exception());
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
      if (const std::exception_ptr* error = std::get_if<std::exception_ptr>(&outcome))
        hand_on(*error);
    }
  }

 private:
  // monostate: not answered yet. Any exception but a LineError ends the requests.
  using Outcome = std::variant<std::monostate, Answer, std::exception_ptr>;
  struct Place {
    std::size_t outcome;
    std::string name;
  };

  void hand_on(const std::exception_ptr& outcome) const {
    try {
      std::rethrow_exception(outcome);
    } catch (const LineError& error) {
      if (!c_.sink.reject) throw;
      c_.sink.reject(error);
    }
  }

  // If a batch fails, bisects it to find the request at fault.
  void answer(std::span<const Request> requests, std::span<const Place> places) {
    if (requests.empty()) return;
    try {
      std::vector<Answer> answers = c_.answer(requests);
      for (std::size_t i = 0; i < answers.size(); ++i)
        outcomes_[places[i].outcome] = std::move(answers[i]);
      return;
    } catch (const ConfigError&) {
      throw;  // not the fault of a request
    } catch (const std::exception& error) {
      if (requests.size() == 1) return fail(error, places.front());
    }
    const std::size_t half = requests.size() / 2;
    answer(requests.first(half), places.first(half));
    answer(requests.subspan(half), places.subspan(half));
  }

  void fail(const std::exception& error, const Place& place) {
    const OptionText message = option_text("{}: {}", place.name, message_of(error));
    // NaN from the model is not the fault of a line.
    const bool is_of_model = dynamic_cast<const NotFiniteError*>(&error) != nullptr;
    outcomes_[place.outcome] = is_of_model
                                   ? std::make_exception_ptr(OptionError<NotFiniteError>(message))
                                   : std::make_exception_ptr(OptionError<LineError>(message));
  }

  const Conversation<Request, Answer>& c_;
  std::vector<Request> requests_;
  std::vector<Place> places_;  // positions of the requests
  std::vector<Outcome> outcomes_;
};

}  // namespace detail

// Answers requests until next() ends, in bounded memory. A window ends early if the next request
// has not arrived, so that a client that waits for an answer before writing more gets it. A request
// that cannot be answered is a LineError with its position; the sink decides whether it is rejected
// or thrown. All earlier answers are delivered before anything is thrown.
template <class Request, class Answer>
void answer_all(const Conversation<Request, Answer>& c) {
  for (bool more = true; more;) {
    detail::AnswerWindow<Request, Answer> window(c);
    more = window.read();
    window.answer();
    window.hand_on();
  }
}

// Answers line by line. read(line) makes a request of a line, or throws LineError with
// lines.where() for one that is none; answer(requests) as of a Conversation.
template <class Answer, class Read, class Answers>
void answer_lines(LineReader& lines, std::size_t window, const AnswerSink<Answer>& sink,
                  const Read& read, const Answers& answer) {
  using Request = std::invoke_result_t<Read, const std::string&>;
  std::string line;
  answer_all(Conversation<Request, Answer>{
      .window = window,
      .arrived = [&] { return lines.has_arrived(); },
      .next = [&]() -> std::optional<Request> {
        if (!lines.next(line)) return std::nullopt;
        return read(std::as_const(line));
      },
      .where = [&] { return lines.where(); },
      .answer = answer,
      .sink = sink,
  });
}

// The same for texts in memory, whose places are `place` and their numbers: "line 17" after "line
// ". Calls read(text, where).
template <class Answer, class Read, class Answers>
void answer_texts(std::span<const std::string> texts, std::string_view place,
                  const AnswerSink<Answer>& sink, const Read& read, const Answers& answer) {
  using Request = std::invoke_result_t<Read, const std::string&, const std::string&>;
  std::size_t number = 0;
  const auto where = [&] { return fmt::format("{}{}", place, number); };
  answer_all(Conversation<Request, Answer>{
      .arrived = [] { return true; },
      .next = [&]() -> std::optional<Request> {
        if (number == texts.size()) return std::nullopt;
        const std::string& text = texts[number++];
        return read(text, where());
      },
      .where = where,
      .answer = answer,
      .sink = sink,
  });
}

}  // namespace attend
