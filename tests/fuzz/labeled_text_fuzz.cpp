// The reader of labeled texts (TSV, CSV, JSON Lines) against hostile bytes: classes that are
// sorted and unique and labels that are among them, or an error.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "attend/data/classification.h"
#include "attend/error.h"
#include "core/gzip.h"
#include "fuzz/fuzz_file.h"
#include "fuzz/fuzz_target.h"

namespace attend::labeled_text_fuzz {
namespace {

void check(const LabeledText& text) {
  const std::vector<std::string>& classes = text.classes;
  const bool ordered = std::is_sorted(classes.begin(), classes.end()) &&
                       std::adjacent_find(classes.begin(), classes.end()) == classes.end();
  const bool known = std::all_of(text.labels.begin(), text.labels.end(), [&](std::int32_t label) {
    return label >= 0 && label < std::ssize(classes);
  });
  if (!ordered || !known || text.labels.size() != text.texts.size())
    throw std::logic_error("labels that are none of the classes");
}

void check_targets(const LabeledText& text) {
  const bool finite = std::all_of(text.targets.begin(), text.targets.end(),
                                  [](float target) { return std::isfinite(target); });
  if (!finite || text.targets.size() != text.texts.size() * text.classes.size())
    throw std::logic_error("targets that are not one for each label of a text");
}

// The first two bytes choose the columns, by number (0 is refused) or by name, and the format.
void read(const std::string& bytes, const FuzzFile& file) {
  const std::vector<std::string> files{file.path()};
  LabeledOptions options;
  if (bytes.size() >= 2) {
    const auto column = [](char byte, const char* name) {
      return (byte & 8) != 0 ? std::string(name) : std::to_string(byte & 3);
    };
    options.label_column = column(bytes[0], "label");
    options.text_column = column(bytes[1], "text");
    options.header = (bytes[0] & 4) != 0;
    options.table = static_cast<TableFormat>(bytes[1] >> 4 & 3);
    file.write(std::string_view(bytes).substr(2));
  } else {
    file.write(bytes);
  }
  try {
    check(read_labeled(files, options));
  } catch (const DataError&) {
  } catch (const ConfigError&) {
  }
  const std::vector<std::string> known{"bad", "good"};
  try {
    check(read_labeled(files, options, {.classes = known}));
  } catch (const DataError&) {
  } catch (const ConfigError&) {
  }
  for (const ProblemType problem : {ProblemType::multi_label, ProblemType::regression}) {
    LabeledOptions of_pairs = options;
    if ((bytes.size() & 1) != 0) of_pairs.second_column = "3";
    try {
      check_targets(read_labeled(files, of_pairs, {.problem = problem}));
    } catch (const DataError&) {
    } catch (const ConfigError&) {
    }
  }
}

std::vector<std::string> corpus() {
  const std::string rows = "good\ta good film\nbad\ta bad film\tmore\r\ngood\tü\n";
  const std::string csv =
      "label,text\ngood,\"a \"\"good\"\",\r\nlong film\"\n\nbad,a bad film\n\"good\",\"\n";
  const std::string jsonl =
      "{\"label\":\"good\",\"text\":\"ein "
      "g\\u00fctes\"}\n{\"text\":\"bad\\nfilm\",\"label\":false}\n\n[1]\n";
  return {"12" + rows,  "52label\ttext\n" + rows, "21" + rows, "12" + gzip(rows),
          "12good\t\n", "12\tgood\n\n",           "8(" + csv,  "1\"" + csv,
          "88" + jsonl, "88" + gzip(jsonl),       "12" + csv};
}

std::vector<std::string> dictionary() {
  return {"\t",          "\n",           "\r\n",
          " ",           "good",         "bad",
          "\xc2\xa0",    "\xef\xbb\xbf", std::string("\0", 1),
          "\x1f\x8b",    "\xff",         "good\ttext\n",
          ",",           "\"",           "\"\"",
          "\",",         "\\n",          "{\"label\":",
          "\"text\":\"", "null"};
}

void use(std::string_view input) {
  static const FuzzFile file;
  read(std::string(input), file);
}

const RegisteredFuzzTarget registered{{"labeled_text", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::labeled_text_fuzz
