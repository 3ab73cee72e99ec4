#include "attend/documents/markdown/inlines.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "attend/core/strings/ascii.h"
#include "attend/core/strings/utf8.h"
#include "attend/documents/markdown/emphasis.h"
#include "attend/documents/markdown/syntax.h"
#include "attend/documents/markup/html_characters.h"
#include "attend/documents/markup/html_elements.h"

namespace attend::markdown {
namespace {

class InlineReader {
 public:
  InlineReader(std::string_view text, const Blocks& document) : text_(text), document_(document) {}

  std::vector<Token> read() {
    while (at_ < text_.size()) read_next();
    add_text();
    emphasis_.find_from(0);
    return finished();
  }

 private:
  static constexpr std::size_t kNoRun = static_cast<std::size_t>(-1);

  // A token, or a run of emphasis that becomes several.
  struct Draft {
    Token token;
    std::size_t run = kNoRun;
  };
  struct Bracket {
    std::size_t draft = 0;
    std::size_t begin = 0;  // of "[" in the text
    std::size_t run = 0;    // the first run of emphasis behind it
    bool is_image = false;
    bool has_bracket = false;  // another one behind it
  };

  void read_next() {
    const char c = text_[at_];
    if (c == '\\') return read_backslash();
    if (c == '\n') return read_line_end(0);
    if (c == '`') return read_code();
    if (c == '*' || c == '_' || c == '~') return read_run();
    if (c == '[') return open_bracket(false);
    if (c == '!' && at_ + 1 < text_.size() && text_[at_ + 1] == '[') return open_bracket(true);
    if (c == ']') return close_bracket();
    if (c == '<') return read_angle();
    if (c == '&') return read_entity();
    if (c == 'h' || c == 'w')
      if (const std::size_t end = end_of_bare_address(text_, at_); end != npos)
        return add_point(end);
    said_ += c;
    ++at_;
  }

  // What stood so far becomes a token.
  void add_text() {
    if (!said_.empty()) drafts_.push_back({{.raw = said_, .said = std::exchange(said_, {})}});
  }
  void add(Token token) {
    add_text();
    drafts_.push_back({std::move(token)});
  }
  std::string raw_until(std::size_t end) const {
    std::string raw(text_.substr(at_, end - at_));
    std::replace(raw.begin(), raw.end(), '\n', ' ');
    return raw;
  }
  void add_point(std::size_t end) {
    lines_ += static_cast<std::size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                                  text_.begin() + static_cast<std::ptrdiff_t>(end),
                                                  '\n'));
    std::string raw = raw_until(end);
    add({.kind = TokenKind::point, .raw = raw, .said = raw});
    at_ = end;
  }

  void read_backslash() {
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (next == '\n') {
      ++at_;
      return read_line_end(1);
    }
    if (is_ascii_punctuation(next)) ++at_;
    said_ += text_[at_++];
  }

  // Two spaces or a backslash before the end of a line break it.
  void read_line_end(std::size_t backslashes) {
    const std::size_t end = said_.find_last_not_of(' ') + 1, spaces = said_.size() - end;
    ++at_;
    ++lines_;
    if (backslashes > 0 || spaces > 1) {
      if (backslashes == 0) said_.resize(end);
      add({.kind = TokenKind::line_break,
           .raw = backslashes > 0 ? "\\\n" : std::string(spaces, ' ') + "\n",
           .said = "\n",
           .line = lines_ - 1});
    } else {
      said_.resize(end);
      said_ += ' ';
    }
  }

  void read_code() {
    std::size_t end = at_;
    while (end < text_.size() && text_[end] == '`') ++end;
    if (const std::size_t close = end_of_code(end, end - at_); close != npos)
      return add_point(close);
    said_ += text_.substr(at_, end - at_);
    at_ = end;
  }
  // Behind the next run of as many backquotes.
  std::size_t end_of_code(std::size_t begin, std::size_t size) {
    if (!has_backquotes_) {
      has_backquotes_ = true;
      for (std::size_t at = text_.find('`'); at != npos; at = text_.find('`', at)) {
        const std::size_t run = at;
        while (at < text_.size() && text_[at] == '`') ++at;
        backquotes_[at - run].push_back(at);
      }
    }
    const std::vector<std::size_t>& ends = backquotes_[size];
    const auto found = std::upper_bound(ends.begin(), ends.end(), begin);
    return found == ends.end() ? npos : *found;
  }

  void read_run() {
    std::size_t end = at_;
    while (end < text_.size() && text_[end] == text_[at_]) ++end;
    add_text();
    drafts_.push_back({{}, emphasis_.add(emphasis_run(text_, at_, end))});
    at_ = end;
  }

  void read_angle() {
    if (const std::size_t end = end_of_autolink(text_, at_); end != npos) return add_point(end);
    const std::size_t end = end_of_html(text_, at_, missing_);
    if (end == npos) {
      said_ += text_[at_++];
      return;
    }
    const bool closes = text_[at_ + 1] == '/';
    std::size_t name_end = at_ + (closes ? 2 : 1);
    const std::size_t name_begin = name_end;
    while (is_ascii_alphanumeric(text_[name_end]) || text_[name_end] == '-') ++name_end;
    const std::string name = ascii_lower(text_.substr(name_begin, name_end - name_begin));
    if (name.empty() || text_[end - 2] == '/' || html::is_void(name)) return add_point(end);
    if (const std::size_t close = end_of_opaque(name, end); !closes && close != npos)
      return add_point(close);
    const std::string raw = raw_until(end);
    add({.kind = closes ? TokenKind::close : TokenKind::open,
         .raw = raw,
         .said = raw,
         .name = name});
    at_ = end;
  }

  // Behind <code>...</code> and the like, if there is no other markup in it.
  std::size_t end_of_opaque(const std::string& name, std::size_t begin) const {
    if (!html::is_opaque(name)) return npos;
    const std::size_t end = std::min(text_.find_first_of("*_~[]`\\<&\n", begin), text_.size());
    const std::string close = "</" + name + ">";
    return text_.substr(end).starts_with(close) ? end + close.size() : npos;
  }

  void read_entity() {
    const std::size_t end = end_of_entity(text_, at_);
    if (end == npos) {
      said_ += text_[at_++];
      return;
    }
    const std::string said = unescaped_html(text_.substr(at_, end - at_));
    const bool is_plain = static_cast<unsigned char>(said[0]) > ' ' && said[0] != '\x7f';
    if (!is_plain || said == "\u00a0") return add_point(end);
    said_ += said;
    at_ = end;
  }

  void open_bracket(bool is_image) {
    if (!is_image && text_.substr(at_).starts_with("[^"))
      if (const std::size_t end = end_of_label(text_, at_);
          end != npos &&
          document_.footnotes.contains(normalized_label(text_.substr(at_, end - at_))))
        return add_point(end);
    if (!brackets_.empty()) brackets_.back().has_bracket = true;
    const std::string raw = is_image ? "![" : "[";
    const std::size_t begin = at_ + raw.size() - 1;
    add({.raw = raw, .said = raw});
    brackets_.push_back({drafts_.size() - 1, begin, emphasis_.size(), is_image});
    at_ = begin + 1;
  }

  void pop_bracket() {
    brackets_.pop_back();
    inactive_ = std::min(inactive_, brackets_.size());
  }
  void close_bracket() {
    const std::optional<std::pair<std::size_t, std::string>> target = find_target();
    if (!target) {
      if (!brackets_.empty()) pop_bracket();
      said_ += text_[at_++];
      return;
    }
    const Bracket bracket = brackets_.back();
    pop_bracket();
    const std::string name = "link" + std::to_string(links_++);
    Token& open = drafts_[bracket.draft].token;
    open.kind = TokenKind::open;
    open.name = name;
    add({.kind = TokenKind::close, .raw = target->second, .said = target->second, .name = name});
    emphasis_.find_from(bracket.run);
    // A link has no links in it.
    if (!bracket.is_image) inactive_ = brackets_.size();
    lines_ += static_cast<std::size_t>(
        std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                   text_.begin() + static_cast<std::ptrdiff_t>(target->first), '\n'));
    at_ = target->first;
  }

  // Where the link ends whose text ends here, and how its end is written.
  std::optional<std::pair<std::size_t, std::string>> find_target() const {
    if (brackets_.empty()) return std::nullopt;
    if (!brackets_.back().is_image && brackets_.size() <= inactive_) return std::nullopt;
    if (const std::size_t end = end_of_link_target(text_, at_ + 1); end != npos)
      return std::pair{end, raw_until(end)};
    const Bracket& bracket = brackets_.back();
    const std::string_view rest = text_.substr(at_ + 1);
    std::size_t end = end_of_label(text_, at_ + 1);
    std::string_view label;
    if (end != npos) {
      label = text_.substr(at_ + 1, end - at_ - 1);
    } else {
      if (bracket.has_bracket || end_of_label(text_, bracket.begin) != at_ + 1) return std::nullopt;
      label = text_.substr(bracket.begin, at_ + 1 - bracket.begin);
      end = at_ + (rest.starts_with("[]") ? 3 : 1);
    }
    if (!document_.labels.contains(normalized_label(label))) return std::nullopt;
    std::string raw = "]" + std::string(label);
    std::replace(raw.begin(), raw.end(), '\n', ' ');
    return std::pair{end, std::move(raw)};
  }

  std::vector<Token> finished() {
    std::vector<Token> tokens;
    for (Draft& draft : drafts_) {
      if (draft.run == kNoRun) {
        tokens.push_back(std::move(draft.token));
        continue;
      }
      const EmphasisRun& run = emphasis_.run(draft.run);
      for (const EmphasisUse& use : run.closes) tokens.push_back(mark(run, use, TokenKind::close));
      if (run.left > 0) {
        const std::string left(run.left, run.character);
        tokens.push_back({.raw = left, .said = left});
      }
      for (auto use = run.opens.rbegin(); use != run.opens.rend(); ++use)
        tokens.push_back(mark(run, *use, TokenKind::open));
    }
    return tokens;
  }
  static Token mark(const EmphasisRun& run, const EmphasisUse& use, TokenKind kind) {
    const std::string element = run.character == '~' ? "del" : use.size == 2 ? "strong" : "em";
    return {.kind = kind,
            .raw = std::string(run.character == '~' ? run.size : use.size, run.character),
            .said = (kind == TokenKind::open ? "<" : "</") + element + ">",
            .name = "emphasis" + std::to_string(use.mark)};
  }

  std::string_view text_;
  const Blocks& document_;
  std::size_t at_ = 0;
  std::size_t lines_ = 0;
  std::string said_;
  std::vector<Draft> drafts_;
  std::vector<Bracket> brackets_;
  std::size_t inactive_ = 0;  // so many of them begin no links
  std::size_t links_ = 0;
  EmphasisFinder emphasis_;
  Missing missing_;
  bool has_backquotes_ = false;
  // The ends of runs of backquotes, by their lengths.
  std::unordered_map<std::size_t, std::vector<std::size_t>> backquotes_;
};

}  // namespace

std::vector<Token> inlines_of(std::string_view block, const Blocks& document) {
  return InlineReader(block, document).read();
}

}  // namespace attend::markdown
