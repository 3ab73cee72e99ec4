#include "attend/data/table.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "core/files.h"
#include "core/gzip.h"
#include "core/zstd.h"

namespace attend {
namespace {

using Rows = std::vector<std::vector<std::string>>;

class Table : public WithFiles {
 protected:
  static std::vector<ColumnChoice> columns(const std::string& label = "",
                                           const std::string& text = "") {
    return {{"label-column", label, "label", 1}, {"text-column", text, "text", 2}};
  }
  Rows rows(const std::string& name, const std::string& content,
            const std::vector<ColumnChoice>& chosen = columns(),
            TableFormat format = TableFormat::by_name, bool header = false) {
    TableReader reader(write(name, content), format, header, chosen);
    Rows rows;
    for (std::vector<std::string> cells; reader.next(cells);) {
      rows.push_back(cells);
      places_.push_back(reader.where().substr(reader.where().rfind(':') + 1));
    }
    return rows;
  }
  template <class Exception = DataError>
  std::string refusal(const std::string& name, const std::string& content,
                      const std::vector<ColumnChoice>& chosen = columns()) {
    return message_of<Exception>([&] { rows(name, content, chosen); });
  }

  std::vector<std::string> places_;
};

const Rows kTwo{{"pos", "good film"}, {"neg", "bad, \"bad\" film"}};

TEST_F(Table, ReadsCsvWithQuotes) {
  EXPECT_EQ(rows("a.csv", "pos,good film\r\nneg,\"bad, \"\"bad\"\" film\"\r\n"), kTwo);
  EXPECT_EQ(
      rows("a.csv", "label,text\n\"pos\",good film,x\n\nneg,\"bad, \"\"bad\"\" film\",\"\"\n"),
      kTwo);
  EXPECT_EQ(rows("b.csv", "a,\nb,\"\"\nc,say \"so\"\n"),
            (Rows{{"a", ""}, {"b", ""}, {"c", "say \"so\""}}));
}

TEST_F(Table, ReadsCellsOfSeveralLines) {
  EXPECT_EQ(rows("a.csv", "pos,\"one\r\ntwo\n\nfour\"\nneg,five\n"),
            (Rows{{"pos", "one two  four"}, {"neg", "five"}}));
  EXPECT_EQ(places_, (std::vector<std::string>{"1", "5"})) << "where the record begins";
}

TEST_F(Table, ReadsJsonLines) {
  const std::string json =
      "{\"text\": \"good film\", \"more\": [1]}\n\n{\"label\": \"neg\", \"text\": \"bad, "
      "\\\"bad\\\" film\"}\n";
  EXPECT_EQ(rows("a.jsonl", "{\"label\": \"pos\", " + json.substr(1)), kTwo);
  EXPECT_EQ(rows("a.ndjson.gz", gzip("{\"label\": \"pos\", " + json.substr(1))), kTwo);
  EXPECT_EQ(rows("a.jsonl.zst", zstd("{\"label\": \"pos\", " + json.substr(1))), kTwo);
  EXPECT_EQ(
      rows("b.jsonl",
           "{\"stars\": 5, \"review\": \"a\\nb\\u00fc\"}\n{\"stars\": true, \"review\": \"\"}\n",
           columns("stars", "review")),
      (Rows{{"5", "a bü"}, {"true", ""}}));
}

TEST_F(Table, FindsColumnsByName) {
  const std::string csv =
      "id,text,stars,label\n1,good film,5,pos\n2,\"bad, \"\"bad\"\" film\",1,neg\n";
  EXPECT_EQ(rows("a.csv", csv), kTwo) << "by the default names";
  EXPECT_EQ(rows("a.csv", csv, columns("stars", "id")), (Rows{{"5", "1"}, {"1", "2"}}));
  EXPECT_EQ(rows("a.tsv", "a\tb\n1\t2\n", columns("b", "1")), (Rows{{"2", "1"}}))
      << "one by name, the other by number";
  EXPECT_EQ(rows("a.tsv", "text\tlabel\n1\t2\n"), (Rows{{"2", "1"}}));
  EXPECT_EQ(rows("a.tsv", "1\t2\nlabel\ttext\n"), (Rows{{"1", "2"}, {"label", "text"}}));
  EXPECT_EQ(rows("a.tsv", "x\ty\n1\t2\n", columns(), TableFormat::tsv, true), (Rows{{"1", "2"}}));
}

TEST_F(Table, QuotesNothingBetweenTabs) {
  EXPECT_EQ(rows("a.txt", "\"pos\tgood \"\"film\n"), (Rows{{"\"pos", "good \"\"film"}}));
  EXPECT_EQ(rows("a.csv", "a,b\tc,d\n", columns(), TableFormat::tsv), (Rows{{"a,b", "c,d"}}))
      << "the format asked for counts";
}

TEST_F(Table, SaysWhatIsNoCsv) {
  EXPECT_TRUE(contains(refusal("a.csv", "pos,\"good\" film\n"),
                       ":1: expected a comma after a closing quote, found ' film'"));
  EXPECT_TRUE(contains(refusal("a.csv", "pos,good\nneg,\"bad\nfilm\n"),
                       ":2: a quote that opens in this record is never closed"));
  EXPECT_TRUE(contains(refusal("a.csv", "pos,good\nneg\n"),
                       ":2: expected at least 2 columns separated by commas, found 1"));
}

TEST_F(Table, SaysWhatIsNoJson) {
  EXPECT_TRUE(contains(refusal("a.jsonl", "{\"label\": 1, \"text\": \"x\"}\npos\tgood\n"),
                       ":2: expected JSON, found 'pos"));
  EXPECT_TRUE(contains(refusal("a.jsonl", "[1]\n"),
                       ":1: expected an object with 'label' (label_column chooses another)"));
  EXPECT_TRUE(contains(refusal("a.jsonl", "{\"label\": 1, \"review\": \"x\"}\n"),
                       ":1: expected an object with 'text'"));
  EXPECT_TRUE(contains(refusal("a.jsonl", "{\"label\": 1, \"text\": null}\n"),
                       ":1: text: expected a string or a number, found null"));
  EXPECT_TRUE(contains(refusal("a.jsonl", "{\"label\": 1, \"text\": \"a\\u0000b\"}\n"),
                       ":1: text: expected text, found a NUL character"));
  EXPECT_TRUE(contains(refusal<ConfigError>("a.jsonl", "{}\n", columns("", "2")),
                       "text_column: expected the name of a member"));
}

TEST_F(Table, DoesNotTakeNamesOfColumnsForASample) {
  EXPECT_TRUE(contains(refusal("a.csv", "label,sentence\n1,good\n"),
                       ":1: the first line looks like names of columns (label, sentence); choose "
                       "the others by name (text_column)"));
  EXPECT_TRUE(contains(refusal("a.tsv", "sentence\tlabel\ngood\t1\n"), "(text_column)"));
  EXPECT_TRUE(
      contains(refusal("a.csv", "label,sentence\n1,good\n", columns("", "2")), "(text_column)"));
  EXPECT_EQ(rows("a.csv", "label,sentence\n1,good\n", columns("", "sentence")).size(), 1u);
  EXPECT_EQ(rows("a.csv", "label,sentence\n1,good\n", columns("1", "2")).size(), 2u);
  EXPECT_EQ(rows("a.csv", "label,sentence\n1,good\n", columns(), TableFormat::by_name, true).size(),
            1u);
}

TEST_F(Table, SaysWhichColumnThereIsNot) {
  EXPECT_TRUE(contains(
      refusal("a.csv", "id,stars\n1,2\n", columns("stars", "review")),
      ":1: expected a column called 'review' (text_column) in the first line, found id, stars"));
  EXPECT_TRUE(contains(refusal<ConfigError>("a.csv", "a,b\n", columns("0")),
                       "label_column: expected the name of a column or its number"));
  EXPECT_TRUE(contains(refusal<ConfigError>("a.csv", "a,b\n", columns("a", "1")),
                       "label_column and text_column: expected two different"));
  EXPECT_TRUE(
      contains(refusal<ConfigError>("a.jsonl", "{}\n", columns("text")), "expected two different"));
}

TEST_F(Table, FindsTheUsualNamesInOtherCapitals) {
  EXPECT_EQ(rows("a.csv", "Label, Text\npos,good film\nneg,\"bad, \"\"bad\"\" film\"\n"), kTwo);
  EXPECT_EQ(rows("b.tsv", "\xEF\xBB\xBFTEXT\tid\tLABEL\ngood film\t1\tpos\n"),
            (Rows{{"pos", "good film"}}));
  EXPECT_EQ(rows("c.csv", "LABEL,label,Text\n1,pos,good film\n"), (Rows{{"pos", "good film"}}))
      << "the name as written comes first";
  const std::string message = refusal("d.csv", "Label,Review\npos,good film\n");
  EXPECT_TRUE(contains(message, "looks like names of columns")) << message;
}

}  // namespace
}  // namespace attend
