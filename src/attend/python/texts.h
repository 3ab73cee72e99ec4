// Texts from Python: answered and named as the lines of the command line ("texts:17: ...").
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "attend/answers.h"
#include "attend/tokenizer.h"

namespace attend {

inline constexpr const char* kTexts = "texts";
inline constexpr const char* kPlaceOfTexts = "texts:";  // and a number

// A text as the model reads it: imported models see line breaks, others are trained on lines.
inline std::string text_for(std::string text, SpecialText special) {
  if (special == SpecialText::as_text)
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

// Appends answers. A text that cannot be answered ends the stream.
template <class Answer>
AnswerSink<Answer> collect(std::vector<Answer>& answers) {
  return {.accept = [&answers](const Answer& answer) { answers.push_back(answer); }};
}

}  // namespace attend
