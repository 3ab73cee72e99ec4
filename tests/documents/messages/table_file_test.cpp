#include "attend/documents/messages/table_file.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "documents/in_capitals.h"
#include "documents/unchanged.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

std::string in_capitals_of(const std::string& name, const std::string& content,
                           std::vector<std::string> columns) {
  Documents documents;
  documents.push_back(read_document(name, content, {.columns = std::move(columns)}));
  return translations_of(documents, in_capitals(texts_of(documents)), 0).front();
}

TEST(TableFile, KeepsItsNamesAndCellsWithoutLetters) {
  EXPECT_EQ(file_in_capitals("a.csv", "\xEF\xBB\xBFid,text\r\n1,\"a \"\"b\"\", c\"\r\n\r\n2,d"),
            "\xEF\xBB\xBFid,text\r\n1,\"A \"\"B\"\", C\"\r\n\r\n2,D");
  EXPECT_EQ(file_in_capitals("a.tsv", "id\ttext\n1\t\"a\n"), "id\ttext\n1\t\"A\n");
}

TEST(TableFile, TranslatesTheChosenColumns) {
  const std::string table = "id;Text;note\nx;y;z\n";
  EXPECT_EQ(in_capitals_of("a.csv", table, {"text "}), "id;Text;note\nx;Y;z\n");
  EXPECT_EQ(in_capitals_of("a.csv", table, {"id", "3"}), "id;Text;note\nX;y;Z\n");
  EXPECT_EQ(in_capitals_of("a.csv", table, {"2"}), "id;TEXT;note\nx;Y;z\n")
      << "by number, all records are texts";
  expect_error<ConfigError>(
      [&] { in_capitals_of("a.csv", table, {"title"}); },
      {"columns: expected names in the first line of 'a.csv' (id, Text, note), "
       "got 'title'"});
  for (const char* number : {"0", "4"})
    expect_error<ConfigError>([&] { in_capitals_of("a.csv", table, {number}); },
                              {"expected a number from 1 to 3"});
}

TEST(TableFile, RefusesRecordsWithMoreCellsThanNames) {
  expect_error<DataError>([] { in_capitals_of("a.csv", "a,b\n1,2\n1,2,3", {}); },
                          {"'a.csv':3: expected at most 2 cells, as in the first line, found 3"});
  EXPECT_EQ(in_capitals_of("a.csv", "a,b\nx\n", {}), "a,b\nX\n");
}

TEST(TableFile, QuotesCellsThatNeedItNow) {
  const auto translated = [](const std::string& name, const std::string& table,
                             const std::string& cell) {
    Documents documents;
    documents.push_back(read_document(name, table));
    TranslatedTexts all = in_capitals(texts_of(documents));
    all.texts.front().translations.front().candidates.front().text = cell;
    return translations_of(documents, all, 0).front();
  };
  EXPECT_EQ(translated("a.csv", "a;b\nx;y", "u;v"), "a;b\n\"u;v\";Y");
  EXPECT_EQ(translated("a.csv", "a;b\nx;y", "u,v"), "a;b\nu,v;Y");
  EXPECT_EQ(translated("a.csv", "a;b\nx;y", "\"u\""), "a;b\n\"\"\"u\"\"\";Y");
  EXPECT_EQ(translated("a.csv", "a;b\n\"x\";y", "u"), "a;b\n\"u\";Y");
  EXPECT_EQ(translated("a.tsv", "a\tb\nx\ty", "u\tv\nw"), "a\tb\nu v w\tY");
}

TEST(TableFile, IsTheSameIfItsTextsAre) {
  for (const char* table : {"a,b\n\"x\",y\n", "", "\n\n", "a\nb, c. D\n\n", "sep=|\na|b\nc|d"})
    EXPECT_EQ(unchanged("a.csv", table), table);
}

TEST(TableFile, WithManyCellsTakesLinearTime) {
  std::string rows = "a,b\n";
  for (int i = 0; i < 100'000; ++i) rows += "x,\"y\"\n";
  EXPECT_EQ(unchanged("a.csv", rows), rows);
  EXPECT_EQ(unchanged("a.csv", "a\n" + std::string(400'000, 'x')).size(), 400'002u);
}

}  // namespace
}  // namespace attend
