#include "attend/data/filter/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <vector>

#include "attend/core/options/option_error.h"
#include "attend/core/strings/quote.h"
#include "attend/core/strings/unicode.h"
#include "attend/error.h"

namespace attend {
namespace {

// Each would replace the one before it.
void require_different(const FilteredFiles& files) {
  std::set<std::filesystem::path> paths;
  for (const std::string& name : {files.src, files.tgt, files.rejected}) {
    std::error_code ignored;
    if (!name.empty() && !paths.insert(std::filesystem::weakly_canonical(name, ignored)).second)
      throw ConfigError(
          fmt::format("{}: expected different files to write, got the same one twice", name));
  }
}

std::string tag_before(const std::string& tag) {
  if (tag.empty()) return "";
  if (unicode::split(tag) != std::vector<std::string_view>{tag})
    throw OptionError<ConfigError>("{}: expected one word without white space, got {}",
                                   as_flag("tag"), quote(tag));
  return tag + " ";
}

std::string without_tabs(std::string text) {
  std::replace(text.begin(), text.end(), '\t', ' ');
  return text;
}

}  // namespace

PairWriter::PairWriter(const FilteredFiles& files, PairLayout layout)
    : layout_(layout), tag_(tag_before(files.tag)), src_(files.src) {
  require_different(files);
  if (layout == PairLayout::parallel) tgt_.emplace(files.tgt);
  if (!files.rejected.empty()) rejected_.emplace(files.rejected);
}

void PairWriter::keep(const TextPair& pair) {
  src_.add(tag_);
  src_.add(pair.src);
  AtomicLines& tgt = tgt_ ? *tgt_ : src_;
  if (layout_ == PairLayout::parallel) src_.end_line();
  if (layout_ == PairLayout::tsv) src_.add("\t");
  tgt.add(pair.tgt);
  tgt.add(pair.rest);
  tgt.end_line();
}

void PairWriter::reject(const TextPair& pair, FilterRule rule, std::string_view where) {
  if (!rejected_) return;
  rejected_->add(fmt::format("{}\t{}\t", where, name_of(rule)));
  rejected_->add(without_tabs(pair.fault.empty() ? pair.src : pair.fault));
  if (layout_ != PairLayout::single && pair.fault.empty())
    rejected_->add("\t" + without_tabs(pair.tgt));
  rejected_->end_line();
}

void PairWriter::commit() {
  src_.commit();
  if (tgt_) tgt_->commit();
  if (rejected_) rejected_->commit();
}

}  // namespace attend
