// Archives against hostile bytes, ZIP and TAR, packed or not: files whose names stay in a folder,
// or a DataError.
#include <stdexcept>

#include "attend/core/files/packed/archive_reader.h"
#include "attend/error.h"
#include "core/gzip.h"
#include "core/written_tar.h"
#include "core/written_zip.h"
#include "fuzz/fuzz_file.h"
#include "fuzz/fuzz_target.h"

namespace attend::archive_fuzz {
namespace {

std::string small_tar() {
  return written_tar({{.name = "set/", .type = '5'},
                      {.name = "./set/a", .bytes = "one\ntwo\n"},
                      {.name = "b", .bytes = gzip("packed\n"), .prefix = "folder"},
                      {.name = "p", .bytes = pax_record("path", "long/name"), .type = 'x'},
                      {.name = "c", .bytes = "text"},
                      {.name = "L", .bytes = "longer/name", .type = 'L'},
                      {.name = "d", .bytes = "text"},
                      {.name = "link", .type = '2', .link = "../x"}});
}

std::vector<std::string> corpus() {
  return {small_tar(),
          gzip(small_tar()),
          written_zip({{"set/", ""},
                       {"set/a", "stored"},
                       {.name = "b", .bytes = "deflated text", .deflate = true}}),
          gzip("a single text\n"),
          "a single text\n",
          ""};
}

std::vector<std::string> dictionary() {
  return {"PK\1\2",
          "PK\3\4",
          "PK\5\6",
          "ustar",
          "../",
          "00000000010",
          "\xff\xff\xff\xff",
          "path=",
          "size=",
          std::string(512, '\0'),
          tar_header({.name = "x", .bytes = "y"})};
}

void use(std::string_view input) {
  static const FuzzFile file;
  file.write(input);
  constexpr std::size_t kEnough = std::size_t{4} << 20;
  try {
    ArchiveReader archive(file.path());
    std::size_t total = 0;
    while (total < kEnough && archive.next()) {
      const std::string& name = archive.name();
      if (name.empty() || name.front() == '/' || name.starts_with("../") || name == "..")
        throw std::logic_error("a name that leads out");
      LineReader lines = archive.lines();
      try {
        for (std::string line; total < kEnough && lines.next(line);) total += line.size() + 1;
      } catch (const LineError&) {
      }
    }
  } catch (const DataError&) {
  }
}

const RegisteredFuzzTarget registered{{"archive", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::archive_fuzz
