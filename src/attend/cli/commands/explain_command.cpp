#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/model_path.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/cli/output_format.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/tasks/explanation/answer_explanation.h"
#include "attend/tasks/explanation/explanation.h"
#include "attend/tasks/explanation/explanation_json.h"
#include "attend/tasks/loaded_model.h"
#include "attend/tasks/translation/model.h"

namespace attend {
namespace {

struct ExplainArguments {
  std::string model;
  std::string text;
  std::string target;
  ExplanationOptions explanation;
  OutputFormat format = OutputFormat::text;
  LanguagePair languages;
  AttentionChangeOptions changes;
  ThreadOptions threads;
};

template <class Visitor>
void fields(ExplainArguments& a, Visitor&& visit) {
  visit("target", a.target, "explain this translation instead of the model's own");
  fields(a.explanation, visit);
  visit("format", a.format, "output: text for people, json for programs");
  fields(a.languages, visit);
  fields(a.changes, visit);
  fields(a.threads, visit);
}

constexpr std::size_t kListedParts = 10;

std::string shown_token(const TokenProbability& token) {
  return fmt::format("{} {:.4f}", printable(token.token), token.probability);
}

std::string name_of_part(const LogitPart& part) {
  return part.head < 0 ? part.module : fmt::format("{}:{}", part.module, part.head);
}

// "0 ▁der  1 [▁Hund]  2 </s>"
std::string numbered_tokens(const OutputExplanation& why) {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < why.tokens.size(); ++i) {
    const std::string token = printable(why.tokens[i]);
    cells.push_back(std::cmp_equal(i, why.position) ? fmt::format("{} [{}]", i, token)
                                                    : fmt::format("{} {}", i, token));
  }
  return fmt::format("{}", fmt::join(cells, "  "));
}

// Parts that add most come first.
void print_parts(const OutputExplanation& why) {
  std::vector<LogitPart> parts = why.parts;
  std::stable_sort(parts.begin(), parts.end(), [](const LogitPart& a, const LogitPart& b) {
    return std::abs(a.value) > std::abs(b.value);
  });
  double others = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i < kListedParts) {
      answer("  {:+9.4f}  {}\n", parts[i].value, name_of_part(parts[i]));
    } else {
      others += double{parts[i].value};
    }
  }
  if (parts.size() > kListedParts)
    answer("  {:+9.4f}  all others, which are smaller, together\n", others);
}

void print_lens(const OutputExplanation& why) {
  if (why.lens.empty()) return;
  answer("\nwhat would be written after each layer (logit lens)\n");
  for (std::size_t i = 0; i < why.lens.size(); ++i) {
    std::vector<std::string> tokens;
    for (const TokenProbability& token : why.lens[i]) tokens.push_back(shown_token(token));
    answer("  {:9}  {}\n", i == 0 ? "embedding" : fmt::format("layer {}", i - 1),
           fmt::join(tokens, ", "));
  }
}

void print_additions(const OutputExplanation& why) {
  if (why.additions.empty()) return;
  answer(
      "\nlength of what each sublayer adds to the residual stream, and its cosine with the "
      "stream\n");
  for (const ResidualAddition& addition : why.additions)
    answer("  {:9.4f}  {:+7.4f}  {}\n", addition.length, addition.cosine, addition.module);
}

void print(const OutputExplanation& why) {
  answer("{}\n\n", numbered_tokens(why));
  if (why.instead.token.empty()) {
    answer("{}: its logit is {:+.4f}\n", shown_token(why.token), why.difference);
  } else {
    answer("{} instead of {}: the difference of their logits is {:+.4f}\n", shown_token(why.token),
           shown_token(why.instead), why.difference);
  }
  print_parts(why);
  print_lens(why);
  print_additions(why);
}

void require_no_target(const ExplainArguments& arguments, const SavedModel& model) {
  if (dynamic_cast<const TranslationModel*>(&model) != nullptr) return;
  if (!arguments.target.empty())
    throw ConfigError(
        fmt::format("--target: expected a model for translation, got one for {}", model.task()));
  if (!arguments.languages.source.empty() || !arguments.languages.target.empty())
    throw ConfigError("--src-lang, --tgt-lang: expected a translation model");
}

void run_explain(const ExplainArguments& arguments, const OptionBinding& binding) {
  const RuntimeScope runtime = enter_runtime(arguments.threads);
  const std::shared_ptr<const SavedModel> model =
      load_model(model_path(arguments.model), arguments.changes);
  require_no_target(arguments, *model);
  AnswerQuestion question{
      .text = arguments.text, .languages = arguments.languages, .options = arguments.explanation};
  if (binding.is_set("target")) question.translation = arguments.target;
  const OutputExplanation why = explain_answer(*model, question).why;
  if (arguments.format == OutputFormat::json) return answer("{}\n", json_text(to_json(why), 1));
  print(why);
}

}  // namespace

void add_explain_command(CLI::App& app) {
  CLI::App& command = add_command(app, "explain",
                                  "Explain why a model prefers one word to another: what each head "
                                  "and layer adds to the logits");
  const auto arguments = std::make_shared<ExplainArguments>();
  add_argument(command, arguments->model, {"model", "MODEL", kModelHelp});
  add_argument(command, arguments->text,
               {"text", "TEXT", "sentence to translate, or text to continue or to classify"});
  OptionBinding binding(command);
  binding.add(*arguments);
  on_command(command, [binding, arguments] { run_explain(*arguments, binding); });
}

}  // namespace attend
