// A text that grows and ends before the first of some strings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attend {

// What may become one of the strings is held back.
class StoppedText {
 public:
  explicit StoppedText(std::vector<std::string> stops);

  // What of the text is certain and was not returned before.
  std::string add(std::string_view more);
  // The rest, at the end of the text.
  std::string finish();
  bool is_stopped() const { return stopped_; }
  // All that was returned, and what is held back.
  const std::string& text() const { return text_; }
  const std::string& held() const { return held_; }

 private:
  std::vector<std::string> stops_;
  std::string text_;
  std::string held_;
  bool stopped_ = false;
};

}  // namespace attend
