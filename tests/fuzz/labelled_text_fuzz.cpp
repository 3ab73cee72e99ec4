// The reader of labelled texts (TSV) against hostile bytes: classes that are sorted and unique and labels that are among them, or an error.
#include <algorithm>
#include <stdexcept>

#include "attend/core/error.h"
#include "attend/data/classification.h"
#include "core/gzip.h"
#include "fuzz/fuzz_file.h"
#include "fuzz/fuzz_target.h"

namespace attend {
namespace {

void check(const LabelledText& text) {
  const std::vector<std::string>& classes = text.classes;
  const bool ordered =
      std::is_sorted(classes.begin(), classes.end()) && std::adjacent_find(classes.begin(), classes.end()) == classes.end();
  const bool known =
      std::all_of(text.labels.begin(), text.labels.end(), [&](std::int32_t label) { return label >= 0 && label < std::ssize(classes); });
  if (!ordered || !known || text.labels.size() != text.texts.size()) throw std::logic_error("labels that are none of the classes");
}

// The first two bytes choose the columns: 0 is refused.
void read(const std::string& bytes, const FuzzFile& file) {
  const std::vector<std::string> files{file.path()};
  LabelledOptions options;
  if (bytes.size() >= 2) {
    options.label_column = bytes[0] & 3;
    options.text_column = bytes[1] & 3;
    options.header = (bytes[0] & 4) != 0;
    file.write(std::string_view(bytes).substr(2));
  } else {
    file.write(bytes);
  }
  try {
    check(read_labelled(files, options));
  } catch (const DataError&) {
  } catch (const ConfigError&) {
  }
  const std::vector<std::string> known{"bad", "good"};
  try {
    check(read_labelled(files, options, known));
  } catch (const DataError&) {
  } catch (const ConfigError&) {
  }
}

}  // namespace

std::vector<std::string> fuzz_corpus() {
  const std::string rows = "good\ta good film\nbad\ta bad film\tmore\r\ngood\tü\n";
  return {"12" + rows, "52label\ttext\n" + rows, "21" + rows, "12" + gzip(rows), "12good\t\n", "12\tgood\n\n"};
}

std::vector<std::string> fuzz_dictionary() {
  return {"\t", "\n", "\r\n", " ", "good", "bad", "\xc2\xa0", "\xef\xbb\xbf", std::string("\0", 1), "\x1f\x8b", "\xff", "good\ttext\n"};
}

void fuzz_repair(std::string&) {}

}  // namespace attend

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const attend::FuzzFile file;
  attend::read(std::string(reinterpret_cast<const char*>(data), size), file);
  return 0;
}
