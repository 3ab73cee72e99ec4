// Scalars and flow lists on one line of YAML. Private to interchange/.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace attend {

// Consumes a line from its beginning. Throws DataError "<where>: ..."; `where` names file and line.
class YamlLine {
 public:
  YamlLine(std::string_view line, std::string where) : line_(line), where_(std::move(where)) {}

  // What ends a plain scalar besides a comment and the end of the line: nothing; ": " after a key;
  // ',' or ']' in a flow list.
  enum class Ends { line, key, item };

  void skip_blanks();
  bool at_end() const;  // nothing but blanks and a comment is left
  bool accept(char c);  // skips leading blanks
  // A plain or quoted scalar, with its type. Skips leading blanks.
  nlohmann::json scalar(Ends ends);
  // The same, always as text.
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
