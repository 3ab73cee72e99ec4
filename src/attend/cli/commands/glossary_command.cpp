#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/cli/output_format.h"
#include "attend/cli/progress_line.h"
#include "attend/core/files/atomic_lines.h"
#include "attend/core/files/lines.h"
#include "attend/core/strings/counted.h"
#include "attend/data/corpus.h"
#include "attend/data/terms/term_forms.h"
#include "attend/error.h"

namespace attend {
namespace {

struct GlossaryArguments {
  std::string terms;
  std::string out;
  std::vector<std::string> src;
  std::vector<std::string> tgt;
  OutputFormat format = OutputFormat::text;
};

template <class Visitor>
void fields(GlossaryArguments& a, Visitor&& visit) {
  visit("out", a.out, "glossary to write: the terms with the forms that were found");
  visit("src", a.src,
        "source text to learn from, such as the training text of a model; may be given several "
        "times");
  visit("tgt", a.tgt, "translation of --src, line by line");
  visit("format", a.format, "text for people, json for programs: the glossary and what was found");
}

void run_glossary(const GlossaryArguments& a) {
  if (a.out.empty()) throw ConfigError("--out: expected the glossary to write, got none");
  if (a.src.empty() || a.tgt.empty())
    throw ConfigError("--src and --tgt: expected the text to learn from, got none");
  const std::vector<std::string> terms = read_lines(a.terms);
  ProgressLine progress = ProgressLine::timing("learning the forms of words");
  const ParallelText text = read_parallel(a.src, a.tgt);
  require_text(text.src, a.src);
  TermFormsReport report;
  AtomicLines out(a.out);
  for (const std::string& line : TermForms(text).added(terms, a.terms, report)) {
    out.add(line);
    out.end_line();
  }
  out.commit();
  progress.end();
  if (a.format == OutputFormat::json) {
    const nlohmann::ordered_json json{{"glossary", a.out},
                                      {"terms", report.terms},
                                      {"with_forms", report.with_forms},
                                      {"source_forms", report.source_forms},
                                      {"target_forms", report.target_forms},
                                      {"unsure_forms", report.unsure}};
    return answer("{}\n", json_text(json));
  }
  answer(
      "{} of {} got forms: {} of sources and {} of targets that the text has, and {} unsure "
      "ones, made like those of other words\n{}: the glossary with them, to be read and mended\n",
      report.with_forms, counted(report.terms, "term"), report.source_forms, report.target_forms,
      report.unsure, shown_path(a.out));
}

}  // namespace

void add_glossary_command(CLI::App& app) {
  CLI::App& command = add_command(
      app, "glossary", "Add the inflected forms of terms to a glossary, for translate --glossary");
  const auto arguments = std::make_shared<GlossaryArguments>();
  add_argument(command, arguments->terms,
               {"terms", "TERMS", "glossary with a term, a tab and its translation in each line"});
  OptionBinding(command).add(*arguments);
  on_command(command, [arguments] { run_glossary(*arguments); });
}

}  // namespace attend
