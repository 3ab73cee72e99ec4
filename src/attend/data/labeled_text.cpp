#include "attend/data/labeled_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "attend/core/options/option_error.h"
#include "attend/core/strings/counted.h"
#include "attend/core/strings/quote.h"
#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"

namespace attend {
namespace {

// A tab inside a text becomes a space, because one ends the first text.
std::string paired_text(std::string first, std::string second) {
  std::replace(first.begin(), first.end(), '\t', ' ');
  std::replace(second.begin(), second.end(), '\t', ' ');
  return first + "\t" + second;
}

// Calls accept(label, text, where) for every record; `where` is "file:line".
template <class Accept>
void for_each_record(std::span<const std::string> files, const LabeledOptions& options,
                     const ExpectedLabels& expected, const Accept& accept) {
  if (files.empty()) throw ConfigError("found no file of labeled texts, expected at least one");
  const bool several = expected.problem == ProblemType::multi_label;
  if (several && options.label_separator.empty())
    throw OptionError<ConfigError>("{}: expected a separator, got an empty one",
                                   as_flag("label-separator"));
  std::vector<ColumnChoice> columns{{"label-column", options.label_column, "label", 1},
                                    {"text-column", options.text_column, "text", 2}};
  if (several) columns[0].list_separator = options.label_separator;
  if (!options.second_column.empty())
    columns.push_back({"second-column", options.second_column, "second text", 3});
  std::vector<std::string> cells;
  for (const std::string& file : files) {
    for (TableReader table(file, options.table, options.header, columns); table.next(cells);) {
      for (std::size_t i = several ? 1 : 0; i < columns.size(); ++i) {
        if (is_blank(cells[i]))
          throw DataError(
              fmt::format("{}: the {} is empty", table.where(), columns[i].default_name));
      }
      accept(cells[0], columns.size() > 2 ? paired_text(cells[1], cells[2]) : cells[1],
             table.where());
    }
  }
}

// The index of each class name. Classes of a model file come in any order.
class ClassIndex {
 public:
  explicit ClassIndex(std::span<const std::string> classes) {
    for (std::size_t i = 0; i < classes.size(); ++i)
      places_.emplace(classes[i], static_cast<std::int32_t>(i));
  }
  // -1 for an unknown label.
  std::int32_t find(std::string_view label) const {
    const auto place = places_.find(label);
    return place == places_.end() ? -1 : place->second;
  }

 private:
  std::map<std::string_view, std::int32_t> places_;
};

std::string listed(std::span<const std::string> classes) {
  constexpr std::size_t kMost = 10;
  std::vector<std::string> shown;
  for (const std::string& name : classes.first(std::min(classes.size(), kMost)))
    shown.push_back(printable(name, 60));
  return fmt::format("{}{}", fmt::join(shown, ", "), classes.size() > kMost ? ", ..." : "");
}

// A label as a model file and a line of output can hold it.
std::string checked_label(std::string_view cell, const std::string& where) {
  const std::string_view label = unicode::strip(cell);
  if (label.empty()) throw DataError(fmt::format("{}: the label is empty", where));
  if (label.find('\t') != label.npos)
    throw DataError(fmt::format(
        "{}: expected a label without a tab, found {}; tabs stand between labels in the output",
        where, quote(label, 60)));
  return std::string(label);
}

// The labels of a cell.
std::vector<std::string> split_labels(std::string_view cell, std::string_view separator,
                                      const std::string& where) {
  std::vector<std::string> labels;
  while (true) {
    const std::size_t end = cell.find(separator);
    const std::string_view label = cell.substr(0, end);
    if (!is_blank(label)) labels.push_back(checked_label(label, where));
    if (end == cell.npos) return labels;
    cell.remove_prefix(end + separator.size());
  }
}

// A number that a float holds.
float number_in(const std::string& cell, const std::string& where) {
  const std::string_view text = unicode::strip(cell);
  float number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, number);
  if (failure == std::errc() && rest == end && std::isfinite(number)) return number;
  throw OptionError<DataError>(
      "{}: expected a number, found {}; labels that are names need another {}", where,
      quote(cell, 60), as_flag("problem-type"));
}

std::vector<std::string> sorted_names(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

void require_two_classes(const std::vector<std::string>& classes, std::size_t texts,
                         std::span<const std::string> files) {
  if (classes.size() >= 2) return;
  const std::string others = files.size() > 1 ? fmt::format(" and {} more", files.size() - 1) : "";
  throw OptionError<DataError>(
      "{}{}: all {} texts have the label \"{}\", expected at least two classes; {} chooses another "
      "column",
      files.front(), others, texts, printable(classes.front(), 60), as_flag("label-column"));
}

// Numbers the labels of all texts.
void number_labels(const std::vector<std::vector<std::string>>& labels, ProblemType problem,
                   LabeledText& result) {
  const ClassIndex index(result.classes);
  const std::size_t classes = result.classes.size();
  const bool several = problem == ProblemType::multi_label;
  if (several) result.targets.assign(labels.size() * classes, 0.0f);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (const std::string& name : labels[i]) {
      const std::int32_t place = index.find(name);
      if (several) {
        result.targets[i * classes + static_cast<std::size_t>(place)] = 1.0f;
      } else {
        result.labels.push_back(place);
      }
    }
  }
}

LabeledText read_numbers(std::span<const std::string> files, const LabeledOptions& options,
                         const ExpectedLabels& expected) {
  LabeledText result;
  result.classes.assign(expected.classes.begin(), expected.classes.end());
  if (result.classes.empty()) result.classes = {"score"};
  for_each_record(files, options, expected,
                  [&](const std::string& label, std::string text, const std::string& where) {
                    result.targets.push_back(number_in(label, where));
                    result.texts.push_back(std::move(text));
                  });
  return result;
}

LabeledText read_names(std::span<const std::string> files, const LabeledOptions& options,
                       const ExpectedLabels& expected) {
  const bool single = expected.problem == ProblemType::single_label;
  const ClassIndex known(expected.classes);
  LabeledText result;
  std::vector<std::vector<std::string>> labels;
  for_each_record(
      files, options, expected,
      [&](const std::string& cell, std::string text, const std::string& where) {
        // A model of before may have a label with spaces around it.
        if (single)
          labels.push_back({known.find(cell) >= 0 ? cell : checked_label(cell, where)});
        else
          labels.push_back(split_labels(cell, options.label_separator, where));
        for (const std::string& label : labels.back())
          if (!expected.classes.empty() && known.find(label) < 0)
            throw DataError(fmt::format("{}: unknown label \"{}\", expected one of: {}", where,
                                        printable(label, 60), listed(expected.classes)));
        result.texts.push_back(std::move(text));
      });
  result.classes.assign(expected.classes.begin(), expected.classes.end());
  if (result.classes.empty() && !labels.empty()) {
    for (const std::vector<std::string>& of_text : labels)
      result.classes.insert(result.classes.end(), of_text.begin(), of_text.end());
    result.classes = sorted_names(std::move(result.classes));
    if (result.classes.empty())
      throw DataError(fmt::format("{}: expected labels, found none in {}", files.front(),
                                  counted(std::ssize(labels), "text")));
    if (single) require_two_classes(result.classes, labels.size(), files);
  }
  number_labels(labels, expected.problem, result);
  return result;
}

}  // namespace

LabeledText read_labeled(std::span<const std::string> files, const LabeledOptions& options,
                         const ExpectedLabels& expected) {
  LabeledText result = expected.problem == ProblemType::regression
                           ? read_numbers(files, options, expected)
                           : read_names(files, options, expected);
  if (result.texts.empty())
    throw DataError(fmt::format("{}: expected labeled texts, found none", files.front()));
  return result;
}

std::vector<std::string> separate_texts(const std::vector<std::string>& pairs) {
  std::vector<std::string> sides;
  for (const std::string& pair : pairs) sides.push_back(pair.substr(0, pair.find('\t')));
  for (const std::string& pair : pairs) sides.push_back(pair.substr(pair.find('\t') + 1));
  return sides;
}

}  // namespace attend
