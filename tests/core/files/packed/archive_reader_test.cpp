#include "attend/core/files/packed/archive_reader.h"

#include <gtest/gtest.h>

#include <map>

#include "attend/error.h"
#include "core/files.h"
#include "core/gzip.h"
#include "core/written_tar.h"
#include "core/written_zip.h"
#include "core/zstd.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class Archive : public WithFiles {
 protected:
  using Contents = std::vector<std::pair<std::string, std::string>>;

  Contents contents(const std::string& name, const std::string& bytes) {
    ArchiveReader archive(write(name, bytes));
    Contents found;
    while (archive.next()) {
      std::string content, piece(1000, '?');
      while (const std::size_t count = archive.read(piece.data(), piece.size()))
        content.append(piece, 0, count);
      found.emplace_back(archive.name(), content);
    }
    return found;
  }
  void expect_refused(const std::string& bytes, std::initializer_list<std::string_view> fragments) {
    expect_error<DataError>([&] { contents("archive", bytes); }, fragments);
  }
};

const std::string kLongText(100'000, 'b');

TEST_F(Archive, ReadsTarPackedOrNot) {
  const std::string tar = written_tar({{.name = "set/", .type = '5'},
                                       {.name = "set/train.en", .bytes = "one\ntwo\n"},
                                       {.name = "set/empty"},
                                       {.name = "./set/long", .bytes = kLongText}});
  const Contents expected{
      {"set/train.en", "one\ntwo\n"}, {"set/empty", ""}, {"set/long", kLongText}};
  EXPECT_EQ(contents("a.tar", tar), expected);
  EXPECT_EQ(contents("a.tgz", gzip(tar)), expected);
  EXPECT_EQ(contents("a.tar.zst", zstd(tar)), expected);
  EXPECT_EQ(contents("any name", gzip(tar)), expected);
}

TEST_F(Archive, ReadsNamesAndSizesOfAllFormats) {
  const std::string longer = "folder/" + std::string(150, 'n');
  const std::string bytes = "text";
  std::string binary_size(12, '\0');
  binary_size[0] = '\x80';
  binary_size[11] = 4;
  EXPECT_EQ(
      contents("a.tar",
               written_tar({{.name = "name", .bytes = bytes, .prefix = "folder"},
                            {.name = "old", .bytes = bytes, .type = '\0', .old_format = true},
                            {.name = "old/", .type = '\0', .old_format = true},
                            {.name = "binary", .bytes = bytes, .size_field = binary_size},
                            {.name = "pax", .bytes = pax_record("path", longer), .type = 'x'},
                            {.name = "short", .bytes = bytes},
                            {.name = "gnu", .bytes = longer + std::string(1, '\0'), .type = 'L'},
                            {.name = "short", .bytes = bytes},
                            {.name = "global", .bytes = pax_record("path", "no"), .type = 'g'},
                            {.name = "next", .bytes = bytes}})),
      (Contents{{"folder/name", bytes},
                {"old", bytes},
                {"binary", bytes},
                {longer, bytes},
                {longer, bytes},
                {"next", bytes}}));
  EXPECT_EQ(contents("size.tar",
                     written_tar({{.name = "pax",
                                   .bytes = pax_record("mtime", "1.5") + pax_record("size", "4"),
                                   .type = 'x'},
                                  {.name = "a", .bytes = bytes, .size_field = "00000000000"},
                                  {.name = "b", .bytes = "more"}})),
            (Contents{{"a", bytes}, {"b", "more"}}));
}

TEST_F(Archive, PassesOverLinksAndDevices) {
  EXPECT_EQ(contents("a.tar", written_tar({{.name = "link", .type = '2', .link = "/etc/passwd"},
                                           {.name = "hard", .type = '1', .link = "file"},
                                           {.name = "device", .type = '3'},
                                           {.name = "file", .bytes = "text"}})),
            (Contents{{"file", "text"}}));
}

TEST_F(Archive, ReadsZip) {
  const std::string zip = written_zip({{"set/", ""},
                                       {"set/stored", "stored text"},
                                       {.name = "set/packed", .bytes = kLongText, .deflate = true},
                                       {"empty", ""}});
  EXPECT_EQ(contents("a.zip", zip),
            (Contents{{"set/stored", "stored text"}, {"set/packed", kLongText}, {"empty", ""}}));
}

TEST_F(Archive, ChecksSumsOfZip) {
  for (const bool deflate : {false, true})
    expect_refused(
        written_zip({{.name = "e", .bytes = kLongText, .deflate = deflate, .checksum_error = 1}}),
        {"archive", "'e'", "checksum"});
}

TEST_F(Archive, TakesAnyOtherFileAsOne) {
  EXPECT_EQ(contents("train.en.gz", gzip("text\n")), (Contents{{"train.en", "text\n"}}));
  EXPECT_EQ(contents("train.en", "text\n"), (Contents{{"train.en", "text\n"}}));
  EXPECT_EQ(contents("zeros", std::string(2000, '\0')),
            (Contents{{"zeros", std::string(2000, '\0')}}));
  EXPECT_EQ(contents("empty", ""), (Contents{{"empty", ""}}));
  EXPECT_THROW(ArchiveReader(path("missing")), IoError);
}

TEST_F(Archive, GivesLinesAlsoOfPackedFilesInside) {
  ArchiveReader archive(write("a.tar", written_tar({{.name = "x.gz", .bytes = gzip("one\ntwo\n")},
                                                    {.name = "y", .bytes = "three\r\nfour"}})));
  std::vector<std::string> lines;
  while (archive.next()) {
    LineReader reader = archive.lines();
    for (std::string line; reader.next(line);) lines.push_back(line);
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "two", "three", "four"}));
}

TEST_F(Archive, NamesTheFileInside) {
  ArchiveReader archive(write("a.tar", written_tar({{.name = "x", .bytes = "a\n\xff\n"}})));
  archive.next();
  LineReader lines = archive.lines();
  std::string line;
  lines.next(line);
  expect_error<LineError>([&] { lines.next(line); }, {"a.tar: x:2", "UTF-8"});
}

TEST_F(Archive, RefusesNamesThatLeadOut) {
  for (const std::string name : {"../x", "a/../../x", "/etc/x", "a/.."}) {
    expect_refused(written_tar({{.name = name, .bytes = "b"}}), {"archive", "within a folder"});
    expect_refused(written_zip({{name, "b"}}), {"archive", "within a folder"});
  }
  EXPECT_EQ(contents("a.tar", written_tar({{.name = "a..b/..c", .bytes = "b"}})),
            (Contents{{"a..b/..c", "b"}}));
}

TEST_F(Archive, RefusesDamagedTar) {
  const std::string good = written_tar({{.name = "a", .bytes = kLongText}, {.name = "b"}});
  expect_refused(good.substr(0, 5000), {"archive", "ends too early"});
  expect_refused(good.substr(0, 512 + 100'352 + 100), {"archive", "ends too early"});
  expect_refused(gzip(good).substr(0, 200), {"archive", "truncated"});
  expect_refused(written_tar({{.name = "a"}, {.name = "b", .checksum_error = 1}}),
                 {"archive", "checksum of a header"});
  expect_refused(written_tar({{.name = "a", .size_field = "12x"}}), {"size"});
  expect_refused(written_tar({{.name = "a", .type = 'S'}}), {"'a'", "sparse"});
  expect_refused(written_tar({{.name = "p", .bytes = "99 path=x\n", .type = 'x'}}), {"pax"});
  expect_refused(
      written_tar({{.name = "p", .bytes = pax_record("size", "-5"), .type = 'x'}, {.name = "a"}}),
      {"pax"});
  std::string huge(12, '\xff');
  huge[0] = '\x80';
  expect_refused(written_tar({{.name = "a", .size_field = huge}}), {"size"});
  huge = std::string(12, '\0');
  huge[0] = '\x80';
  huge[6] = 1;
  expect_refused(written_tar({{.name = "L", .type = 'L', .size_field = huge}}), {"too long"});
}

// Some writers leave out the blocks of zeros.
TEST_F(Archive, EndsWithTheFile) {
  const std::string whole = written_tar({{.name = "a", .bytes = "text"}});
  EXPECT_EQ(contents("a.tar", whole.substr(0, 1024)), (Contents{{"a", "text"}}));
}

}  // namespace
}  // namespace attend
