#include "attend/data/classification.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "attend/core/counted.h"
#include "attend/core/lines.h"
#include "attend/core/option_fields.h"
#include "attend/core/quote.h"
#include "attend/core/utf8.h"
#include "attend/data/corpus.h"
#include "attend/error.h"

namespace attend {
namespace {

// Calls accept(label, text, where) for every record; `where` is "file:line".
template <class Accept>
void for_each_record(std::span<const std::string> files, const LabeledOptions& options,
                     const Accept& accept) {
  if (files.empty()) throw ConfigError("found no file of labeled texts, expected at least one");
  const std::vector<ColumnChoice> columns{{"label-column", options.label_column, "label", 1},
                                          {"text-column", options.text_column, "text", 2}};
  std::vector<std::string> cells;
  for (const std::string& file : files) {
    for (TableReader table(file, options.table, options.header, columns); table.next(cells);) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (is_blank(cells[i]))
          throw DataError(
              fmt::format("{}: the {} is empty", table.where(), columns[i].default_name));
      }
      accept(cells[0], cells[1], table.where());
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

}  // namespace

LabeledText read_labeled(std::span<const std::string> files, const LabeledOptions& options) {
  LabeledText result;
  std::vector<std::string> labels;
  for_each_record(files, options,
                  [&](const std::string& label, const std::string& text, const std::string&) {
                    labels.emplace_back(label);
                    result.texts.emplace_back(text);
                  });
  result.classes = labels;
  std::sort(result.classes.begin(), result.classes.end());
  result.classes.erase(std::unique(result.classes.begin(), result.classes.end()),
                       result.classes.end());
  if (labels.empty())
    throw DataError(fmt::format("{}: expected labeled texts, found none", files.front()));
  if (result.classes.size() < 2) {
    const std::string others =
        files.size() > 1 ? fmt::format(" and {} more", files.size() - 1) : "";
    throw DataError(
        fmt::format("{}{}: all {} texts have the label \"{}\", expected at least two classes; "
                    "--label-column chooses another column",
                    files.front(), others, labels.size(), printable(result.classes.front(), 60)));
  }
  result.labels.reserve(labels.size());
  const ClassIndex index(result.classes);
  for (const std::string& label : labels) result.labels.push_back(index.find(label));
  return result;
}

LabeledText read_labeled(std::span<const std::string> files, const LabeledOptions& options,
                         std::span<const std::string> classes) {
  LabeledText result;
  result.classes.assign(classes.begin(), classes.end());
  const ClassIndex places(classes);
  for_each_record(files, options,
                  [&](const std::string& label, const std::string& text, const std::string& where) {
                    const std::int32_t index = places.find(label);
                    if (index < 0)
                      throw DataError(fmt::format("{}: unknown label \"{}\", expected one of: {}",
                                                  where, printable(label, 60), listed(classes)));
                    result.labels.push_back(index);
                    result.texts.emplace_back(text);
                  });
  if (result.texts.empty())
    throw DataError(fmt::format("{}: expected labeled texts, found none", files.front()));
  return result;
}

namespace {

int count(const SpecialTokens& special) { return special.bos >= 0 ? 2 : 1; }

}  // namespace

std::vector<std::int32_t> truncated_ids(std::vector<std::int32_t> ids, const SpecialTokens& special,
                                        const TextLengthOptions& options) {
  const int others = count(special);
  if (options.max_length <= others)
    throw ConfigError(fmt::format("max-length is {}, expected at least {}: a token and {}",
                                  options.max_length, others + 1,
                                  special.bos >= 0 ? "the two ends" : "the end"));
  const auto most = static_cast<std::size_t>(options.max_length - others);
  if (ids.size() > most) {
    const auto surplus = static_cast<std::ptrdiff_t>(ids.size() - most);
    if (options.truncation == Truncation::right) ids.resize(most);
    if (options.truncation == Truncation::left) ids.erase(ids.begin(), ids.begin() + surplus);
  }
  return ids;
}

std::vector<std::int32_t> classifier_ids(std::vector<std::int32_t> ids,
                                         const SpecialTokens& special,
                                         const TextLengthOptions& options) {
  ids = truncated_ids(std::move(ids), special, options);
  if (special.bos >= 0) ids.insert(ids.begin(), special.bos);
  ids.push_back(special.eos);
  return ids;
}

std::string LabeledReport::summary() const {
  std::string text = counted(texts, "text");
  if (empty > 0) text += fmt::format("; {} empty", empty);
  if (truncated > 0) text += fmt::format("; {} truncated to the maximum length", truncated);
  return text;
}

ClassificationBatch encode_labeled(const LabeledText& text, const Tokenizer& tokenizer,
                                   const SpecialTokens& special, const TextLengthOptions& options,
                                   LabeledReport& report) {
  RaggedBuilder all;
  for (auto& ids : encode_all(text.texts, tokenizer)) {
    ++report.texts;
    if (ids.empty()) ++report.empty;
    if (static_cast<std::int64_t>(ids.size()) > options.max_length - count(special))
      ++report.truncated;
    all.add(classifier_ids(std::move(ids), special, options));
  }
  return {all.build(), text.labels};
}

namespace {

std::vector<std::int32_t> lengths_of(const Ragged& text) {
  std::vector<std::int32_t> lengths(text.sequences());
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = text.length(i);
  return lengths;
}

}  // namespace

ClassificationBatcher::ClassificationBatcher(ClassificationBatch texts, const BatchOptions& options,
                                             std::optional<std::uint64_t> seed)
    : texts_(std::move(texts)), planner_(lengths_of(texts_.text), options, seed) {}

std::int64_t ClassificationBatcher::batches(std::int64_t epoch) const {
  return planner_.plan(epoch)->batches();
}

ClassificationBatch ClassificationBatcher::batch(std::int64_t epoch, std::int64_t index) const {
  const auto plan = planner_.plan(epoch);
  RaggedBuilder text;
  std::vector<std::int32_t> labels;
  for (const std::int32_t i : (*plan)[index]) {
    text.add(texts_.text[i]);
    labels.push_back(texts_.labels[i]);
  }
  return {text.build(), std::move(labels)};
}

ClassificationBatcher::Size ClassificationBatcher::size(std::int64_t epoch,
                                                        std::int64_t index) const {
  const auto plan = planner_.plan(epoch);
  Size size;
  for (const std::int32_t i : (*plan)[index]) {
    ++size.texts;
    size.tokens += texts_.text.length(i);
  }
  return size;
}

}  // namespace attend
