#include "attend/documents/messages/po_file.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "documents/in_capitals.h"
#include "documents/unchanged.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

std::string filled(const std::string& po, const std::string& target = "de") {
  Documents documents;
  documents.push_back(read_document("a.po", po, {.target = target}));
  return translations_of(documents, in_capitals(texts_of(documents)), 0).front();
}

TEST(PoFile, FillsWhatIsNotTranslated) {
  EXPECT_EQ(filled("# x\nmsgid \"one\\n\"\nmsgstr \"\"\n\n#: a.c:1\n#, c-format\nmsgctxt \"m\"\n"
                   "msgid \"two %s\"\nmsgstr \"\"\n"),
            "# x\n#, fuzzy\nmsgid \"one\\n\"\nmsgstr \"ONE\\n\"\n\n#: a.c:1\n#, fuzzy, c-format\n"
            "msgctxt \"m\"\nmsgid \"two %s\"\nmsgstr \"TWO %S\"\n");
  EXPECT_EQ(filled("msgid \"a\"\r\nmsgstr \"\"\r\n"),
            "#, fuzzy\r\nmsgid \"a\"\r\nmsgstr \"A\"\r\n");
  EXPECT_EQ(filled("#, fuzzy\nmsgid \"a\"\nmsgstr \"\"\n"), "#, fuzzy\nmsgid \"a\"\nmsgstr \"A\"\n")
      << "without a guess";
  EXPECT_EQ(filled("#| msgid \"b\"\nmsgid \"a\"\nmsgstr \"\""),
            "#, fuzzy\n#| msgid \"b\"\nmsgid \"a\"\nmsgstr \"A\"");
}

TEST(PoFile, KeepsWhatIsTranslatedFuzzyOrObsolete) {
  for (const char* po :
       {"msgid \"a\"\nmsgstr  \"x\" \"\"\n", "#, fuzzy\nmsgid \"a\"\nmsgstr \"x\"\n",
        "#~ msgid \"a\"\n#~ msgstr \"\"\n", "", "msgid \" \\n\"\nmsgstr \"\"\n",
        "msgid \"\"\nmsgstr \"Language: fr\\n\"\n"})
    EXPECT_EQ(filled(po), po);
}

TEST(PoFile, HasAllPluralFormsOfTheLanguage) {
  const std::string entry =
                        "msgid \"one\"\nmsgid_plural \"%d many\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n",
                    begin = "#, fuzzy\nmsgid \"one\"\nmsgid_plural \"%d many\"\n";
  EXPECT_EQ(filled(entry), begin + "msgstr[0] \"ONE\"\nmsgstr[1] \"%D MANY\"\n");
  EXPECT_EQ(filled(entry, "ja"), begin + "msgstr[0] \"%D MANY\"\n");
  EXPECT_EQ(filled(entry, "ru"),
            begin + "msgstr[0] \"%D MANY\"\nmsgstr[1] \"%D MANY\"\nmsgstr[2] \"%D MANY\"\n")
      << "the first form is also that of 21";
  EXPECT_EQ(filled("msgid \"%d one\"\nmsgid_plural \"%d many\"\nmsgstr[0] \"\"\n", "fr"),
            "#, fuzzy\nmsgid \"%d one\"\nmsgid_plural \"%d many\"\nmsgstr[0] \"%D ONE\"\n"
            "msgstr[1] \"%D MANY\"\n");
  EXPECT_EQ(filled(entry, ""), begin + "msgstr[0] \"ONE\"\nmsgstr[1] \"%D MANY\"\n");
}

TEST(PoFile, ItsHeaderDecidesAboutPluralForms) {
  const std::string header =
      "msgid \"\"\nmsgstr \"Plural-Forms: nplurals=3; plural=n==1 ? 1 : 0;\\n\"\n\n";
  EXPECT_EQ(
      filled(header + "msgid \"one\"\nmsgid_plural \"many\"\nmsgstr[0] \"\"\nmsgstr[1] \"x\"\n",
             ""),
      header +
          "#, fuzzy\nmsgid \"one\"\nmsgid_plural \"many\"\nmsgstr[0] \"MANY\"\n"
          "msgstr[1] \"x\"\nmsgstr[2] \"MANY\"\n");
}

TEST(PoFile, OfATemplateGetsAHeader) {
  EXPECT_EQ(filled("#, fuzzy\nmsgid \"\"\nmsgstr \"\"\n\"Language: \\n\"\n"
                   "\"Content-Type: text/plain; charset=CHARSET\\n\"\n"),
            "#, fuzzy\nmsgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n"
            "\"Content-Type: text/plain; charset=UTF-8\\n\"\n");
}

TEST(PoFile, InAnotherEncodingIsRefused) {
  expect_error<DataError>(
      [] { filled("msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=ISO-8859-1\\n\"\n"); },
      {"'a.po':2: expected charset=UTF-8, got 'charset=iso-8859-1'; msgconv -t UTF-8 converts it"});
  expect_error<DataError>([] { filled("#\n# \xff"); }, {"'a.po':2: expected UTF-8; msgconv"});
}

TEST(PoFile, WithLongLinesKeepsThem) {
  const std::string line(250, 'X'), text = line + " " + line;
  EXPECT_EQ(filled("msgid \"\"\n\"" + text + "\"\nmsgstr \"\"\n"),
            "#, fuzzy\nmsgid \"\"\n\"" + text + "\"\nmsgstr \"" + text + "\"\n");
}

TEST(PoFile, WithManyEntriesTakesLinearTime) {
  std::string po;
  for (int i = 0; i < 100'000; ++i) po += "msgid \"a\"\nmsgstr \"\"\n";
  EXPECT_EQ(unchanged("a.po", po).size(), 100'000u * 30);
}

}  // namespace
}  // namespace attend
