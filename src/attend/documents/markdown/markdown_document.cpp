#include "attend/documents/markdown/markdown_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "attend/core/strings/unicode.h"
#include "attend/core/too_long.h"
#include "attend/documents/markdown/inlines.h"
#include "attend/documents/markdown/writing.h"
#include "attend/documents/markup/html_characters.h"
#include "attend/documents/markup/markup_document.h"

namespace attend {
namespace {

using markdown::LeafKind;
using markdown::Token;
using markdown::TokenKind;

constexpr std::size_t kMostTokens = 1 << 20;

// How marks are written.
enum class Form {
  source,   // as they were
  html,     // emphasis as <em>, which needs no spaces around it
  notation  // what they are between \1 and \2, to compare texts by
};

std::string written_mark(const Token& token, Form form) {
  if (token.kind == TokenKind::line_break || form == Form::source) return token.raw;
  return form == Form::html ? token.said : "\1" + token.said + "\2";
}

std::string escaped_text_of(const Token& token) { return escaped_markup(token.said); }

MarkupDocument document_of(const std::vector<Token>& tokens, Form form,
                           MarkupDocument::Escape escape) {
  std::deque<std::string> made;
  std::vector<MarkupPiece> pieces;
  for (const Token& token : tokens) {
    const bool is_text = token.kind == TokenKind::text;
    MarkupPiece piece;
    piece.raw = made.emplace_back(is_text ? escaped_text_of(token) : written_mark(token, form));
    piece.name = token.name;
    piece.is_text = is_text;
    piece.closes = token.kind == TokenKind::close;
    piece.closes_self = token.kind == TokenKind::point;
    piece.is_inline = !is_text && token.kind != TokenKind::line_break;
    pieces.push_back(std::move(piece));
  }
  return {blocks_of(pieces, false), escape};
}

// The tokens as Form::notation writes them.
std::string notation_of(const std::vector<Token>& tokens) {
  std::string out;
  for (const Token& token : tokens)
    out += token.kind == TokenKind::text ? token.said : written_mark(token, Form::notation);
  return out;
}

bool say_the_same(std::string_view a, std::string_view b) {
  const std::vector<std::string_view> left = unicode::split(a), right = unicode::split(b);
  return std::equal(left.begin(), left.end(), right.begin(), right.end());
}

// Whether this is one block of the kind, and all of it.
bool is_one_block(std::string_view content, LeafKind kind) {
  if (kind == LeafKind::cell) {
    const std::vector<TextSpan> cells = markdown::cells_of(content, {0, content.size()});
    return cells.size() == 1 && cells[0] == TextSpan{0, content.size()};
  }
  const std::string line = (kind == LeafKind::heading ? "# " : "") + std::string(content);
  const std::size_t begin = kind == LeafKind::heading ? 2 : 0;
  const markdown::Blocks blocks = markdown::blocks_of(line);
  if (blocks.leaves.size() != 1) return false;
  const markdown::Leaf& leaf = blocks.leaves[0];
  const auto breaks = std::count(content.begin(), content.end(), '\n');
  return leaf.kind == kind && leaf.lines.front().begin == begin &&
         leaf.lines.back().end == line.size() &&
         leaf.lines.size() == static_cast<std::size_t>(breaks) + 1;
}

// Escapes the beginnings of lines that are text, as `notation` says.
std::string with_escaped_starts(std::string_view content, std::string_view notation) {
  std::string out;
  while (true) {
    const std::string_view line = content.substr(0, content.find('\n'));
    const bool is_text = !notation.starts_with('\1');
    out += is_text ? markdown::escaped_at_start(line) : std::string(line);
    if (line.size() == content.size()) return out;
    out += '\n';
    content.remove_prefix(line.size() + 1);
    notation.remove_prefix(std::min(notation.find('\n'), notation.size() - 1) + 1);
  }
}

}  // namespace

MarkdownDocument::MarkdownDocument(std::string_view source) : source_(source) {
  blocks_ = markdown::blocks_of(source_);
  std::size_t tokens = 0;
  for (const markdown::Leaf& leaf : std::exchange(blocks_.leaves, {})) {
    Block block{.kind = leaf.kind, .span = {leaf.lines.front().begin, leaf.lines.back().end}};
    while (block.span.end > block.span.begin &&
           (source_[block.span.end - 1] == ' ' || source_[block.span.end - 1] == '\t'))
      --block.span.end;
    for (std::size_t i = 0; i < leaf.lines.size(); ++i) {
      const TextSpan line = leaf.lines[i];
      if (i > 0) {
        const std::size_t before = leaf.lines[i - 1].end;
        block.line_ends.push_back(source_.substr(before, line.begin - before));
        block.content += '\n';
      }
      block.content += TextSpan{line.begin, std::min(line.end, block.span.end)}.of(source_);
    }
    if (block.content.find_first_of("\1\2\3") != std::string::npos) continue;
    const std::vector<Token> inlines = markdown::inlines_of(block.content, blocks_);
    tokens += inlines.size();
    if (tokens > kMostTokens)
      throw TooLongError(fmt::format("the document has more than {} marks and texts", kMostTokens));
    block.texts = document_of(inlines, Form::source, markdown::escaped).count_texts();
    if (block.texts > 0) leaves_.push_back(std::move(block));
  }
}

std::vector<SourceText> MarkdownDocument::texts() const {
  std::vector<SourceText> all;
  for (const Block& block : leaves_)
    for (SourceText& text :
         document_of(markdown::inlines_of(block.content, blocks_), Form::source, markdown::escaped)
             .texts()) {
      all.push_back(std::move(text));
      all.back().goes_on = all.size() > 1;
    }
  return all;
}

std::size_t MarkdownDocument::bytes() const {
  std::size_t all = source_.size();
  for (const Block& block : leaves_) {
    all += sizeof block + block.content.size();
    for (const std::string& end : block.line_ends) all += sizeof end + end.size();
  }
  return all;
}

std::string MarkdownDocument::written(const Block& block,
                                      std::span<const TranslatedText> translated,
                                      std::size_t k) const {
  const std::vector<Token> tokens = markdown::inlines_of(block.content, blocks_);
  const auto in_form = [&](Form form, MarkupDocument::Escape escape) {
    return document_of(tokens, form, escape).translation(translated, k);
  };
  const std::string notation = in_form(Form::notation, markdown::plain);
  const bool is_cell = block.kind == LeafKind::cell;
  for (const bool fully : {false, true}) {
    std::string content =
        fully ? in_form(Form::html, markdown::fully_escaped)
              : with_escaped_starts(
                    in_form(Form::source, is_cell ? markdown::escaped_in_table : markdown::escaped),
                    notation);
    if (!is_one_block(content, block.kind) ||
        !say_the_same(notation_of(markdown::inlines_of(content, blocks_)), notation))
      continue;
    std::string out;
    auto token = tokens.begin();
    for (const char c : content) {
      if (c != '\n') {
        out += c;
        continue;
      }
      token = std::find_if(token, tokens.end(),
                           [](const Token& one) { return one.kind == TokenKind::line_break; });
      out += block.line_ends[(token++)->line];
    }
    return out;
  }
  return std::string(block.span.of(source_));
}

std::string MarkdownDocument::translation(std::span<const TranslatedText> translated,
                                          std::size_t k) const {
  std::string out;
  std::size_t at = 0;
  for (const Block& block : leaves_) {
    out.append(source_, at, block.span.begin - at);
    out += written(block, translated.first(block.texts), k);
    translated = translated.subspan(block.texts);
    at = block.span.end;
  }
  return out.append(source_, at);
}

}  // namespace attend
