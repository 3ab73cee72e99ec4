#include "attend/interchange/migration/shell_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "attend/core/strings/ascii.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

namespace {

struct ShellWord {
  std::string text;
  std::string open = {};  // what only a shell can tell
  bool quoted = false;
  std::int64_t line = 0;
};

bool is_name_character(char c) { return is_ascii_alphanumeric(c) || c == '_'; }

// NAME=value, without quotes around the name.
std::size_t assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == word.npos || equals == 0 || is_ascii_digit(word[0])) return word.npos;
  const std::string_view name = word.substr(0, equals);
  return std::all_of(name.begin(), name.end(), is_name_character) ? equals : word.npos;
}

// Reads simple commands one by one.
class ShellReader {
 public:
  ShellReader(std::string_view script, std::string_view where) : script_(script), where_(where) {}

  // The words of the next command; nullopt at the end.
  std::optional<std::vector<ShellWord>> next_command() {
    std::vector<ShellWord> words;
    while (at_ < script_.size()) {
      const char c = script_[at_];
      if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
      } else if (c == '\\' && line_break_at(at_ + 1) > 0) {
        at_ += 1 + line_break_at(at_ + 1);
        ++line_;
      } else if (c == '#') {
        at_ = std::min(script_.find('\n', at_), script_.size());
      } else if (c == '>' || c == '<') {
        redirect(words);
      } else if (std::string_view("\n;|&(){}").find(c) != std::string_view::npos) {
        line_ += c == '\n' ? 1 : 0;
        ++at_;
        if (!words.empty()) return take(std::move(words));
      } else {
        read_word(words);
      }
    }
    return words.empty() ? std::nullopt : std::optional(take(std::move(words)));
  }

 private:
  // Keeps what the command assigns, if it is nothing but assignments.
  std::vector<ShellWord> take(std::vector<ShellWord> words) {
    const std::size_t begin = words.front().text == "export" ? 1 : 0;
    const bool only = std::all_of(
        words.begin() + static_cast<std::ptrdiff_t>(begin), words.end(),
        [](const ShellWord& word) { return assignment(word.text) != std::string::npos; });
    if (!only) return words;
    for (std::size_t i = begin; i < words.size(); ++i) {
      const std::size_t equals = assignment(words[i].text);
      ShellWord value = words[i];
      value.text.erase(0, equals + 1);
      variables_.insert_or_assign(words[i].text.substr(0, equals), std::move(value));
    }
    return words;
  }

  std::size_t line_break_at(std::size_t at) const {
    if (script_.substr(at, 1) == "\n") return 1;
    return script_.substr(at, 2) == "\r\n" ? 2 : 0;
  }

  // A redirection and the word that it takes; a number before it belongs to it.
  void redirect(std::vector<ShellWord>& words) {
    const bool numbered = !words.empty() && at_ > 0 && is_ascii_digit(script_[at_ - 1]) &&
                          words.back().text.find_first_not_of("0123456789") == std::string::npos;
    if (numbered) words.pop_back();
    while (at_ < script_.size() &&
           std::string_view("<>&").find(script_[at_]) != std::string_view::npos)
      ++at_;
    while (at_ < script_.size() && script_[at_] == ' ') ++at_;
    std::vector<ShellWord> target;
    if (at_ < script_.size() && script_[at_] != '\n') read_word(target);
  }

  void read_word(std::vector<ShellWord>& words) {
    ShellWord word;
    word.line = line_;
    const std::size_t begin = at_;
    while (at_ < script_.size()) {
      const char c = script_[at_];
      if (std::string_view(" \t\r\n;|&<>()").find(c) != std::string_view::npos) break;
      if (c == '\\') {
        if (const std::size_t width = line_break_at(at_ + 1); width > 0) {
          at_ += 1 + width;
          ++line_;
          continue;
        }
        if (++at_ < script_.size()) word.text += script_[at_++];
      } else if (c == '\'') {
        single_quoted(word);
      } else if (c == '"') {
        double_quoted(word);
      } else if (c == '$' || c == '`') {
        expand(word, /*splits=*/true, &words);
      } else {
        word.text += c;
        ++at_;
      }
    }
    if (at_ == begin) ++at_;  // a character that begins no word
    if (!word.text.empty() || word.quoted || !word.open.empty()) words.push_back(std::move(word));
  }

  [[noreturn]] void refuse_open_quote(std::int64_t line) const {
    throw DataError(fmt::format("{}, line {}: expected a closing quote", where_, line));
  }

  void single_quoted(ShellWord& word) {
    const std::size_t end = script_.find('\'', at_ + 1);
    if (end == script_.npos) refuse_open_quote(line_);
    const std::string_view text = script_.substr(at_ + 1, end - at_ - 1);
    word.text += text;
    word.quoted = true;
    line_ += std::count(text.begin(), text.end(), '\n');
    at_ = end + 1;
  }

  void double_quoted(ShellWord& word) {
    const std::int64_t line = line_;
    word.quoted = true;
    for (++at_; at_ < script_.size() && script_[at_] != '"';) {
      const char c = script_[at_];
      if (c == '$' || c == '`') {
        expand(word, /*splits=*/false, nullptr);
        continue;
      }
      if (c == '\n') ++line_;
      if (c == '\\' && at_ + 1 < script_.size()) {
        const char next = script_[at_ + 1];
        if (std::string_view("\"\\$`").find(next) == std::string_view::npos && next != '\n')
          word.text += c;
        if (next == '\n') ++line_;
        if (next != '\n') word.text += next;
        at_ += 2;
        continue;
      }
      word.text += c;
      ++at_;
    }
    if (at_ >= script_.size()) refuse_open_quote(line);
    ++at_;
  }

  // $NAME or ${NAME}; everything else that begins with $ stays as it is, and open.
  void expand(ShellWord& word, bool splits, std::vector<ShellWord>* words) {
    const std::size_t begin = at_++;
    const bool braces = script_[begin] == '$' && script_.substr(at_, 1) == "{";
    if (braces) ++at_;
    const std::size_t name_begin = at_;
    if (script_[begin] == '$')
      while (at_ < script_.size() && is_name_character(script_[at_])) ++at_;
    const std::string name(script_.substr(name_begin, at_ - name_begin));
    const bool ends = !braces || script_.substr(at_, 1) == "}";
    if (braces && ends) ++at_;
    const std::string_view written = script_.substr(begin, at_ - begin);
    const auto found = variables_.find(name);
    if (name.empty() || !ends || found == variables_.end()) {
      word.open = written.size() > 1 ? written : script_.substr(begin, 2);
      word.text += written;
      return;
    }
    if (word.open.empty()) word.open = found->second.open;
    if (splits && words != nullptr) return add_split(word, found->second.text, *words);
    word.text += found->second.text;
  }

  // A value outside of quotes becomes several words.
  static void add_split(ShellWord& word, std::string_view value, std::vector<ShellWord>& words) {
    for (const char c : value) {
      if (c != ' ' && c != '\t' && c != '\n') {
        word.text += c;
      } else if (!word.text.empty()) {
        words.push_back(word);
        word.text.clear();
      }
    }
  }

  std::string_view script_, where_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1;
  std::map<std::string, ShellWord> variables_;
};

// The last part of a path; the modules of fairseq by the names of its programs.
std::string program_of(std::string_view word) {
  std::string_view name = word.substr(word.find_last_of('/') + 1);
  if (name.ends_with(".py")) name.remove_suffix(3);
  constexpr std::string_view kModule = "fairseq_cli.";
  if (name.starts_with(kModule)) return fmt::format("fairseq-{}", name.substr(kModule.size()));
  if (word.find("fairseq_cli/") != word.npos) return fmt::format("fairseq-{}", name);
  return std::string(name);
}

bool is_option(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && !is_ascii_digit(word[1]) && word[1] != '.';
}

// Takes the words of a call apart.
class CallReader {
 public:
  CallReader(const ShellCall& call, const CallSyntax& syntax, std::string_view where)
      : call_(call), syntax_(syntax), where_(where) {}

  std::vector<ForeignOption> read() {
    ForeignOption argument{std::string(syntax_.argument), {}, "", /*positional=*/true};
    while (at_ < call_.words.size()) {
      const std::string& word = call_.words[at_++];
      if (word == "--") continue;
      if (is_option(word)) {
        add(option(word));
      } else {
        argument.values.push_back(word);
      }
    }
    if (!argument.values.empty()) add(std::move(argument));
    return std::move(options_);
  }

 private:
  std::string name_of(const std::string& word) const {
    if (word.starts_with("--")) return word.substr(2);
    const auto letter =
        std::find_if(syntax_.letters.begin(), syntax_.letters.end(),
                     [&](const auto& one) { return word.size() == 2 && one.first == word[1]; });
    if (letter == syntax_.letters.end())
      throw ConfigError(
          fmt::format("{}: expected options of {}, got {}", where_, call_.program, quote(word)));
    return std::string(letter->second);
  }

  // The option of a word, with the words that follow as its values.
  ForeignOption option(const std::string& word) {
    ForeignOption option{name_of(word)};
    const std::size_t equals = option.name.find('=');
    if (equals != std::string::npos) {
      option.values = {option.name.substr(equals + 1)};
      option.name.erase(equals);
      return option;
    }
    const MigrationRule* const rule = find_rule(syntax_.tables, option.name);
    const Takes takes = rule == nullptr ? Takes::list : rule->takes;
    const std::size_t most = takes == Takes::none   ? 0
                             : takes == Takes::list ? call_.words.size()
                                                    : 1;
    while (option.values.size() < most && at_ < call_.words.size() && !is_option(call_.words[at_]))
      option.values.push_back(call_.words[at_++]);
    return option;
  }

  void add(ForeignOption option) {
    const auto same_name = [&](const ForeignOption& other) { return other.name == option.name; };
    const auto other = std::find_if(options_.begin(), options_.end(), same_name);
    if (other == options_.end()) {
      options_.push_back(std::move(option));
    } else if (other->values != option.values) {
      throw ConfigError(fmt::format("{}: {} is given twice, as {} and {}; keep one of them", where_,
                                    spelled_name(option, OptionStyle::command_line),
                                    quote(fmt::format("{}", fmt::join(other->values, " "))),
                                    quote(fmt::format("{}", fmt::join(option.values, " ")))));
    }
  }

  const ShellCall& call_;
  const CallSyntax& syntax_;
  std::string_view where_;
  std::size_t at_ = 0;
  std::vector<ForeignOption> options_;
};

}  // namespace

std::vector<ShellCall> read_shell_calls(std::string_view script, std::string_view where,
                                        const std::function<bool(std::string_view)>& is_wanted) {
  std::vector<ShellCall> calls;
  ShellReader reader(script, where);
  while (const std::optional<std::vector<ShellWord>> words = reader.next_command()) {
    const auto program = std::find_if(words->begin(), words->end(), [&](const ShellWord& word) {
      return assignment(word.text) == std::string::npos && is_wanted(program_of(word.text));
    });
    if (program == words->end()) continue;
    ShellCall call{program_of(program->text), {}, program->line};
    for (auto word = program + 1; word != words->end(); ++word) {
      if (!word->open.empty())
        throw DataError(fmt::format(
            "{}, line {}: expected words, found {}, whose value the file does not say; write the "
            "value in its place",
            where, word->line, quote(word->open)));
      call.words.push_back(word->text);
    }
    calls.push_back(std::move(call));
  }
  return calls;
}

std::vector<ForeignOption> read_call_options(const ShellCall& call, const CallSyntax& syntax,
                                             std::string_view where) {
  return CallReader(call, syntax, where).read();
}

}  // namespace attend
