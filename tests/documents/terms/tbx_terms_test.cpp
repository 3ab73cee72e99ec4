#include "attend/documents/terms/tbx_terms.h"

#include <gtest/gtest.h>

#include "attend/error.h"

namespace attend {
namespace {

using Lines = std::vector<std::string>;

std::string tbx_of_version_2(const std::string& entries) {
  return "<?xml version='1.0' encoding='UTF-8'?>\n<!DOCTYPE martif SYSTEM \"TBXBasiccoreStructV02."
         "dtd\">\n<martif type=\"TBX-Basic\" xml:lang=\"en\"><martifHeader><p>en</p></martifHeader>"
         "<text><body>" +
         entries + "</body></text></martif>";
}

std::string language_set(const std::string& language, const std::string& content) {
  return "<langSet xml:lang=\"" + language + "\">" + content + "</langSet>";
}
std::string tig(const std::string& term, const std::string& more = "") {
  return "<tig><term>" + term + "</term>" + more + "</tig>";
}
std::string term_status(const std::string& text) {
  return "<termNote type=\"administrativeStatus\">" + text + "</termNote>";
}

TEST(TbxTerms, OfVersion2AreRead) {
  const std::string file = tbx_of_version_2(
      "<termEntry id=\"1\"><descrip type=\"definition\">a pet</descrip>" +
      language_set("en-US", tig("dog", term_status("preferredTerm-admn-sts")) + tig("hound")) +
      language_set("fr", tig("chien")) + language_set("de", tig(" Haus\n &amp;  <hi>Hof</hi> ")) +
      "</termEntry>" + "<termEntry>" + language_set("en", tig("cat")) + "</termEntry><termEntry>" +
      language_set("en",
                   "<ntig><termGrp><term>fish</term><termNote type=\"partOfSpeech\">noun</termNote>"
                   "</termGrp></ntig>") +
      language_set("de", tig("Fisch")) + "</termEntry>");
  EXPECT_EQ(tbx_terms("a.tbx", file, "en", "de"), (Lines{"dog|hound\tHaus & Hof", "fish\tFisch"}));
  EXPECT_EQ(tbx_terms("a.tbx", file, "deu_Latn", "EN-us"),
            (Lines{"Haus & Hof\tdog|hound", "Fisch\tfish"}));
}

TEST(TbxTerms, OfVersion3AreRead) {
  const std::string file =
      "<tbx style=\"dca\" type=\"TBX-Core\" xml:lang=\"en\" xmlns=\"urn:iso:std:iso:30042:ed-2\">"
      "<tbxHeader/><text><body><conceptEntry id=\"c1\"><langSec xml:lang=\"en\"><termSec>"
      "<term>dog</term><min:administrativeStatus>preferredTerm-admn-sts</min:administrativeStatus>"
      "</termSec></langSec><langSec xml:lang=\"de\"><termSec><term>Hund</term></termSec><termSec>"
      "<term>Köter</term><min:administrativeStatus>deprecatedTerm-admn-sts"
      "</min:administrativeStatus></termSec></langSec></conceptEntry></body></text></tbx>";
  EXPECT_EQ(tbx_terms("a.tbx", file, "en", "de"), Lines{"dog\tHund"});
}

TEST(TbxTerms, ThatAreDeprecatedAreLeftOut) {
  const auto terms = [](const std::string& german) {
    return tbx_terms("a.tbx",
                     tbx_of_version_2("<termEntry>" + language_set("en", tig("dog")) +
                                      language_set("de", german) + "</termEntry><termEntry>" +
                                      language_set("en", tig("a")) + language_set("de", tig("b")) +
                                      "</termEntry>"),
                     "en", "de");
  };
  EXPECT_EQ(terms(tig("Hund") + tig("Wauwau", term_status("supersededTerm-admn-sts"))),
            (Lines{"dog\tHund", "a\tb"}));
  EXPECT_EQ(terms(tig("Köter", term_status(" deprecatedTerm-admn-sts "))), Lines{"a\tb"});
  EXPECT_EQ(terms(tig("Köter",
                      "<termNote type=\"normativeAuthorization\">deprecatedTerm"
                      "</termNote>")),
            Lines{"a\tb"});
}

TEST(TbxTerms, OfOtherFilesAndLanguagesAreRefused) {
  const auto message = [](const std::string& file) {
    try {
      tbx_terms("a.tbx", file, "en", "it");
      return std::string();
    } catch (const DataError& error) {
      return std::string(error.what());
    }
  };
  const std::string pair = "<termEntry>" + language_set("en", tig("dog")) +
                           language_set("de", tig("Hund")) + "</termEntry>";
  EXPECT_NE(message(tbx_of_version_2(pair)).find("'de'"), std::string::npos)
      << message(tbx_of_version_2(pair));
  EXPECT_NE(message(tbx_of_version_2("")).find("none"), std::string::npos);
  EXPECT_NE(message("<html></html>").find("html"), std::string::npos);
  EXPECT_NE(
      message(tbx_of_version_2("<termEntry>" + language_set("en", tig("a|b")) + "</termEntry>"))
          .find("a|b"),
      std::string::npos);
  for (const std::string& broken :
       {std::string(), std::string("dog\tHund"), tbx_of_version_2("<termEntry>"),
        tbx_of_version_2("\xff"),
        std::string("<?xml version='1.0' encoding='latin1'?><martif></martif>")})
    EXPECT_NE(message(broken), "") << broken;
}

}  // namespace
}  // namespace attend
