// Joins words into a sentence: spaces between them, none before punctuation, a capital at the
// start.
#pragma once

#include <string>
#include <string_view>

namespace attend::demo {

class Words {
 public:
  // Adds one or several words; ignores empty ones.
  void add(std::string_view words) {
    if (words.empty()) return;
    if (!text_.empty()) text_ += ' ';
    text_ += words;
  }
  // Joins to the previous word: a comma, "'s".
  void append(std::string_view suffix) { text_ += suffix; }
  // Like append(","), but never twice.
  void comma() {
    if (!text_.empty() && text_.back() != ',') text_ += ',';
  }
  const std::string& text() const { return text_; }
  std::string finish(char mark) {
    if (!text_.empty() && text_.back() == ',') text_.pop_back();
    if (!text_.empty() && text_[0] >= 'a' && text_[0] <= 'z')
      text_[0] = static_cast<char>(text_[0] - 'a' + 'A');
    return text_ + mark;
  }

 private:
  std::string text_;
};

}  // namespace attend::demo
