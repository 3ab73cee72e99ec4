#include "attend/data/filter/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "attend/error.h"

namespace attend {
namespace {

// A line that is no text leaves `fault`, and ends nothing.
bool next_line(LineReader& lines, std::string& line, std::string& fault) {
  try {
    return lines.next(line);
  } catch (const LineError& error) {
    line.clear();
    fault = error.what();
    return true;
  }
}

std::int64_t count_all(LineReader& lines) {
  std::string line, fault;
  while (next_line(lines, line, fault)) continue;
  return lines.line_number();
}

}  // namespace

PairReader::PairReader(PairFiles files) : files_(std::move(files)) {
  const bool parallel = files_.layout == PairLayout::parallel;
  if (files_.src.empty() || (parallel && files_.src.size() != files_.tgt.size()))
    throw ConfigError(fmt::format(
        "found {} source and {} target files, expected equal numbers, at least one of each",
        files_.src.size(), files_.tgt.size()));
  require_readable(files_.src);
  require_readable(files_.tgt);
  open();
}

void PairReader::open() {
  src_ = std::make_unique<LineReader>(files_.src[file_]);
  names_.push_back(src_->name());
  if (files_.layout == PairLayout::parallel) tgt_ = std::make_unique<LineReader>(files_.tgt[file_]);
}

bool PairReader::next(TextPair& pair) {
  while (!read_from_files(pair)) {
    if (++file_ == files_.src.size()) {
      --file_;  // which is at its end, if asked again
      return false;
    }
    open();
  }
  return true;
}

bool PairReader::read_from_files(TextPair& pair) {
  pair.fault.clear();
  pair.rest.clear();
  const bool more = next_line(*src_, pair.src, pair.fault);
  if (tgt_ && next_line(*tgt_, pair.tgt, pair.fault) != more) refuse_unequal();
  pair.file = file_;
  pair.line = src_->line_number();
  if (more && files_.layout == PairLayout::tsv) split(pair);
  return more;
}

void PairReader::split(TextPair& pair) const {
  pair.tgt.clear();
  if (!pair.fault.empty()) return;
  const std::size_t tab = pair.src.find('\t');
  if (tab == std::string::npos) {
    pair.fault = where(pair) + ": expected source, tab and target, found no tab";
    return;
  }
  const std::size_t end = std::min(pair.src.find('\t', tab + 1), pair.src.size());
  pair.tgt = pair.src.substr(tab + 1, end - tab - 1);
  pair.rest = pair.src.substr(end);
  pair.src.resize(tab);
}

void PairReader::refuse_unequal() {
  const std::int64_t src = count_all(*src_), tgt = count_all(*tgt_);
  throw DataError(
      fmt::format("{} has {} lines but {} has {}; expected equal numbers, line i of one "
                  "translating line i of the other",
                  src_->name(), src, tgt_->name(), tgt));
}

std::string PairReader::where(const TextPair& pair) const {
  return fmt::format("{}:{}", names_[pair.file], pair.line);
}

}  // namespace attend
