#include "attend/documents/markdown/blocks.h"

#include <algorithm>
#include <utility>

#include "attend/documents/markdown/line_starts.h"
#include "attend/documents/markdown/syntax.h"

namespace attend::markdown {
namespace {

// Containers within one another; what stands within more stays as it is.
constexpr std::size_t kDeepest = 64;

// A line from left to right; a tab goes to the next multiple of four columns.
class LineReader {
 public:
  LineReader(std::string_view markdown, TextSpan line)
      : line_(line.of(markdown)), offset_(line.begin) {
    find_text();
  }

  std::size_t indent() const { return text_column_ - column_; }
  bool is_blank() const { return text_ == line_.size(); }
  // From the first character that is no blank on.
  std::string_view text() const { return line_.substr(text_); }
  TextSpan text_span() const { return {offset_ + text_, offset_ + line_.size()}; }

  void skip_indent() { advance(text_ - at_, false); }
  void skip(std::size_t characters) { advance(characters, false); }
  void skip_columns(std::size_t columns) { advance(columns, true); }
  bool skip_blank() {
    if (at_ == line_.size() || (line_[at_] != ' ' && line_[at_] != '\t')) return false;
    skip_columns(1);
    return true;
  }

 private:
  void advance(std::size_t count, bool columns) {
    for (; count > 0 && at_ < line_.size();) {
      const std::size_t to_stop = line_[at_] == '\t' ? 4 - column_ % 4 : 1;
      const std::size_t step = columns ? std::min(count, to_stop) : to_stop;
      column_ += step;
      if (step == to_stop) ++at_;
      count -= columns ? step : 1;
    }
    find_text();
  }
  void find_text() {
    text_ = at_;
    text_column_ = column_;
    for (; text_ < line_.size() && (line_[text_] == ' ' || line_[text_] == '\t'); ++text_)
      text_column_ += line_[text_] == '\t' ? 4 - text_column_ % 4 : 1;
  }

  std::string_view line_;
  std::size_t offset_;
  std::size_t at_ = 0;
  std::size_t column_ = 0;
  std::size_t text_ = 0;
  std::size_t text_column_ = 0;
};

struct Container {
  bool is_quote = false;
  std::size_t indent = 0;  // of the content of an item of a list, or of a footnote
  bool is_empty = true;
};

enum class Open { nothing, paragraph, code, fenced_code, html, table };

class BlockReader {
 public:
  explicit BlockReader(std::string_view markdown) : markdown_(markdown) {}

  Blocks read() {
    for (std::size_t at = skip_front_matter(); at < markdown_.size();) {
      std::size_t end = std::min(markdown_.find('\n', at), markdown_.size());
      const std::size_t next = end + 1;
      if (end > at && markdown_[end - 1] == '\r') --end;
      read_line({at, end});
      at = next;
    }
    close_leaf();
    return std::move(found_);
  }

 private:
  // Front matter: lines between --- or +++ at the beginning.
  std::size_t skip_front_matter() const {
    for (const std::string fence : {"---", "+++"}) {
      if (!markdown_.starts_with(fence + "\n") && !markdown_.starts_with(fence + "\r\n")) continue;
      for (std::size_t at = markdown_.find('\n'); at != npos; at = markdown_.find('\n', at + 1)) {
        const std::string_view rest = markdown_.substr(at + 1);
        const std::string_view line = rest.substr(0, rest.find_first_of("\r\n"));
        if (line == fence || (line == "..." && fence == "---")) return at + 1 + line.size();
      }
    }
    return markdown_.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  }

  void read_line(TextSpan span) {
    LineReader line(markdown_, span);
    matched_ = 0;
    while (matched_ < containers_.size() && continues(containers_[matched_], line)) ++matched_;
    is_lazy_ = matched_ < containers_.size();
    if (!is_lazy_ && continues_leaf(line)) return;
    if (begins_table(line)) return;
    if (read_starts(line)) return;
    if (open_ == Open::paragraph && is_lazy_ && !line.is_blank()) {
      paragraph_.push_back(line.text_span());
      return;
    }
    close_unmatched();
    if (line.is_blank()) {
      close_leaf();
    } else if (open_ == Open::paragraph) {
      paragraph_.push_back(line.text_span());
    } else if (open_ == Open::table) {
      add_row(line.text_span());
    } else {
      begin_leaf(Open::paragraph);
      paragraph_.push_back(line.text_span());
    }
  }

  static bool continues(Container& container, LineReader& line) {
    if (container.is_quote) {
      if (line.indent() > 3 || !line.text().starts_with('>')) return false;
      line.skip_indent();
      line.skip(1);
      line.skip_blank();
      return true;
    }
    if (line.is_blank()) {
      line.skip_indent();
      return !container.is_empty;
    }
    if (line.indent() < container.indent) return false;
    line.skip_columns(container.indent);
    return true;
  }

  // Whether a line belongs to a block whose lines stay as they are.
  bool continues_leaf(const LineReader& line) {
    if (open_ == Open::fenced_code) {
      const std::string_view text = line.text();
      if (line.indent() < 4 && code_fence_ends(text)) open_ = Open::nothing;
      return true;
    }
    if (open_ == Open::html) {
      if (html_kind_ > 5 && line.is_blank()) {
        open_ = Open::nothing;
      } else if (ends_html_block(line.text(), html_kind_)) {
        open_ = Open::nothing;
      }
      return true;
    }
    if (open_ == Open::code && (line.indent() > 3 || line.is_blank())) return true;
    return false;
  }
  bool code_fence_ends(std::string_view text) const {
    std::size_t count = 0;
    while (count < text.size() && text[count] == fence_) ++count;
    return count >= fence_size_ && skip_blanks(text, count) == text.size();
  }

  // The row of dashes below the last line of a paragraph makes that one a row. Some readers also
  // see one outside of the container of the paragraph; rows stay on their lines, which suits all.
  bool begins_table(const LineReader& line) {
    if (open_ != Open::paragraph || line.indent() > 3) return false;
    const std::size_t columns = table_columns(line.text());
    if (columns == 0 || cells_of(markdown_, paragraph_.back()).size() != columns) return false;
    const TextSpan header = paragraph_.back();
    paragraph_.pop_back();
    close_leaf();
    open_ = Open::table;
    add_row(header);
    return true;
  }

  void add_row(TextSpan row) {
    for (const TextSpan cell : cells_of(markdown_, row))
      if (cell.begin < cell.end) found_.leaves.push_back({LeafKind::cell, {cell}});
  }

  // Reads what begins blocks. Returns whether the line is done.
  bool read_starts(LineReader& line) {
    while (!line.is_blank()) {
      if (line.indent() > 3) {
        if (open_ == Open::paragraph) return false;
        begin_leaf(Open::code);
        return true;
      }
      const std::string_view text = line.text();
      const bool is_container = read_container(line);
      if (!is_container && (read_heading(line) || read_raw(text))) return true;
      if (!is_container && is_thematic_break(text)) {
        begin_leaf(Open::nothing);
        return true;
      }
      if (!is_container && !read_item(line)) return false;
      if (containers_.size() >= kDeepest) {
        begin_leaf(Open::nothing);
        return true;
      }
    }
    return false;
  }

  bool read_container(LineReader& line) {
    if (line.text().starts_with('>')) {
      begin_container({.is_quote = true});
      line.skip_indent();
      line.skip(1);
      line.skip_blank();
      return true;
    }
    const std::size_t footnote = footnote_marker(line.text());
    if (footnote == 0 || interrupts_paragraph()) return false;
    found_.footnotes.insert(normalized_label(line.text().substr(0, footnote - 1)));
    begin_container({.indent = 4});
    line.skip_indent();
    line.skip(footnote);
    line.skip_indent();
    return true;
  }

  bool read_heading(const LineReader& line) {
    const std::string_view text = line.text();
    if (const std::size_t marker = heading_marker(text); marker > 0) {
      begin_leaf(Open::nothing);
      const std::string_view inside = heading_text(text.substr(marker));
      const std::size_t begin = line.text_span().begin + marker;
      if (!inside.empty())
        found_.leaves.push_back({LeafKind::heading, {{begin, begin + inside.size()}}});
      return true;
    }
    if (!interrupts_paragraph() || !is_underline(text)) return false;
    take_definitions();
    if (paragraph_.empty()) {
      open_ = Open::nothing;
      return false;
    }
    close_leaf();
    return true;
  }

  // Code between fences, and blocks of HTML.
  bool read_raw(std::string_view text) {
    if (const std::size_t size = code_fence(text); size > 0) {
      begin_leaf(Open::fenced_code);
      fence_ = text[0];
      fence_size_ = size;
      return true;
    }
    const int kind = html_block(text);
    if (kind == 0 || (kind == 7 && open_ == Open::paragraph)) return false;
    begin_leaf(ends_html_block(text, kind) ? Open::nothing : Open::html);
    html_kind_ = kind;
    return true;
  }

  bool read_item(LineReader& line) {
    const std::string_view text = line.text();
    const ListMarker marker = list_marker(text);
    if (marker.size == 0) return false;
    const bool is_empty = skip_blanks(text, marker.size) == text.size();
    if (interrupts_paragraph() && (is_empty || !marker.begins_at_one)) return false;
    Container item{.indent = line.indent() + marker.size};
    line.skip_indent();
    line.skip(marker.size);
    const std::size_t blanks = line.indent();
    if (is_empty || blanks > 4) {
      ++item.indent;
      line.skip_blank();
    } else {
      item.indent += blanks;
      line.skip_indent();
    }
    begin_container(item);
    skip_task(line);
    return true;
  }

  // "[ ] " of a task.
  void skip_task(LineReader& line) {
    const std::string_view text = line.text();
    if (line.indent() > 0 || text.size() < 4 || text[0] != '[' || text[2] != ']' ||
        (text[3] != ' ' && text[3] != '\t') || std::string_view(" xX").find(text[1]) == npos ||
        skip_blanks(text, 3) == text.size())
      return;
    line.skip(3);
    line.skip_indent();
    behind_task_ = line.text_span().begin;
  }

  // Whether what begins now would cut a paragraph that this line continues.
  bool interrupts_paragraph() const { return open_ == Open::paragraph && !is_lazy_; }

  void begin_container(Container container) {
    begin_leaf(Open::nothing);
    containers_.push_back(container);
    matched_ = containers_.size();
  }
  void begin_leaf(Open kind) {
    close_unmatched();
    close_leaf();
    if (!containers_.empty()) containers_.back().is_empty = false;
    open_ = kind;
  }
  void close_unmatched() {
    if (matched_ == containers_.size()) return;
    close_leaf();
    containers_.resize(matched_);
    is_lazy_ = false;
  }
  void close_leaf() {
    if (open_ == Open::paragraph) {
      take_definitions();
      if (!paragraph_.empty())
        found_.leaves.push_back({LeafKind::paragraph, std::exchange(paragraph_, {})});
      paragraph_.clear();
    }
    open_ = Open::nothing;
  }

  // Takes definitions of links from the beginning of the paragraph.
  void take_definitions() {
    if (paragraph_.empty() || !markdown_.substr(paragraph_.front().begin).starts_with('[') ||
        paragraph_.front().begin == behind_task_)
      return;
    std::string text;
    for (const TextSpan line : paragraph_) {
      if (!text.empty()) text += '\n';
      text += line.of(markdown_);
    }
    std::size_t at = 0, taken = 0;
    while (at < text.size() && text[at] == '[') {
      const std::size_t end = end_of_definition(text, at);
      if (end == npos) break;
      const std::string_view label = std::string_view(text).substr(at, end_of_label(text, at) - at);
      found_.labels.insert(normalized_label(label));
      const auto lines = std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                    text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
      taken += static_cast<std::size_t>(lines) + (end == text.size() && text[end - 1] != '\n');
      at = end;
    }
    taken = std::min(taken, paragraph_.size());
    paragraph_.erase(paragraph_.begin(), paragraph_.begin() + static_cast<std::ptrdiff_t>(taken));
  }

  std::string_view markdown_;
  Blocks found_;
  std::vector<Container> containers_;
  std::size_t matched_ = 0;
  bool is_lazy_ = false;
  Open open_ = Open::nothing;
  std::vector<TextSpan> paragraph_;
  std::size_t behind_task_ = npos;  // where the text of the last task begins
  char fence_ = '`';
  std::size_t fence_size_ = 0;
  int html_kind_ = 0;
};

}  // namespace

Blocks blocks_of(std::string_view markdown) { return BlockReader(markdown).read(); }

std::vector<TextSpan> cells_of(std::string_view markdown, TextSpan row) {
  const auto is_blank = [&](std::size_t at) { return markdown[at] == ' ' || markdown[at] == '\t'; };
  const auto trimmed = [&](TextSpan cell) {
    while (cell.begin < cell.end && is_blank(cell.begin)) ++cell.begin;
    while (cell.end > cell.begin && is_blank(cell.end - 1)) --cell.end;
    return cell;
  };
  row = trimmed(row);
  std::vector<TextSpan> cells;
  std::size_t begin = row.begin;
  if (begin < row.end && markdown[begin] == '|') ++begin;
  for (std::size_t at = begin; at < row.end; ++at) {
    if (markdown[at] == '\\') {
      ++at;
    } else if (markdown[at] == '|') {
      cells.push_back(trimmed({begin, at}));
      begin = at + 1;
    }
  }
  if (begin < row.end) cells.push_back(trimmed({begin, row.end}));
  return cells;
}

}  // namespace attend::markdown
