#include "attend/tasks/translation/document_translation.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "attend/error.h"
#include "checkpoint/test_folder.h"
#include "tasks/translation/small_translator.h"

namespace attend {
namespace {

std::string of_text(const std::string& text, const TranslationOptions& options = beam_of(2)) {
  return translate_document(translator(), plain_text(text), options).documents.front();
}

std::string of_sentence(const std::string& sentence,
                        const TranslationOptions& options = beam_of(2)) {
  return translator().translate(std::vector{sentence}, options).front().text();
}

using DocumentFiles = FolderTest;

TEST(DocumentTranslation, KeepsWhiteSpaceAroundSentences) {
  EXPECT_EQ(of_text("  the dog sees.\r\n\n\ta cat eats\n"),
            "  " + of_sentence("the dog sees.") + "\r\n\n\t" + of_sentence("a cat eats") + "\n");
  EXPECT_EQ(of_text(""), "");
  EXPECT_EQ(of_text(" \n"), " \n");
}

TEST(DocumentTranslation, KeepsTagsOfHtmlWithTheirWords) {
  const std::string page =
      translate_document(translator(), html_page("<p>the <b>dog</b></p><!-- x -->"), beam_of(2))
          .documents.front();
  for (const char* tag : {"<p>", "<b>", "</b>", "</p>", "<!-- x -->"})
    EXPECT_NE(page.find(tag), page.npos) << page;
}

TEST(DocumentTranslation, CutsSentencesThatTheModelCannotRead) {
  TranslationOptions options = beam_of(2);
  options.max_source_tokens = 4;
  const TranslatedDocuments translated =
      translate_document(translator(), plain_text("the dog, the cat, the fish"), options);
  EXPECT_EQ(translated.cut, 1);
  EXPECT_GT(translated.sentences, 1u);
}

TEST(DocumentTranslation, RefusesOptionsOfLines) {
  EXPECT_THROW(of_text("the dog", beam_of(3, 2)), ConfigError);
  TranslationOptions options = beam_of(2);
  options.alignment = true;
  EXPECT_THROW(of_text("the dog", options), ConfigError);
  options.alignment = false;
  options.prefixes = {"a", "b"};
  EXPECT_THROW(of_text("the dog", options), ConfigError);
}

TEST(DocumentTranslation, HasOnePrefixForAllSentences) {
  TranslationOptions options = beam_of(2);
  options.prefixes = {"der"};
  EXPECT_EQ(of_text("the dog\na cat", options),
            of_sentence("the dog", options) + "\n" + of_sentence("a cat", options));
}

TEST_F(DocumentFiles, AreWrittenInTheirFormat) {
  write(path("in.html"), "<p>the dog");
  const TranslatedDocuments translated =
      translate_file(translator(), path("in.html"), path("out.htm"), beam_of(2));
  EXPECT_EQ(read(path("out.htm")), "<p>" + of_sentence("the dog"));
  EXPECT_EQ(translated.sentences, 1u);
}

TEST_F(DocumentFiles, NameTheLanguageOfTheTranslation) {
  write(path("in.po"), "msgid \"\"\nmsgstr \"Language: \\n\"\n");
  TranslationOptions options = beam_of(2);
  options.preparation.tgt_language = "de";
  translate_file(translator(), path("in.po"), path("out.po"), options);
  EXPECT_EQ(read(path("out.po")), "msgid \"\"\nmsgstr \"Language: de\\n\"\n");
}

TEST_F(DocumentFiles, MayBeTranslatedInSomeColumns) {
  write(path("in.csv"), "a,b\nthe dog,the dog\n");
  translate_file(translator(), path("in.csv"), path("out.csv"), beam_of(2), {"b"});
  EXPECT_EQ(read(path("out.csv")), "a,b\nthe dog," + of_sentence("the dog") + "\n");
  write(path("in.txt"), "the dog");
  EXPECT_THROW(translate_file(translator(), path("in.txt"), path("out.txt"), beam_of(2), {"b"}),
               ConfigError);
}

TEST_F(DocumentFiles, OfOtherFormatsAreRefusedAndNothingIsWritten) {
  write(path("in.txt"), "the dog");
  write(path("in.doc"), "the dog");
  write(path("in.docx"), "the dog");
  write(path("latin1.txt"), "caf\xe9");
  const auto translate = [&](const char* in, const char* out) {
    translate_file(translator(), path(in), path(out), beam_of(2));
  };
  EXPECT_THROW(translate("in.doc", "out.doc"), DataError);
  EXPECT_THROW(translate("in.docx", "out.docx"), DataError);
  EXPECT_THROW(translate("latin1.txt", "out.txt"), DataError);
  EXPECT_THROW(translate("in.txt", "out.html"), ConfigError);
  EXPECT_THROW(translate("none.txt", "out.txt"), IoError);
  EXPECT_THROW(translate("in.txt", "none/out.txt"), IoError);
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    EXPECT_FALSE(entry.path().filename().string().starts_with("out")) << entry.path();
}

}  // namespace
}  // namespace attend
