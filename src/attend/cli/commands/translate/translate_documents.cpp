#include "attend/cli/commands/translate/translate_documents.h"

#include <memory>
#include <utility>

#include "attend/cli/output.h"
#include "attend/cli/progress_line.h"
#include "attend/cli/standard_input.h"
#include "attend/cli/told_trust.h"
#include "attend/error.h"
#include "attend/tasks/translation/document_translation.h"

namespace attend {

bool has_document(const DocumentArguments& a, const OptionBinding& binding) {
  // What belongs to lines of input and output.
  const auto refuse_beside = [&](const char* option,
                                 std::initializer_list<std::string_view> others) {
    binding.refuse_beside(option, others);
    binding.refuse_beside(option, {"format", "n-best", "alignment", "prefix", "prefix-weight",
                                   "beam-tree", "on-error"});
  };
  if (a.file.empty()) binding.refuse_without("--file", {"out-file", "columns"});
  if (!a.file.empty()) {
    if (a.out_file.empty()) throw ConfigError("--out-file: expected the file to write with --file");
    refuse_beside("--file", {"text", "html"});
  } else if (a.html) {
    refuse_beside("--html", {"text"});
  } else if (a.text) {
    refuse_beside("--text", {});
  }
  return a.text || a.html || !a.file.empty();
}

void translate_document(const DocumentArguments& a, std::span<const TranslationStep> steps) {
  ProgressLine progress = ProgressLine::timing("translating");
  TranslatedDocuments translated;
  if (!a.file.empty()) {
    translated = translate_file(steps, a.file, a.out_file, a.columns);
    progress.end();
    remark("{}: {} sentence{} -> {}\n", shown_path(a.file), translated.sentences,
           translated.sentences == 1 ? "" : "s", shown_path(a.out_file));
  } else {
    translated = translate_document(steps, whole_standard_input(), [&](std::string content) {
      return a.html ? html_page(content) : plain_text(std::move(content));
    });
    progress.end();
    answer("{}", translated.documents.front());
  }
  if (steps.back().options.trust) tell_trust(translated.trust);
  if (translated.cut > 0)
    tell("sentences that were too long for the model and cut after clauses: {}\n", translated.cut);
}

}  // namespace attend
