#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/model_path.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/line_count.h"
#include "attend/cli/output.h"
#include "attend/cli/output_format.h"
#include "attend/cli/progress_line.h"
#include "attend/core/strings/counted.h"
#include "attend/data/filter/filter.h"
#include "attend/error.h"
#include "attend/tasks/filtering/model_scorer.h"
#include "attend/tasks/model_file/registry.h"

namespace attend {
namespace {

struct FilteredText {
  std::vector<std::string> src, tgt, tsv, text;
  std::string out_src, out_tgt, out;
  std::string rejected, tag;
};

template <class Visitor>
void fields(FilteredText& a, Visitor&& visit) {
  visit("src", a.src,
        "files of source text, plain, gzip or zstd, read one after the other; -: standard input");
  visit("tgt", a.tgt, "translations of --src, file by file and line by line");
  visit("tsv", a.tsv,
        "files of pairs, in place of --src and --tgt: source, tab, target; further columns are "
        "kept");
  visit("text", a.text, "files of text without translations, in place of --src and --tgt");
  visit("out-src", a.out_src, "file to write: the sources that are kept");
  visit("out-tgt", a.out_tgt, "file to write: the targets that are kept");
  visit("out", a.out, "file to write: what is kept of --tsv or --text");
  visit("rejected", a.rejected,
        "file to write: position, rule, source and target of dropped lines, separated by tabs");
  visit("tag", a.tag,
        "word to put before every kept source, such as '<bt>' before back-translated text");
}

struct FilterScoring {
  std::string model;
  ModelFilterOptions rules;
  double keep_best = FilterOptions{}.keep_best;
};

template <class Visitor>
void fields(FilterScoring& a, Visitor&& visit) {
  visit("score-with", a.model,
        "model that scores the text, a file or the folder of a run: for translation, or a language "
        "model for --text");
  fields(a.rules, visit);
  visit("keep-best", a.keep_best, kKeptShares,
        "share to keep of the text that passes all other rules: the best by the score of "
        "--score-with");
}

struct FilterRun {
  OutputFormat format = OutputFormat::text;
  ThreadOptions threads;
};

template <class Visitor>
void fields(FilterRun& a, Visitor&& visit) {
  visit("format", a.format,
        "text for people, json for programs: the number of lines that each rule has dropped");
  fields(a.threads, visit);
}

struct FilterArguments {
  FilteredText files;
  FilterOptions filter;
  FilterScoring scoring;
  FilterRun run;
};

void refuse_missing(std::string_view option, bool missing, std::string_view what) {
  if (missing) throw ConfigError(fmt::format("--{}: expected {}, got none", option, what));
}

PairLayout layout_of(const FilteredText& a, const OptionBinding& binding) {
  constexpr const char* kOut = "the file to write";
  if (!a.text.empty()) {
    binding.refuse_beside(
        "--text", {"src", "tgt", "tsv", "out-src", "out-tgt", "tgt-lang", "max-length-ratio",
                   "max-character-ratio", "drop-identical", "drop-repeating", "unique-sources",
                   "unique-targets", "max-unaligned"});
    refuse_missing("out", a.out.empty(), kOut);
    return PairLayout::single;
  }
  if (!a.tsv.empty()) {
    binding.refuse_beside("--tsv", {"src", "tgt", "out-src", "out-tgt"});
    refuse_missing("out", a.out.empty(), kOut);
    return PairLayout::tsv;
  }
  binding.refuse_without("--tsv or --text", {"out"});
  refuse_missing("src", a.src.empty(), "source text, or --tsv or --text");
  refuse_missing("tgt", a.tgt.empty(), "the translations of --src");
  refuse_missing("out-src", a.out_src.empty(), kOut);
  refuse_missing("out-tgt", a.out_tgt.empty(), kOut);
  return PairLayout::parallel;
}

// Options are never without effect.
void check(const FilterArguments& a, const OptionBinding& binding) {
  if (a.scoring.model.empty())
    binding.refuse_without("--score-with",
                           {"min-score", "max-unaligned", "max-tokens", "keep-best"});
  if (a.filter.languages.src_lang.empty() && a.filter.languages.tgt_lang.empty())
    binding.refuse_without("--src-lang or --tgt-lang", {"language-odds"});
  const DuplicateFilterOptions& duplicates = a.filter.duplicates;
  if (!duplicates.unique && !duplicates.unique_sources && !duplicates.unique_targets)
    binding.refuse_without("--unique", {"unique-memory"});
  int readers = 0;
  for (const auto* files : {&a.files.src, &a.files.tgt, &a.files.tsv, &a.files.text})
    for (const std::string& file : *files) readers += file == "-" ? 1 : 0;
  if (readers > 1) throw ConfigError("expected standard input (-) for one file, got it for two");
}

FilterTask task_of(const FilterArguments& a, PairLayout layout) {
  FilterTask task;
  const bool single = layout == PairLayout::single, tsv = layout == PairLayout::tsv;
  const FilteredText& files = a.files;
  task.in = {layout, single ? files.text : tsv ? files.tsv : files.src, files.tgt};
  task.out = {single || tsv ? files.out : files.out_src, files.out_tgt, files.rejected, files.tag};
  task.options = a.filter;
  task.options.keep_best = a.scoring.keep_best;
  return task;
}

// 0: not known.
std::int64_t count_lines_of(const std::vector<std::string>& files) {
  std::int64_t lines = 0;
  for (const std::string& file : files) {
    const std::int64_t more = count_lines(file);
    if (more == 0) return 0;
    lines += more;
  }
  return lines;
}

std::string percent(std::int64_t part, std::int64_t whole) {
  return fmt::format(
      "{:.2f} %", whole == 0 ? 0.0 : 100 * static_cast<double>(part) / static_cast<double>(whole));
}

void print_text(const FilterReport& report) {
  const std::string_view unit = report.in_pairs ? "pair" : "line";
  answer("{}: {} kept ({})\n", counted(report.pairs, unit), readable_count(report.kept),
         percent(report.kept, report.pairs));
  answer("{:<20} {:>14} {:>9}  {}\n", "rule", "dropped", "share", "first");
  for (const FilterReport::Count& one : report.rules)
    answer("{:<20} {:>14} {:>9}{}\n", name_of(one.rule), readable_count(one.dropped),
           percent(one.dropped, report.pairs),
           one.first.empty() ? "" : "  " + shown_path(one.first));
  if (report.least_score) answer("lowest score kept: {:.4f}\n", *report.least_score);
}

void print_json(const FilterReport& report) {
  nlohmann::ordered_json json{{report.in_pairs ? "pairs" : "lines", report.pairs},
                              {"kept", report.kept}};
  nlohmann::ordered_json& dropped = json["dropped"] = nlohmann::ordered_json::object();
  nlohmann::ordered_json& first = json["first"] = nlohmann::ordered_json::object();
  for (const FilterReport::Count& one : report.rules) {
    dropped[std::string(name_of(one.rule))] = one.dropped;
    if (one.dropped > 0) first[std::string(name_of(one.rule))] = one.first;
  }
  nlohmann::ordered_json& seen = json["seen"] = nlohmann::ordered_json::object();
  for (const FilterReport::Seen& one : report.seen)
    seen[std::string(name_of(one.rule))] = {{"lines", one.lines},
                                            {"bytes", one.bytes},
                                            {"collision_probability", one.collision_probability}};
  if (report.least_score) json["lowest_score_kept"] = *report.least_score;
  answer("{}\n", json_text(json));
}

std::unique_ptr<PairScorer> scorer_of(const FilterArguments& a, bool in_pairs) {
  if (a.scoring.model.empty()) return nullptr;
  const LanguageFilterOptions& languages = a.filter.languages;
  return make_scorer(load_model(model_path(a.scoring.model)), in_pairs, a.scoring.rules,
                     {languages.src_lang, languages.tgt_lang});
}

void run_filter(const FilterArguments& a, const OptionBinding& binding) {
  const PairLayout layout = layout_of(a.files, binding);
  check(a, binding);
  const RuntimeScope runtime = enter_runtime(a.run.threads);
  const FilterTask task = task_of(a, layout);
  const std::unique_ptr<PairScorer> scorer = scorer_of(a, layout != PairLayout::single);
  const ProgressLineOptions line = progress_on_standard_error(/*answering=*/false);
  ProgressLine progress("", layout == PairLayout::single ? "lines" : "pairs", line,
                        line.shown ? count_lines_of(task.in.src) : 0);
  const FilterReport report =
      filter_text(task, scorer.get(), [&](std::int64_t count) { progress.add(count); });
  progress.end();
  a.run.format == OutputFormat::json ? print_json(report) : print_text(report);
}

}  // namespace

void add_filter_command(CLI::App& app) {
  CLI::App& command =
      add_command(app, "filter", "Clean text before training: drop lines or pairs by rules");
  const auto arguments = std::make_shared<FilterArguments>();
  OptionBinding binding(command);
  binding.add(arguments->files, "Files");
  binding.add(arguments->filter.lines, "Lines, on either side of a pair");
  binding.add(arguments->filter.pairs, "Pairs");
  binding.add(arguments->filter.duplicates, "Duplicates");
  binding.add(arguments->filter.languages, "Languages");
  binding.add(arguments->scoring, "Scores by a model");
  binding.add(arguments->run);
  on_command(command, [arguments, binding] { run_filter(*arguments, binding); });
}

}  // namespace attend
