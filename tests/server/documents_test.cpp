// Files of word processors, made here and read back.
#include "attend/server/documents.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "attend/error.h"
#include "attend/server/downloads.h"
#include "attend/text/sentences.h"

namespace attend {
namespace {

using namespace std::chrono_literals;

// Small letters become capitals, word for word.
TranslatedTexts in_capitals(const std::vector<std::string>& texts) {
  TranslatedTexts all;
  for (const std::string& text : texts) {
    TranslatedText& one = all.texts.emplace_back();
    one.text = text;
    one.sentences = find_sentences(text, "en");
    for (const TextSpan span : one.sentences) {
      TranslationCandidate candidate;
      candidate.text = span.of(text);
      int words = 1;
      for (char& c : candidate.text) {
        if (c == ' ') ++words;
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
      }
      for (int i = 0; i < words; ++i) candidate.alignment.emplace_back(i, i);
      one.translations.push_back({{candidate}, {}});
    }
  }
  return all;
}

std::string capitals(const MarkupDocument& document) {
  std::vector<std::string> texts;
  for (const MarkedText& block : document.blocks()) texts.push_back(block.text);
  return document.translation(in_capitals(texts).texts, 0);
}

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i, value >>= 8) out += static_cast<char>(value & 0xff);
}

// An archive of stored entries without checksums. `claimed`: the size that the directory claims.
std::string zip(const std::vector<std::pair<std::string, std::string>>& files,
                std::optional<std::uint64_t> claimed = {}) {
  std::string out, directory;
  for (const auto& [name, content] : files) {
    std::string header;
    put(header, 20, 2);
    put(header, 0, 12);
    put(header, content.size(), 4);
    put(header, claimed.value_or(content.size()), 4);
    put(header, name.size(), 2);
    put(header, 0, 2);
    put(directory, 0x02014b50, 4);
    put(directory, 20, 2);
    directory += header;
    put(directory, 0, 10);
    put(directory, out.size(), 4);
    directory += name;
    put(out, 0x04034b50, 4);
    out += header + name + content;
  }
  const std::size_t begin = out.size();
  out += directory;
  put(out, 0x06054b50, 4);
  put(out, 0, 4);
  put(out, files.size(), 2);
  put(out, files.size(), 2);
  put(out, directory.size(), 4);
  put(out, begin, 4);
  put(out, 0, 2);
  return out;
}

std::string translated(const std::string& name, const std::string& content) {
  Documents documents;
  documents.push_back(uploaded_document({name, content}));
  return translations_of(documents, in_capitals(texts_of(documents)), 0).front();
}

constexpr const char* kWord =
    "<?xml version=\"1.0\"?><w:document><w:body><w:p><w:pPr><w:b/></w:pPr>"
    "<w:r><w:rPr><w:b/></w:rPr><w:t>a bold</w:t></w:r>"
    "<w:r><w:t xml:space=\"preserve\"> word &amp; </w:t></w:r><w:r><w:tab/></w:r>"
    "<w:hyperlink r:id=\"x\"><w:r><w:t>a link</w:t></w:r></w:hyperlink></w:p>"
    "<w:p><w:r><w:t>next</w:t></w:r></w:p></w:body></w:document>";

TEST(WordDocument, TextsStayInTheirRuns) {
  EXPECT_EQ(capitals(MarkupDocument::word(kWord)),
            "<?xml version=\"1.0\"?><w:document><w:body><w:p><w:pPr><w:b/></w:pPr>"
            "<w:r><w:rPr><w:b/></w:rPr><w:t xml:space=\"preserve\">A BOLD </w:t></w:r>"
            "<w:r><w:t xml:space=\"preserve\">WORD &amp; </w:t></w:r>"
            "<w:r><w:tab/></w:r><w:hyperlink r:id=\"x\">"
            "<w:r><w:t xml:space=\"preserve\">A LINK</w:t></w:r></w:hyperlink></w:p>"
            "<w:p><w:r><w:t xml:space=\"preserve\">NEXT</w:t></w:r></w:p></w:body></w:document>");
}

TEST(OpenDocument, SpansStayWithTheirWords) {
  EXPECT_EQ(capitals(MarkupDocument::open_document(
                "<office:text><text:h>a title</text:h><text:p>some "
                "<text:span text:style-name=\"T1\">bold words</text:span> here.<text:line-break/>"
                "</text:p></office:text>")),
            "<office:text><text:h>A TITLE</text:h><text:p>SOME "
            "<text:span text:style-name=\"T1\">BOLD WORDS</text:span> HERE.<text:line-break/>"
            "</text:p></office:text>");
}

TEST(OpenDocument, WritesNoEscapesThatXmlDoesNotKnow) {
  EXPECT_EQ(capitals(MarkupDocument::open_document("<text:p>at&amp;t; &amp;nbsp; &lt;b></text:p>")),
            "<text:p>AT&amp;T; &amp;NBSP; &lt;B&gt;</text:p>");
}

TEST(OfficeFile, KeepsEverythingButItsTexts) {
  const std::string image("\x89PNG\0\1", 6);
  const std::string file =
      translated("a.DOCX", zip({{"[Content_Types].xml", "<t>text</t>"},
                                {"word/media/i.png", image},
                                {"word/document.xml", kWord},
                                {"word/header1.xml", "<w:p><w:r><w:t>head</w:t></w:r></w:p>"}}));
  // Again, and nothing is left to change.
  EXPECT_EQ(translated("b.docx", file), file);
  EXPECT_NE(file.find(image), std::string::npos);
  EXPECT_NE(file.find("<t>text</t>"), std::string::npos);
  const OfficeFile read(file, ".docx");
  ASSERT_EQ(read.parts().size(), 2u);
  EXPECT_EQ(read.parts()[0].blocks()[0].text, "A BOLD WORD & A LINK");
  EXPECT_EQ(read.parts()[1].blocks()[0].text, "HEAD");
}

TEST(OfficeFile, RefusesWhatIsNone) {
  EXPECT_THROW(translated("a.docx", "text"), HttpError);
  EXPECT_THROW(translated("a.odt", ""), HttpError);
  EXPECT_THROW(translated("a.docx", zip({{"x", "y"}})), HttpError);
  EXPECT_THROW(translated("a.odt", zip({{"word/document.xml", kWord}})), HttpError);
  EXPECT_THROW(translated("a.odt", zip({{"content.xml", "<text:p>a</text:p>"}}, 1u << 30)),
               HttpError);
  std::string damaged = zip({{"content.xml", "<text:p>a</text:p>"}});
  damaged.resize(damaged.size() - 10);
  EXPECT_THROW(translated("a.odt", damaged), HttpError);
}

TEST(UploadedDocument, IsReadByItsName) {
  EXPECT_EQ(translated("a.txt", "one.\n\ntwo"), "ONE.\n\nTWO");
  EXPECT_EQ(translated("a.HTML", "<p>one</p>"), "<p>ONE</p>");
  EXPECT_THROW(translated("a.pdf", "x"), HttpError);
  EXPECT_THROW(translated("a", "x"), HttpError);
  EXPECT_THROW(translated("a.txt", "\xff"), HttpError);
}

TEST(Downloads, AreKeptForMinutes) {
  Downloads downloads;
  const auto now = std::chrono::system_clock::now();
  const std::string name = downloads.add("content", ".txt", now);
  EXPECT_TRUE(name.ends_with(".txt"));
  EXPECT_EQ(name.size(), 36u);
  ASSERT_TRUE(downloads.find(name, now + 9min));
  EXPECT_EQ(downloads.find(name, now)->content, "content");
  EXPECT_NE(downloads.add("", ".txt", now), name);
  EXPECT_FALSE(downloads.find("other", now));
  EXPECT_FALSE(downloads.find(name, now + 10min));
}

TEST(Downloads, MakeRoomByDroppingTheOldest) {
  Downloads downloads("", 10);
  const std::string first = downloads.add("12345", ""), second = downloads.add("12345", "");
  EXPECT_TRUE(downloads.find(first));
  const std::string third = downloads.add("1", "");
  EXPECT_FALSE(downloads.find(first));
  EXPECT_TRUE(downloads.find(second));
  EXPECT_TRUE(downloads.find(third));
  const std::string large = downloads.add("12345678901", "");
  EXPECT_TRUE(downloads.find(large)) << "the newest is always kept";
}

class DownloadFolder : public testing::Test {
 protected:
  DownloadFolder() { std::filesystem::remove_all(folder_); }
  ~DownloadFolder() override { std::filesystem::remove_all(folder_); }

  // Of all files there.
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("attend_downloads_" + std::to_string(getpid()));
};

TEST_F(DownloadFolder, IsSharedByServers) {
  Downloads one(folder_), other(folder_);
  const auto now = std::chrono::system_clock::now();
  const std::string name = one.add("content", ".docx", now);
  ASSERT_TRUE(other.find(name, now + 9min));
  EXPECT_EQ(other.find(name, now)->content, "content");
  EXPECT_FALSE(other.find(name, now + 11min));
  other.add("later", ".txt", now + 11min);
  EXPECT_EQ(files(), 1u) << "the old one is gone";
}

TEST_F(DownloadFolder, GivesOnlyItsOwnFiles) {
  Downloads downloads(folder_);
  std::ofstream(folder_ / "keys") << "secret";
  for (const char* name : {"keys", "../keys", "", ".", "..", "/etc/passwd",
                           "0123456789abcdef0123456789abcdef/../keys"})
    EXPECT_FALSE(downloads.find(name)) << name;
  downloads.add("", ".txt", std::chrono::system_clock::now() + 24h);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "keys"));
}

TEST_F(DownloadFolder, IsNoLargerThanItMayBe) {
  Downloads downloads(folder_, 10);
  const std::string first = downloads.add("12345", ".txt");
  for (int i = 0; i < 4; ++i) downloads.add("12345", ".txt");
  EXPECT_LE(files(), 3u) << "two, and the new one";
}

TEST_F(DownloadFolder, MustBeOneThatCanBeWritten) {
  EXPECT_THROW(Downloads("/proc/attend"), IoError);
}

}  // namespace
}  // namespace attend
