#include "attend/text/protection/span_patterns.h"

#include <gtest/gtest.h>

#include "attend/error.h"

namespace attend {
namespace {

using Texts = std::vector<std::string>;
using Kind = ProtectedSpan::Kind;

SpanPatterns common() { return SpanPatterns(Texts{"common"}); }

Texts found(const std::string& text, const SpanPatterns& patterns = common()) {
  Texts all;
  for (const ProtectedSpan& span : patterns.find(text))
    all.push_back(text.substr(span.begin, span.end - span.begin));
  return all;
}

TEST(SpanPatterns, FindPlaceholdersOfEveryLanguage) {
  for (const char* one : {"{{x}}",     "{{ user.name }}",
                          "{0}",       "{name}",
                          "{}",        "{0:.2f}",
                          "${HOME}",   "#{x}",
                          "%{count}",  "{% if x %}",
                          "<%= x %>",  "$HOME",
                          "%s",        "%d",
                          "%1$s",      "%-5.2f",
                          "%(name)d",  "%(name)s",
                          "%lld",      "%@",
                          "%1",        "%L1",
                          "%%",        "%zu",
                          "%*d",       "%Y",
                          "&amp;",     "&#39;",
                          "&#x1F600;", "`a b`",
                          "``a ` b``"})
    EXPECT_EQ(found("The " + std::string(one) + " is here"), Texts{one});
}

TEST(SpanPatterns, FindAddressesWithoutThePunctuationAround) {
  EXPECT_EQ(found("See https://a.org/b?c=d&e=%20f. Or (www.b.com), \"ftp://c\"!"),
            (Texts{"https://a.org/b?c=d&e=%20f", "www.b.com", "ftp://c"}));
  EXPECT_EQ(found("Write to a.b+c@d-e.co.uk."), Texts{"a.b+c@d-e.co.uk"});
}

TEST(SpanPatterns, LeaveProseAlone) {
  for (const char* prose :
       {"50% of it, 100 % more", "10%ige, 10 %ige Lösung", "It costs $5, or US$ 7", "a < b > c & d",
        "He said: no. e.g. this", "a@b and @c", "{ not this }", "5%", "Tom & Jerry; both"})
    EXPECT_EQ(found(prose), Texts{}) << prose;
}

TEST(SpanPatterns, KnowNumbersAndTags) {
  const auto kind = [](const std::string& text) { return common().find(text).front().kind; };
  EXPECT_EQ(kind("%d files"), Kind::number);
  EXPECT_EQ(kind("%s files"), Kind::text);
  EXPECT_EQ(kind("%(n)d files"), Kind::number);
  EXPECT_EQ(kind("{n} files"), Kind::text);
  EXPECT_EQ(kind("<b>x"), Kind::tag);
  EXPECT_EQ(kind("<x id=\"1\"/>"), Kind::tag);
}

TEST(SpanPatterns, JoinWhatTouches) {
  EXPECT_EQ(found("%d/%d of %s:%s"), (Texts{"%d/%d", "%s:%s"}));
  EXPECT_EQ(found("%dx%d px, foo_%s"), (Texts{"%dx%d", "foo_%s"}));
  EXPECT_EQ(found("%s: %s"), (Texts{"%s", "%s"}));
  EXPECT_EQ(found("{name}さん"), Texts{"{name}"}) << "a script without spaces";
}

TEST(SpanPatterns, KeepTagsApart) {
  EXPECT_EQ(found("<b>bold</b><i>{x}</i>"), (Texts{"<b>", "</b>", "<i>", "{x}", "</i>"}));
  EXPECT_EQ(found("<a href=\"http://x.org/{y}\">z</a>"),
            (Texts{"<a href=\"http://x.org/{y}\">", "</a>"}));
}

TEST(SpanPatterns, MayBeTheUsers) {
  EXPECT_EQ(found("Order AB-123 by {x}", SpanPatterns(Texts{"[A-Z]{2}-\\d+"})), Texts{"AB-123"});
  EXPECT_EQ(found("Order AB-123 by {x}", SpanPatterns(Texts{"[A-Z]{2}-\\d+", "common"})),
            (Texts{"AB-123", "{x}"}));
  EXPECT_EQ(found("a b", SpanPatterns(Texts{"\\s*"})), Texts{}) << "blanks and nothing";
  EXPECT_TRUE(SpanPatterns(Texts{"none"}).empty());
  EXPECT_TRUE(SpanPatterns(Texts{}).empty());
}

TEST(SpanPatterns, RefuseWhatIsNoPattern) {
  EXPECT_THROW(SpanPatterns(Texts{"("}), ConfigError);
  EXPECT_THROW(SpanPatterns(Texts{"common", "none"}), ConfigError);
}

TEST(SpanPatterns, FindNothingInWhatIsNotUtf8) {
  const SpanPatterns patterns(std::vector<std::string>{"common", ".+"});
  EXPECT_FALSE(patterns.find("a {x} b").empty());
  for (const char* const text :
       {"\xff", "{x} \xe2\x82", "\x80{x}", "http://\xc0\xaf", "%s\xed\xa0\x80"})
    EXPECT_TRUE(patterns.find(text).empty()) << text;
}

TEST(SpanPatterns, TakeTimeInProportionToTheText) {
  std::string text;
  for (int i = 0; i < 200000; ++i) text += "{<%`$a";
  EXPECT_NO_THROW(common().find(text));
  const std::string word(1 << 20, 'x');
  EXPECT_EQ(SpanPatterns(Texts{"[a-z]"}).find(word).size(), 1u);
}

}  // namespace
}  // namespace attend
