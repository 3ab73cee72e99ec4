#include "attend/data/public_sets/tmx.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "core/files.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class Tmx : public WithFiles {
 protected:
  std::vector<TranslationUnit> units(const std::string& content, std::size_t most = 100) {
    ArchiveReader archive(write("x.tmx", content));
    archive.next();
    std::vector<TranslationUnit> found;
    read_tmx(archive, [&](const TranslationUnit& unit) {
      found.push_back(unit);
      return found.size() < most;
    });
    return found;
  }
  std::string segment(const std::string& seg) {
    const auto found =
        units("<tmx><body><tu><tuv xml:lang=\"en\"><seg>" + seg + "</seg></tuv></tu></body></tmx>");
    return found.size() == 1 ? text_in(found[0], "en") : "not one unit";
  }
};

TEST_F(Tmx, ReadsUnitsOfSeveralLanguages) {
  const auto found = units(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n"
      "<!-- <tu> --><tmx version=\"1.4\"><header srclang=\"de\" segtype='sentence'/>\n<body>\n"
      "<tu tuid=\"1\"><prop type=\"x\">no text</prop><note>no text</note>\n"
      "  <tuv xml:lang=\"de-DE\"><prop>no</prop><seg>Hund</seg></tuv>\n"
      "  <tuv lang='EN'><seg>dog</seg></tuv>\n"
      "  <tuv xml:lang=\"en\"><seg>hound</seg></tuv>\n  <tuv xml:lang=\"fr\"><seg/></tuv>\n</tu>\n"
      "<tu><tuv xml:lang=\"en\"><seg>only</seg></tuv></tu></body></tmx>\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(text_in(found[0], "de"), "Hund");
  EXPECT_EQ(text_in(found[0], "en"), "dog") << "the first";
  EXPECT_EQ(text_in(found[0], "fr"), "");
  EXPECT_EQ(text_in(found[0], "de-de"), "Hund");
  EXPECT_EQ(text_in(found[0], "d"), "");
  EXPECT_EQ(text_in(found[1], "de"), "") << "of another unit";
}

TEST_F(Tmx, EndsEarly) { EXPECT_EQ(units("<tmx><tu></tu><tu></tu><tu></tu></tmx>", 2).size(), 2u); }

TEST_F(Tmx, ReadsNamespaces) {
  const auto found = units(
      "<t:tmx xmlns:t=\"http://www.lisa.org/tmx14\"><t:tu><t:tuv xml:lang=\"en\"><t:seg>dog"
      "</t:seg></t:tuv></t:tu></t:tmx>");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(text_in(found[0], "en"), "dog");
}

TEST_F(Tmx, DropsNativeCodes) {
  EXPECT_EQ(segment("a <bpt i=\"1\">&lt;b></bpt>bold<ept i=\"1\">&lt;/b></ept> word"),
            "a bold word");
  EXPECT_EQ(segment("x<ph>{0}<sub>deep</sub></ph>y<it pos=\"begin\">z</it><ut/>!"), "xy!");
  EXPECT_EQ(segment("a <hi type=\"b\">marked <ph/>word</hi>."), "a marked word.");
}

TEST_F(Tmx, ReadsEscapesAndCharacterData) {
  EXPECT_EQ(segment("a &amp; b &lt;c&gt; &quot;d&quot; &apos;e&apos; &#252;&#x20ac;"),
            "a & b <c> \"d\" 'e' ü€");
  EXPECT_EQ(segment("x<![CDATA[<b> &amp; ]]>y"), "x<b> &amp; y");
  EXPECT_EQ(segment("R&D &unknown; &"), "R&D &unknown; &");
  EXPECT_EQ(segment("a<!-- no -->b<?pi no?>c"), "abc");
}

TEST_F(Tmx, KnowsLanguages) {
  EXPECT_TRUE(is_language("en-US", "en"));
  EXPECT_TRUE(is_language("EN_gb", "en"));
  EXPECT_TRUE(is_language("en", "EN"));
  EXPECT_FALSE(is_language("eng", "en"));
  EXPECT_FALSE(is_language("en", "en-US"));
}

TEST_F(Tmx, RefusesOtherFiles) {
  expect_error<DataError>([&] { units("a,b\n"); }, {"x.tmx", "no element tmx"});
  expect_error<DataError>([&] { units("<tmx><tu><tuv lang=\"en\"><seg>x</seg"); },
                          {"x.tmx", "does not end"});
}

}  // namespace
}  // namespace attend
