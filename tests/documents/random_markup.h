// Random marked texts, translations of them, and whether marks are kept.
#pragma once

#include <random>
#include <set>
#include <string>
#include <vector>

#include "attend/core/strings/utf8.h"
#include "attend/documents/marks/marked_text.h"

namespace attend {

class RandomMarkup {
 public:
  explicit RandomMarkup(std::uint64_t seed) : random_(seed) {}

  int up_to(int most) { return std::uniform_int_distribution<int>(0, most)(random_); }

  // Words of several scripts, some with punctuation, with elements around and within them. Tags
  // have numbers: "<3>" ... "</3>".
  MarkedText marked_text() {
    source_ = {};
    add_content(-1, 0);
    return std::move(source_);
  }

  // Runs one after another, of a few characters each, and points between them.
  MarkedText runs() {
    source_ = {.text = random_word(), .text_in_marks = true};
    for (int words = up_to(12); words > 0; --words) source_.text += " " + random_word();
    const std::string_view text = source_.text;
    for (std::size_t begin = 0; begin < text.size();) {
      std::size_t end = begin;
      for (int characters = up_to(6); end < text.size() && characters >= 0; --characters)
        next_code_point(text, end);
      add_mark(begin, end);
      if (up_to(3) == 0) add_mark(end, end);
      begin = end;
    }
    return std::move(source_);
  }

  // A translation of each sentence: any words, aligned in any way, or not at all.
  TranslatedText translation(const std::string& text) {
    TranslatedText translated{text, find_sentences(text, "en"), {}};
    for (std::size_t i = 0; i < translated.sentences.size(); ++i) {
      TranslationCandidate candidate;
      const int words = up_to(8);
      for (int word = 0; word < words; ++word) {
        candidate.text += (word > 0 ? " " : "") + random_word();
        if (up_to(4) > 0) candidate.alignment.emplace_back(up_to(9), word);
      }
      translated.translations.push_back({{candidate}, {}});
    }
    return translated;
  }

 private:
  std::string random_word() {
    static const std::vector<std::string> kWords{
        "a",    "dog",  "sleeps.", "(see",  "here)", "x2", "Größe", "e\xCC\x81t\xCC\x81",
        "сон,", "犬は", "…",       "2018!", "un-do", "…a…"};
    return kWords[static_cast<std::size_t>(up_to(static_cast<int>(kWords.size()) - 1))];
  }

  void add_mark(std::size_t begin, std::size_t end, int parent = -1) {
    const std::string name = std::to_string(source_.marks.size());
    source_.marks.push_back({begin, end, "<" + name + ">", "</" + name + ">", parent});
  }

  void add_content(int parent, int depth) {
    for (int parts = up_to(4); parts >= 0; --parts) {
      if (up_to(1) == 0 || depth == 4) {
        source_.text += random_word();
        if (up_to(2) > 0) source_.text += up_to(5) > 0 ? " " : "  ";
        continue;
      }
      const std::size_t number = source_.marks.size();
      add_mark(source_.text.size(), source_.text.size(), parent);
      if (up_to(2) > 0) add_content(static_cast<int>(number), depth + 1);
      source_.marks[number].end = source_.text.size();
    }
  }

  std::mt19937_64 random_;
  MarkedText source_;
};

// Empty if every mark stands once, within its parent, and the text is that of the translation but
// for spaces; else what is wrong.
inline std::string fault_of(const MarkedText& source, const std::string& text,
                            const std::string& out) {
  std::vector<int> open;
  std::set<int> seen;
  std::string plain;
  for (std::size_t at = 0; at < out.size();) {
    if (out[at] != '<') {
      if (source.text_in_marks && open.empty()) return "text outside of marks";
      if (out[at] != ' ') plain += out[at];
      ++at;
      continue;
    }
    const std::size_t end = out.find('>', at);
    const bool closes = out[at + 1] == '/';
    const int mark = std::stoi(out.substr(at + (closes ? 2 : 1)));
    if (closes) {
      if (open.empty() || open.back() != mark) return "badly nested";
      open.pop_back();
    } else {
      if (!seen.insert(mark).second) return "a mark twice";
      if (source.marks[static_cast<std::size_t>(mark)].parent != (open.empty() ? -1 : open.back()))
        return "a mark outside of its parent";
      open.push_back(mark);
    }
    at = end + 1;
  }
  if (!open.empty()) return "an open mark";
  if (seen.size() != source.marks.size()) return "a lost mark";
  std::string expected;
  for (const char c : text)
    if (c != ' ') expected += c;
  return plain == expected ? "" : "another text";
}

}  // namespace attend
