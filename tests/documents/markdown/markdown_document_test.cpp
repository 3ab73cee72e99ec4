#include "attend/documents/markdown/markdown_document.h"

#include <gtest/gtest.h>

#include "documents/in_capitals.h"
#include "documents/strings_of.h"

namespace attend {
namespace {

std::string markdown_in_capitals(const std::string& text) { return file_in_capitals("a.md", text); }

// The document with one translation for all of its texts, aligned word by word.
std::string markdown_as(const std::string& text, const std::string& translated) {
  const MarkdownDocument document(text);
  std::vector<TranslatedText> texts;
  for (const std::string& one : strings_of(document.texts())) {
    TranslatedText& own = texts.emplace_back();
    own.text = one;
    own.sentences = {{0, one.size()}};
    TranslationCandidate candidate;
    candidate.text = translated;
    for (int i = 0; i < 9; ++i) candidate.alignment.emplace_back(i, i);
    own.translations.push_back({{candidate}, {}});
  }
  return document.translation(texts, 0);
}

TEST(Markdown, KeepsEverythingButItsTexts) {
  EXPECT_EQ(markdown_in_capitals("---\ntitle: a\n---\n# a *title* #\n\nan [*old* dog](/dog \"d\") "
                                 "`code` <b>x</b>\n\n```\ncode\n```\n\n> - [ ] one\n>   1. two\n"),
            "---\ntitle: a\n---\n# A *TITLE* #\n\nAN [*OLD* DOG](/dog \"d\") `code` <b>X</b>\n\n"
            "```\ncode\n```\n\n> - [ ] ONE\n>   1. TWO\n");
  EXPECT_EQ(
      markdown_in_capitals("| a | `b` |\n|---|:-:|\n| c\\|d | ![e](f) |\n\ng[^1]\n\n[^1]: h\n"),
      "| A | `b` |\n|---|:-:|\n| C\\|D | ![E](f) |\n\nG[^1]\n\n[^1]: H\n");
}

TEST(Markdown, JoinsLinesUnlessReadersSeeTheirBreaks) {
  EXPECT_EQ(markdown_in_capitals("> a\n> b  \n> c\\\nd\n"), "> A B  \n> C\\\nD\n");
  EXPECT_EQ(markdown_in_capitals("a\r\nb  \r\nc\r\n"), "A B  \r\nC\r\n");
  EXPECT_EQ(markdown_in_capitals("a *b\\\nc* d"), "A *B\\\nC* D");
}

TEST(Markdown, KeepsTheLabelOfAReference) {
  EXPECT_EQ(markdown_in_capitals("[dog] and [cat][Dog]\n\n[dog]: /dog 'a dog'\n"),
            "[DOG][dog] AND [CAT][Dog]\n\n[dog]: /dog 'a dog'\n");
}

TEST(Markdown, ATranslationIsTextAndNoMarkup) {
  EXPECT_EQ(markdown_as("dog", "# *dog*"), "\\# \\*dog\\*");
  EXPECT_EQ(markdown_as("dog", "1. <b>"), "1\\. \\<b>");
  EXPECT_EQ(markdown_as("a  \ndog", "- a"), "\\- a  \n\\- a");
  EXPECT_EQ(markdown_as("| a |\n|---|\n", "a | b"), "| a \\| b |\n|---|\n");
  EXPECT_EQ(markdown_as("dog", "a\nb"), "a b");
  EXPECT_EQ(markdown_as("dog", "see ![x](y)"), "see !\\[x\\](y)");
}

TEST(Markdown, EmphasisThatCannotBeWrittenIsHtml) {
  EXPECT_EQ(markdown_as("a *dog*b", "a (dog)b"), "a <em>\\(dog\\)</em>b");
  EXPECT_EQ(markdown_as("*a*b", ".. b"), "*..* b");
}

TEST(Markdown, WhatCannotBeWrittenStays) {
  EXPECT_EQ(markdown_as("a <!-- b --> c", ""), "a <!-- b --> c");
  EXPECT_EQ(markdown_as("a\1b", "c"), "a\1b");
  EXPECT_EQ(markdown_as("`a`\n\n***\n", "c"), "`a`\n\n***\n");
}

}  // namespace
}  // namespace attend
