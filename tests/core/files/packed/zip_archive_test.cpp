#include "attend/core/files/packed/zip_archive.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "core/memory_file.h"
#include "core/written_zip.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

std::string content(const ZipArchive& archive, std::string_view name) {
  const ZipEntry* const entry = archive.find(name);
  if (entry == nullptr) return "no entry";
  const auto bytes = archive.read(*entry, 1 << 20);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void expect_zip_error(const std::string& file, std::initializer_list<std::string_view> fragments) {
  expect_error<DataError>(
      [&] {
        const ZipArchive archive(memory_file(file));
        for (const ZipEntry& entry : archive.entries()) archive.read(entry, 1 << 20);
      },
      fragments);
}

const std::string kLong(100'000, 'a');

TEST(ZipArchive, ReadsStoredAndDeflatedEntries) {
  const ZipArchive archive(
      memory_file(written_zip({{"stored", "some bytes"},
                               {.name = "packed", .bytes = kLong, .deflate = true},
                               {"empty", ""},
                               {.name = "packed/empty", .bytes = "", .deflate = true}})));
  EXPECT_EQ(content(archive, "stored"), "some bytes");
  EXPECT_EQ(content(archive, "packed"), kLong);
  EXPECT_EQ(content(archive, "empty"), "");
  EXPECT_EQ(content(archive, "packed/empty"), "");
  EXPECT_EQ(content(archive, "other"), "no entry");
  EXPECT_EQ(archive.entries().front().name, "stored");
}

TEST(ZipArchive, ReadsPartsOfEntries) {
  const std::string text = "0123456789";
  for (const bool deflate : {false, true}) {
    const ZipArchive archive(
        memory_file(written_zip({{.name = "e", .bytes = text, .deflate = deflate}})));
    const ZipEntry& entry = archive.entries().front();
    for (std::size_t begin = 0; begin <= text.size(); ++begin) {
      for (std::size_t size = 0; begin + size <= text.size(); ++size) {
        std::string part(size, '?');
        archive.read(entry, begin, std::as_writable_bytes(std::span(part)));
        EXPECT_EQ(part, text.substr(begin, size));
      }
    }
    std::string beyond(2, '?');
    expect_error<DataError>(
        [&] { archive.read(entry, 9, std::as_writable_bytes(std::span(beyond))); },
        {"entry 'e'", "expected 2 bytes at byte 9, found 10 in all"});
    expect_error<DataError>([&] { archive.read(entry, 9); }, {"at most 9 bytes, found 10"});
  }
}

TEST(ZipArchive, AllowsACommentBehindTheDirectory) {
  std::string file = written_zip({{"a", "bytes"}});
  file.replace(file.size() - 2, 2, bytes_of(std::uint16_t{5}));
  EXPECT_EQ(content(ZipArchive(memory_file(file + "hello")), "a"), "bytes");
  expect_zip_error(file + "hell", {"it has no directory at its end"});
}

TEST(ZipArchive, RefusesWhatIsCutShortAnywhere) {
  const std::string file =
      written_zip({{"a", "bytes"}, {.name = "b", .bytes = kLong, .deflate = true}});
  for (std::size_t size = 0; size < file.size(); ++size)
    EXPECT_THROW(ZipArchive(memory_file(file.substr(0, size))), DataError) << size;
}

TEST(ZipArchive, RefusesEntriesThatOverlap) {
  // A whole second entry among the bytes of the first one.
  const std::string inner = written_zip({{"inner", "xx"}}).substr(0, 30 + 5 + 2);
  expect_zip_error(
      written_zip({{"outer", inner}, {.name = "inner", .bytes = "xx", .offset_error = -37}}),
      {"entry 'outer' overlaps what follows it"});
  expect_zip_error(
      written_zip({{"a", "bytes"}, {.name = "a", .bytes = "bytes", .offset_error = -36}}),
      {"overlaps what follows it"});
}

TEST(ZipArchive, RefusesTwoEntriesOfOneName) {
  expect_zip_error(written_zip({{"a", "1"}, {"a", "2"}}), {"two entries have this name"});
}

TEST(ZipArchive, ComparesTheDirectoryWithTheLocalHeaders) {
  expect_zip_error(written_zip({{.name = "a", .bytes = "1", .local_name = "b"}}),
                   {"entry 'a': the header at byte 0 is not what the directory says"});
  std::string sizes = written_zip({{"a", "1234"}});
  sizes[22] = 5;
  expect_zip_error(sizes, {"is not what the directory says"});
  // Where there are bytes, but no header.
  expect_zip_error(written_zip({{"first", std::string(100, '\0')},
                                {.name = "a", .bytes = "1", .offset_error = -50}}),
                   {"entry 'a': the header at byte 85 is not what the directory says"});
  expect_zip_error(written_zip({{.name = "a", .bytes = "1", .offset_error = 1 << 30}}),
                   {"truncated?"});
}

TEST(ZipArchive, LooksForSizesInTheDirectoryWhenTheyFollowTheBytes) {
  std::string file = written_zip({{.name = "a", .bytes = "1234", .flags = 8}});
  file.replace(14, 12, std::string(12, '\0'));
  EXPECT_EQ(content(ZipArchive(memory_file(file)), "a"), "1234");
  file[18] = 3;
  expect_zip_error(file, {"is not what the directory says"});
}

TEST(ZipArchive, RefusesBombs) {
  expect_zip_error(
      written_zip({{.name = "a", .bytes = kLong, .deflate = true, .claimed_size = 0xfffffff0}}),
      {"would unpack to more than 100 times as many"});
  std::vector<WrittenEntry> many;
  for (int i = 0; i < 3; ++i)
    many.push_back(
        {.name = std::to_string(i), .bytes = kLong, .deflate = true, .claimed_size = 30u << 20});
  expect_zip_error(written_zip(many), {"would unpack to more than"});
}

TEST(ZipArchive, UnpacksAsManyBytesAsTheDirectorySays) {
  const auto packed = [](std::uint32_t size) {
    return written_zip({{.name = "a", .bytes = kLong, .deflate = true, .claimed_size = size}});
  };
  expect_zip_error(packed(99'999), {"entry 'a'", "expected 99999 bytes, found more"});
  expect_zip_error(packed(100'001), {"entry 'a'", "expected 100001 bytes, found fewer"});
}

TEST(ZipArchive, NoticesDamagedBytes) {
  for (const bool deflate : {false, true})
    expect_zip_error(
        written_zip({{.name = "a", .bytes = "bytes", .deflate = deflate, .checksum_error = 1}}),
        {"entry 'a'", "its checksum is wrong"});
  std::string file = written_zip({{.name = "a", .bytes = kLong, .deflate = true}});
  file[31] = '\xff';
  expect_zip_error(file, {"entry 'a'", "damaged"});
}

TEST(ZipArchive, DoesWithoutChecksums) {
  for (const bool deflate : {false, true})
    EXPECT_EQ(
        content(
            ZipArchive(memory_file(written_zip(
                {{.name = "a", .bytes = "bytes", .deflate = deflate, .without_checksum = true}}))),
            "a"),
        "bytes");
}

TEST(ZipArchive, NamesWhatItCannotRead) {
  expect_zip_error(written_zip({{.name = "a", .bytes = "1", .flags = 1}}),
                   {"entry 'a'", "expected plain bytes, found encrypted ones"});
  expect_zip_error(written_zip({{.name = "a", .bytes = "1", .method = 12}}),
                   {"entry 'a'", "expected stored or deflated bytes, found method 12"});
  expect_zip_error(written_zip({{.name = "\x1b[1m", .bytes = "1", .method = 12}}),
                   {"entry '\\x1b[1m'"});
  expect_zip_error("PK", {"damaged or not a zip file: it has 2 bytes"});
  std::string parts = written_zip({{"a", "1"}});
  parts[parts.size() - 18] = 1;
  expect_zip_error(parts, {"it is one part of several"});
}

TEST(ZipArchive, BoundsTheDirectory) {
  std::string file = written_zip({{"a", "1"}});
  file.replace(file.size() - 14, 4, bytes_of(std::uint16_t{9}) + bytes_of(std::uint16_t{9}));
  expect_zip_error(file, {"its directory is said to have 9 entries in 47 bytes"});
  file = written_zip({{"a", "1"}});
  file.replace(file.size() - 6, 4, bytes_of(std::uint32_t{1u << 31}));
  expect_zip_error(file, {"its directory is said to be 47 bytes at byte 2147483648"});
}

}  // namespace
}  // namespace attend
