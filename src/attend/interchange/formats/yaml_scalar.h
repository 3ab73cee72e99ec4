// A value of one line of YAML. Private to interchange/.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace attend {

// One line of a text, read from its beginning. Everything throws DataError "<where>: ...", in which
// `where` names file and line.
class YamlLine {
 public:
  YamlLine(std::string_view line, std::string where) : line_(line), where_(std::move(where)) {}

  // The characters that end a plain value: nothing but a comment or the end of the line; also ": ",
  // which ends a key; also ',' and ']', which end an item of a list in brackets.
  enum class Ends { line, key, item };

  void skip_blanks();
  bool at_end() const;  // nothing but blanks and a comment is left
  bool accept(char c);  // behind blanks
  // A value, which blanks may precede: plain or in quotes.
  nlohmann::json scalar(Ends ends);
  // The same as text, whatever it looks like.
  std::string text(Ends ends);
  // "[a, b]". Precondition: accept('[') was true.
  nlohmann::json flow_list();
  void expect_end();

  [[noreturn]] void refuse(std::string_view why) const;

 private:
  std::string plain(Ends ends);
  std::string single_quoted();
  std::string double_quoted();
  void escape(std::string& to);
  void code_point(std::string& to, std::size_t digits);

  std::string_view line_;
  std::size_t at_ = 0;
  std::string where_;
};

}  // namespace attend
