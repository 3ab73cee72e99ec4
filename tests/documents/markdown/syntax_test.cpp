#include "attend/documents/markdown/syntax.h"

#include <gtest/gtest.h>

namespace attend::markdown {
namespace {

// The part of the text that the function finds at its beginning; "-" if it finds none.
template <class Find>
std::string found(Find find, const std::string& text) {
  const std::size_t end = find(text, 0);
  return end == npos ? "-" : text.substr(0, end);
}

TEST(MarkdownSyntax, DestinationsHaveNoSpacesOrBrackets) {
  EXPECT_EQ(found(end_of_destination, "a(b)c) x"), "a(b)c");
  EXPECT_EQ(found(end_of_destination, "a\\) x"), "a\\)");
  EXPECT_EQ(found(end_of_destination, "<a b>c"), "<a b>");
  EXPECT_EQ(found(end_of_destination, "<a\nb>"), "-");
  EXPECT_EQ(found(end_of_destination, "(a"), "-");
  EXPECT_EQ(found(end_of_destination, std::string(40, '(') + std::string(40, ')')), "-");
}

TEST(MarkdownSyntax, LinksHaveATargetAndATitle) {
  EXPECT_EQ(found(end_of_link_target, "(a \"t\") x"), "(a \"t\")");
  EXPECT_EQ(found(end_of_link_target, "()"), "()");
  EXPECT_EQ(found(end_of_link_target, "(a b)"), "-");
  EXPECT_EQ(found(end_of_title, "(a\\)b)"), "(a\\)b)");
  EXPECT_EQ(found(end_of_title, "'a"), "-");
}

TEST(MarkdownSyntax, DefinitionsEndWithTheirLine) {
  EXPECT_EQ(found(end_of_definition, "[a]: b 'c'\nd"), "[a]: b 'c'\n");
  EXPECT_EQ(found(end_of_definition, "[a]: b\n'c' d"), "[a]: b\n");
  EXPECT_EQ(found(end_of_definition, "[a]: b c"), "-");
  EXPECT_EQ(found(end_of_definition, "[a]: "), "-");
  EXPECT_EQ(found(end_of_definition, "[ ]: a"), "-");
}

TEST(MarkdownSyntax, LabelsAreEqualInAnyCase) {
  EXPECT_EQ(normalized_label("[ A\n b]"), normalized_label("[a B]"));
  EXPECT_EQ(normalized_label("[ẞ]"), normalized_label("[SS]"));
  EXPECT_EQ(found(end_of_label, "[a\\]b]c"), "[a\\]b]");
  EXPECT_EQ(found(end_of_label, "[a[b]]"), "-");
  EXPECT_EQ(found(end_of_label, "[" + std::string(1000, 'a') + "]"), "-");
}

TEST(MarkdownSyntax, CharactersHaveNamesAndNumbers) {
  for (const char* entity : {"&amp;", "&ouml;", "&#35;", "&#x1F600;", "&semi;"})
    EXPECT_EQ(found(end_of_entity, entity), entity);
  for (const char* none : {"&amp", "&x;", "&copyx;", "&#;", "&#12345678;", "&"})
    EXPECT_EQ(found(end_of_entity, none), "-") << none;
}

TEST(MarkdownSyntax, AddressesAreFoundInBracketsAndInText) {
  EXPECT_EQ(found(end_of_autolink, "<a+b:c>d"), "<a+b:c>");
  EXPECT_EQ(found(end_of_autolink, "<a@b.c>"), "<a@b.c>");
  for (const char* none : {"<a:b c>", "<a:", "<a>", "<@a>", "<1a:b>"})
    EXPECT_EQ(found(end_of_autolink, none), "-") << none;
  EXPECT_EQ(found(end_of_bare_address, "https://a.b/c_(d). e"), "https://a.b/c_(d)");
  EXPECT_EQ(found(end_of_bare_address, "www.a.b) e"), "www.a.b");
  EXPECT_EQ(found(end_of_bare_address, "http:// a"), "-");
}

TEST(MarkdownSyntax, TagsAreThoseOfCommonMark) {
  Missing missing;
  const auto html = [&](std::string_view text, std::size_t at) {
    return end_of_html(text, at, missing);
  };
  for (const char* tag : {"<a b=\"c>\" d='e' f=g h/>", "</a >", "<!-- a -- b -->", "<!-->", "<?a?>",
                          "<!A b>", "<![CDATA[a]]>"})
    EXPECT_EQ(found(html, tag), tag);
  for (const char* none : {"<a b=c\"d>", "<1>", "< a>", "</a b>", "<a", "<a b='c'd>"})
    EXPECT_EQ(found(html, none), "-") << none;
  EXPECT_EQ(found(html, "<!-- a"), "-");
  EXPECT_TRUE(missing.comment);
}

}  // namespace
}  // namespace attend::markdown
