#include "attend/documents/messages/xliff_file.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "documents/in_capitals.h"
#include "documents/unchanged.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

std::string translated(const std::string& xliff, const std::string& target = "de") {
  Documents documents;
  documents.push_back(read_document("a.xlf", xliff, {.target = target}));
  return translations_of(documents, in_capitals(texts_of(documents)), 0).front();
}

// A file of version 1 with these units.
std::string version_1(const std::string& units) {
  return "<?xml version=\"1.0\"?>\n<xliff version=\"1.2\"><file source-language=\"en\" "
         "target-language=\"de\"><body>" +
         units + "</body></file></xliff>\n";
}
std::string version_2(const std::string& units) {
  return "<xliff version=\"2.0\" srcLang=\"en\" trgLang=\"de\"><file id=\"f\">" + units +
         "</file></xliff>";
}

const std::string kState = "state=\"needs-review-translation\" state-qualifier=\"mt-suggestion\"";

TEST(XliffFile, OfVersion1GetsTargetsBelowSources) {
  EXPECT_EQ(
      translated(version_1("\n <trans-unit id=\"1\">\n  <source>a &amp; <g id=\"1\">b</g></source>"
                           "\n  <note>n</note>\n </trans-unit>")),
      version_1("\n <trans-unit id=\"1\">\n  <source>a &amp; <g id=\"1\">b</g></source>"
                "\n  <target " +
                kState +
                ">A &amp; <g id=\"1\">B</g></target>"
                "\n  <note>n</note>\n </trans-unit>"));
}

TEST(XliffFile, FillsTargetsThatWait) {
  const auto unit = [](const std::string& target) {
    return version_1("<trans-unit id=\"1\"><source>a</source>" + target + "</trans-unit>");
  };
  const std::string filled = unit("<target " + kState + ">A</target>");
  for (const char* target :
       {"", "<target/>", "<target> \n</target>", "<target state=\"new\">a</target>",
        "<target state=\"needs-translation\">x</target>"})
    EXPECT_EQ(translated(unit(target)), filled) << target;
  EXPECT_EQ(translated(unit("<target xml:lang='de' />")),
            unit("<target xml:lang='de' " + kState + " >A</target>"));
  for (const char* target : {"<target>x</target>", "<target state=\"final\">x</target>",
                             "<target><x id=\"1\"/></target>"})
    EXPECT_EQ(translated(unit(target)), unit(target)) << target;
}

TEST(XliffFile, KeepsWhatIsNotToBeTranslated) {
  for (const std::string& units :
       {std::string("<trans-unit id=\"1\" translate=\"no\"><source>a</source></trans-unit>"),
        std::string(
            "<group translate=\"no\"><trans-unit id=\"1\"><source>a</source></trans-unit></group>"),
        std::string("<trans-unit id=\"1\"><source> </source></trans-unit>"),
        std::string("<trans-unit id=\"1\"><source/></trans-unit>"),
        std::string("<trans-unit id=\"1\"><source><x id=\"1\"/></source></trans-unit>"),
        std::string("<trans-unit id=\"1\" approved=\"yes\"><source>a</source>"
                    "<target state=\"new\">b</target></trans-unit>")})
    EXPECT_EQ(translated(version_1(units)), version_1(units));
  EXPECT_NE(translated(version_1("<group translate=\"no\"><trans-unit id=\"1\" translate=\"yes\">"
                                 "<source>a</source></trans-unit></group>"))
                .find(">A</target>"),
            std::string::npos);
}

TEST(XliffFile, TakesTheSourceInSegmentsAndNoOtherTranslations) {
  EXPECT_EQ(
      translated(version_1("<trans-unit id=\"1\"><source>a. B</source><seg-source><mrk mid=\"1\">a."
                           "</mrk> <mrk mid=\"2\">B</mrk></seg-source><alt-trans><source>c</source>"
                           "<target>d</target></alt-trans></trans-unit>")),
      version_1("<trans-unit id=\"1\"><source>a. B</source><seg-source><mrk mid=\"1\">a."
                "</mrk> <mrk mid=\"2\">B</mrk></seg-source><target " +
                kState +
                "><mrk mid=\"1\">A.</mrk> <mrk mid=\"2\">B</mrk></target><alt-trans>"
                "<source>c</source><target>d</target></alt-trans></trans-unit>"));
}

TEST(XliffFile, OfVersion2HasSegments) {
  EXPECT_EQ(
      translated(version_2("<unit id=\"u\"><segment state=\"initial\" subState=\"x:y\"><source>a "
                           "<pc id=\"1\">b</pc></source><target>x</target></segment><ignorable>"
                           "<source>c</source></ignorable><segment><source>d<ph id=\"2\"/></source>"
                           "</segment></unit>")),
      version_2("<unit id=\"u\"><segment state=\"translated\"><source>a "
                "<pc id=\"1\">b</pc></source><target>A <pc id=\"1\">B</pc></target></segment>"
                "<ignorable><source>c</source></ignorable><segment state=\"translated\"><source>"
                "d<ph id=\"2\"/></source><target>D<ph id=\"2\"/></target></segment></unit>"));
  for (const char* units :
       {"<unit id=\"u\" translate=\"no\"><segment><source>a</source></segment></unit>",
        "<unit id=\"u\"><segment><source>a</source><target>b</target></segment></unit>"})
    EXPECT_EQ(translated(version_2(units)), version_2(units));
}

TEST(XliffFile, MayHaveAPrefix) {
  const std::string begin =
                        "<X:xliff version=\"1.1\" xmlns:X=\"u\"><X:file target-language=\"de\">"
                        "<X:trans-unit id=\"1\"><X:source>a</X:source>",
                    end = "</X:trans-unit></X:file></X:xliff>";
  EXPECT_EQ(translated(begin + end),
            begin + "<X:target state=\"needs-review-translation\">A</X:target>" + end);
}

TEST(XliffFile, NamesItsLanguageIfItDidNot) {
  EXPECT_EQ(translated("<xliff version=\"1.2\"><file id=\"1\"></file></xliff>", "pt_BR"),
            "<xliff version=\"1.2\"><file id=\"1\" target-language=\"pt-BR\"></file></xliff>");
  EXPECT_EQ(translated("<xliff version=\"2.1\"><file></file></xliff>"),
            "<xliff version=\"2.1\" trgLang=\"de\"><file></file></xliff>");
  EXPECT_EQ(translated("<xliff version=\"2.1\"><file></file></xliff>", ""),
            "<xliff version=\"2.1\"><file></file></xliff>");
}

TEST(XliffFile, OfAnotherKindIsRefused) {
  expect_error<DataError>(
      [] { translated("<a version=\"1.2\"/>"); },
      {"'a.xlf': expected <xliff> of version 1 or 2, found '<a version=\"1.2\"/>'"});
  expect_error<DataError>([] { translated("<xliff version=\"3\"/>"); },
                          {"expected <xliff> of version"});
  expect_error<DataError>(
      [] { translated(version_1("<_a>x</_a>")); },
      {"'a.xlf': expected elements whose names begin with letters, found '<_a>x'"});
  expect_error<DataError>([] { translated("<_a/>"); }, {"names begin with letters"});
  expect_error<DataError>([] { translated("<xliff"); }, {"'a.xlf': byte", "not well-formed XML"});
}

TEST(XliffFile, WithManyUnitsTakesLinearTime) {
  std::string units;
  for (int i = 0; i < 50'000; ++i) units += "<trans-unit><source>a</source></trans-unit>";
  EXPECT_GT(unchanged("a.xlf", version_1(units)).size(), 50'000u * 100);
}

TEST(XliffFile, WithTagsInAnInstructionIsRefused) {
  EXPECT_THROW(read_document("a.xlf",
                             "<?xml versio><xliff version=\"1.2\"><file><x n=\"1.0\"?>"
                             "<xliff version=\"1.2\"><file></file></xliff>"),
               DataError);
}

TEST(XliffFile, WithNamesInCapitalsIsRefused) {
  EXPECT_THROW(read_document("a.xlf",
                             "<xliff version=\"1.2\"><file><body><trans-unit id=\"1\"><source>a"
                             "</source><targeT/></trans-unit></body></file></xliff>"),
               DataError);
}

}  // namespace
}  // namespace attend
