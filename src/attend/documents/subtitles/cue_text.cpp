#include "attend/documents/subtitles/cue_text.h"

#include <algorithm>
#include <utility>

#include "attend/core/strings/ascii.h"
#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/documents/markup/html_characters.h"

namespace attend {
namespace {

// A text, a line end, or a tag: <i>, </i>, <v Name>, <00:00:01.000>, {\an8}.
struct CuePiece {
  enum class Kind { text, line_end, open, close, point } kind;
  TextSpan place;
  std::string name = {};    // of an open or close tag, in small letters
  std::size_t partner = 0;  // of a pair: the number of the other tag
  bool is_pair = false;
};

using PieceKind = CuePiece::Kind;

class CuePieces {
 public:
  CuePieces(std::string_view content, TextSpan place, SubtitleFormat format)
      : content_(content), place_(place), format_(format) {}

  std::vector<CuePiece> read() {
    for (std::size_t at = place_.begin; at < place_.end;) {
      const std::size_t end = end_of_tag(at);
      if (end > at) {
        add_tag({at, end});
      } else if (content_[at] == '\n' || content_[at] == '\r') {
        const bool two = content_.substr(at, place_.end - at).starts_with("\r\n");
        pieces_.push_back({PieceKind::line_end, {at, at + (two ? 2 : 1)}});
      } else if (!pieces_.empty() && pieces_.back().kind == PieceKind::text) {
        pieces_.back().place.end = at + 1;
      } else {
        pieces_.push_back({PieceKind::text, {at, at + 1}});
      }
      at = pieces_.back().place.end;
    }
    return std::move(pieces_);
  }

 private:
  // `at` if no tag begins there. A tag ends in its line.
  std::size_t end_of_tag(std::size_t at) {
    const std::string_view rest = content_.substr(at, place_.end - at);
    const bool is_style = rest.starts_with("{\\");
    const char c = rest.size() > 1 ? rest[1] : '\0';
    const bool is_time = format_ == SubtitleFormat::vtt && c >= '0' && c <= '9';
    if (!is_style && !(rest.front() == '<' && (c == '/' || is_ascii_letter(c) || is_time)))
      return at;
    const std::size_t end = next_end(at, is_style);
    return end == place_.end || content_[end] == '\r' || content_[end] == '\n' ? at : end + 1;
  }

  // Where a tag or a line ends. Remembers it: the next tag may look for the same one.
  std::size_t next_end(std::size_t at, bool is_style) {
    std::size_t& end = is_style ? style_end_ : tag_end_;
    if (end <= at)
      end = std::min(content_.find_first_of(is_style ? "}\r\n" : ">\r\n", at + 1), place_.end);
    return end;
  }

  void add_tag(TextSpan place) {
    CuePiece piece{PieceKind::point, place};
    const std::string_view tag = place.of(content_);
    if (tag.front() == '<' && (tag[1] == '/' || is_ascii_letter(tag[1]))) {
      const std::size_t begin = tag[1] == '/' ? 2 : 1;
      for (const char c : tag.substr(begin, tag.find_first_of(" .\t/>", begin) - begin))
        piece.name += ascii_lower(c);
      piece.kind = begin == 2 ? PieceKind::close : PieceKind::open;
    }
    const std::size_t number = pieces_.size();
    if (piece.kind == PieceKind::open) open_.push_back(number);
    if (piece.kind == PieceKind::close) close(number, piece);
    pieces_.push_back(std::move(piece));
  }

  // Ends the innermost open tag if it has the name; <v> and others within it have no end then.
  void close(std::size_t number, CuePiece& piece) {
    constexpr std::size_t kFarthest = 8;  // tags that are looked at
    for (std::size_t i = open_.size(), tried = 0; i-- > 0 && tried < kFarthest; ++tried) {
      if (pieces_[open_[i]].name != piece.name) continue;
      CuePiece& partner = pieces_[open_[i]];
      partner.is_pair = piece.is_pair = true;
      partner.partner = number;
      piece.partner = open_[i];
      open_.resize(i);
      return;
    }
  }

  std::string_view content_;
  TextSpan place_;
  SubtitleFormat format_;
  std::vector<CuePiece> pieces_;
  std::vector<std::size_t> open_;
  std::size_t tag_end_ = 0, style_end_ = 0;
};

std::string tag_text(CueTag kind, std::string_view raw) {
  return {kTagBegin + std::string(1, static_cast<char>(kind)) + std::string(raw) + kTagEnd};
}

class SpeechReader {
 public:
  SpeechReader(std::string_view content, TextSpan place, SubtitleFormat format)
      : content_(content), format_(format), pieces_(CuePieces(content, place, format).read()) {
    speech_.place = speech_.inner = place;
  }

  Speech read() {
    const std::size_t first = find_begin();
    const std::size_t last = find_end(first);
    std::vector<std::size_t> open;  // numbers of marks
    std::vector<std::size_t> mark_of(pieces_.size());
    MarkedText& text = speech_.text;
    for (std::size_t i = first; i < last; ++i) {
      const CuePiece& piece = pieces_[i];
      const std::string_view raw = piece.place.of(content_);
      const std::size_t at = text.text.size();
      if (piece.kind == PieceKind::text) {
        text.text += said(raw);
      } else if (piece.kind == PieceKind::line_end) {
        speech_.breaks.push_back(at + 1);
        text.text += ' ';
      } else if (piece.kind == PieceKind::close && piece.is_pair) {
        Mark& mark = text.marks[mark_of[piece.partner]];
        mark.end = at;
        mark.close = tag_text(CueTag::close, raw);
        open.pop_back();
      } else {
        mark_of[i] = text.marks.size();
        text.marks.push_back({at, at, tag_text(piece.is_pair ? CueTag::open : CueTag::point, raw),
                              "", open.empty() ? -1 : static_cast<int>(open.back())});
        if (piece.is_pair) open.push_back(mark_of[i]);
      }
    }
    return std::move(speech_);
  }

 private:
  std::string_view raw(std::size_t i) const { return pieces_[i].place.of(content_); }
  bool is_blank_text(std::size_t i) const {
    return pieces_[i].kind == PieceKind::line_end ||
           (pieces_[i].kind == PieceKind::text && is_blank(raw(i)));
  }

  // The first piece that is not a tag around all the rest. It may begin with a dash.
  std::size_t find_begin() {
    std::size_t first = 0;
    while (first < pieces_.size() && (is_blank_text(first) || is_around(first))) ++first;
    if (first < pieces_.size()) speech_.inner.begin = pieces_[first].place.begin;
    if (first == pieces_.size() || pieces_[first].kind != PieceKind::text) return first;
    std::size_t length = spaces_at(raw(first), 0);
    const std::size_t dash = length_of_dash(raw(first).substr(length));
    speech_.has_dash = dash > 0;
    length = spaces_at(raw(first), length + dash);
    pieces_[first].place.begin += length;
    speech_.inner.begin = pieces_[first].place.begin;
    return first;
  }

  // Whether a tag at the beginning goes on to the end, or is a point.
  bool is_around(std::size_t i) const {
    if (pieces_[i].kind == PieceKind::text) return false;
    if (pieces_[i].kind != PieceKind::open || !pieces_[i].is_pair) return true;
    for (std::size_t after = pieces_[i].partner; after < pieces_.size(); ++after) {
      const bool ends = is_blank_text(after) || pieces_[after].kind == PieceKind::close;
      if (!ends) return false;
    }
    return true;
  }

  std::size_t find_end(std::size_t first) {
    std::size_t last = pieces_.size();
    while (last > first && (is_blank_text(last - 1) || ends_outer(last - 1, first))) --last;
    if (last < pieces_.size() && last > 0)
      speech_.inner.end = std::max(pieces_[last - 1].place.end, speech_.inner.begin);
    if (last == first) {
      speech_.inner.end = speech_.inner.begin;
    } else if (pieces_[last - 1].kind == PieceKind::text) {
      std::size_t& end = pieces_[last - 1].place.end;
      while (end > pieces_[last - 1].place.begin &&
             (content_[end - 1] == ' ' || content_[end - 1] == '\t'))
        --end;
      speech_.inner.end = end;
    }
    return last;
  }
  bool ends_outer(std::size_t i, std::size_t first) const {
    return pieces_[i].kind == PieceKind::close &&
           (!pieces_[i].is_pair || pieces_[i].partner < first);
  }

  std::string said(std::string_view raw) const {
    return format_ == SubtitleFormat::vtt ? unescaped_html(raw) : std::string(raw);
  }

  // Behind the spaces and tabs at `at`.
  static std::size_t spaces_at(std::string_view text, std::size_t at) {
    return std::min(text.find_first_not_of(" \t", at), text.size());
  }

  // "- " or "-A": a dash that begins a speech, not a number or a pause.
  static std::size_t length_of_dash(std::string_view text) {
    for (const std::string_view dash : {"-", "–", "—", "‐", "−"}) {
      if (!text.starts_with(dash)) continue;
      std::size_t at = dash.size();
      if (at == text.size()) return 0;
      const char32_t next = next_code_point(text, at);
      const bool begins = next == U' ' || unicode::is_letter(next) || next == U'¿' ||
                          next == U'¡' || next == U'"' || next == U'[' || next == U'(';
      return begins ? dash.size() : 0;
    }
    return 0;
  }

  std::string_view content_;
  SubtitleFormat format_;
  std::vector<CuePiece> pieces_;
  Speech speech_;
};

}  // namespace

std::vector<Speech> speeches_of(std::string_view content, TextSpan cue, SubtitleFormat format) {
  std::vector<Speech> speeches;
  std::size_t begin = cue.begin, end = cue.begin;
  for (const TextSpan line : lines_of(cue.of(content))) {
    const TextSpan place{cue.begin + line.begin, cue.begin + line.end};
    if (end > begin && SpeechReader(content, place, format).read().has_dash) {
      speeches.push_back(SpeechReader(content, {begin, end}, format).read());
      begin = place.begin;
    }
    end = place.end;
  }
  speeches.push_back(SpeechReader(content, {begin, end}, format).read());
  return speeches;
}

}  // namespace attend
