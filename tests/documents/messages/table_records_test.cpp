#include "attend/documents/messages/table_records.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(const std::string& table, TableRecords::Kind kind = TableRecords::Kind::csv) {
  TableRecords records("a.csv", table, kind);
  Rows rows;
  for (std::vector<TableCell> cells; records.next(cells);) {
    rows.emplace_back();
    for (const TableCell& cell : cells) rows.back().push_back(cell.text);
  }
  return rows;
}

TEST(TableRecords, EndAtTheMostFrequentSeparatorOfTheFirst) {
  EXPECT_EQ(rows_of("a,b\n1;2,3\r\n\r\n,"), (Rows{{"a", "b"}, {"1;2", "3"}, {"", ""}}));
  EXPECT_EQ(rows_of("a;b;c,d\n1"), (Rows{{"a", "b", "c,d"}, {"1"}}));
  EXPECT_EQ(rows_of("\xEF\xBB\xBF\"a,,\"\tb\n"), (Rows{{"a,,", "b"}}));
  EXPECT_EQ(rows_of("\"a\"\";\";\"b\"\n"), (Rows{{"a\";", "b"}}));
  EXPECT_EQ(rows_of("5\" disk,b\nc;\"d"), (Rows{{"5\" disk", "b"}, {"c;\"d"}}));
  EXPECT_EQ(rows_of("text\na, b; c"), (Rows{{"text"}, {"a, b; c"}}));
  EXPECT_EQ(rows_of("sep=;\na,b,c;d"), (Rows{{"a,b,c", "d"}}));
}

TEST(TableRecords, HaveQuotesWithSeparatorsQuotesAndLineBreaksInThem) {
  EXPECT_EQ(rows_of("\"a \"\"b\"\", c\r\nd\",x\"y\n\"\",2"),
            (Rows{{"a \"b\", c\r\nd", "x\"y"}, {"", "2"}}));
  expect_error<DataError>([] { rows_of("a,b\n1,\"2\n3"); },
                          {"'a.csv':2: a quote that opens in this record is never closed"});
  expect_error<DataError>([] { rows_of("a,b\n\"1\"2,3"); },
                          {"'a.csv':2: expected the end of the cell after a closing quote"});
}

TEST(TableRecords, WithTabsHaveNoQuotes) {
  EXPECT_EQ(rows_of("\"a\tb,c;d\"", TableRecords::Kind::tsv), (Rows{{"\"a", "b,c;d\""}}));
}

}  // namespace
}  // namespace attend
