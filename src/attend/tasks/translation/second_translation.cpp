#include "attend/tasks/translation/second_translation.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "attend/core/options/option_error.h"
#include "attend/error.h"
#include "attend/tasks/translation/trust/trust.h"

namespace attend {

namespace {

// The error of a text of several without its place among them, which no reader has seen.
std::exception_ptr error_at(std::size_t line, const LineError& error) {
  const auto without_place = [](std::string_view message) {
    const std::size_t at = message.find(": ");
    return at == message.npos ? message : message.substr(at + 2);
  };
  return std::make_exception_ptr(
      LineError(fmt::format("line {}, after its first translation: {}", line,
                            without_place(message_of(error).on_command_line))));
}

}  // namespace

SecondTranslation::SecondTranslation(TranslationStep step, AnswerSink<Translation> sink)
    : step_(std::move(step)), sink_(std::move(sink)) {}

AnswerSink<Translation> SecondTranslation::of_first() {
  AnswerSink<Translation> first;
  first.accept = [this](const Translation& translation) {
    add({.text = translation.text(), .trust = translation.candidates.front().trust});
  };
  if (sink_.reject)
    first.reject = [this](const LineError& error) {
      add({.text = {}, .error = std::make_exception_ptr(error)});
    };
  first.caught_up = [this] {
    finish();
    if (sink_.caught_up) sink_.caught_up();
  };
  return first;
}

void SecondTranslation::add(Line line) {
  waiting_.push_back(std::move(line));
  if (waiting_.size() >= static_cast<std::size_t>(std::max(1, step_.options.window))) finish();
}

void SecondTranslation::hand_on(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const LineError& reason) {
    if (!sink_.reject) throw;
    sink_.reject(reason);
  }
}

void SecondTranslation::finish() {
  const std::vector<Line> lines = std::exchange(waiting_, {});
  std::vector<std::string> texts;  // empty where there is an error, which costs nothing
  for (const Line& line : lines) texts.push_back(line.text);
  using Answer = std::variant<Translation, std::exception_ptr>;
  std::vector<Answer> answers;
  AnswerSink<Translation> collect;
  collect.accept = [&](const Translation& translation) { answers.emplace_back(translation); };
  collect.reject = [&](const LineError& error) {
    answers.emplace_back(error_at(lines_ + answers.size() + 1, error));
  };
  step_.engine.translate(texts, "", collect, step_.options);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    ++lines_;
    if (lines[i].error) {
      hand_on(lines[i].error);
    } else if (const auto* error = std::get_if<std::exception_ptr>(&answers[i])) {
      hand_on(*error);
    } else {
      between_ = lines[i].text;
      auto& translation = std::get<Translation>(answers[i]);
      if (lines[i].trust)
        for (TranslationCandidate& candidate : translation.candidates)
          if (candidate.trust) candidate.trust = trust_of_both(*lines[i].trust, *candidate.trust);
      sink_.accept(translation);
    }
  }
}

}  // namespace attend
