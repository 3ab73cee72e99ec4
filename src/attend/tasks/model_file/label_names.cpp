#include "attend/tasks/model_file/label_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "attend/core/json/json.h"
#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"

namespace attend {

namespace {

// A duplicate label, or one that no line of a text file can have, would be miscounted.
void check_labels(const std::vector<std::string>& labels, const Checkpoint& checkpoint) {
  std::set<std::string_view> names;
  for (const std::string& label : labels) {
    if (is_blank(label) || label.find_first_of("\t\n\r") != std::string::npos)
      throw DataError(
          fmt::format("{}: attend.labels: expected names without tabs and line ends, got {}",
                      checkpoint.source, quote(label)));
    if (!names.insert(label).second)
      throw DataError(fmt::format("{}: attend.labels: expected every class once, got {} twice",
                                  checkpoint.source, quote(label)));
  }
}

}  // namespace

std::vector<std::string> read_label_names(const Checkpoint& checkpoint, std::size_t least) {
  const std::string where = fmt::format("{}: attend.labels", checkpoint.source);
  const auto labels = parse_json(checkpoint.text("attend.labels"), where);
  const bool are_names =
      labels.is_array() &&
      std::all_of(labels.begin(), labels.end(), [](const auto& one) { return one.is_string(); });
  if (!are_names || labels.size() < least)
    throw DataError(fmt::format("{}: expected a list of {} names of classes", where,
                                least == 2 ? "two or more" : "one or more"));
  auto names = labels.get<std::vector<std::string>>();
  check_labels(names, checkpoint);
  return names;
}

}  // namespace attend
