#include <fmt/format.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/model_path.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/binding/translators.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/commands/translate/translate_documents.h"
#include "attend/cli/output.h"
#include "attend/cli/output_format.h"
#include "attend/cli/progress_line.h"
#include "attend/cli/standard_input.h"
#include "attend/cli/text_input.h"
#include "attend/cli/told_trust.h"
#include "attend/cli/unanswered_lines.h"
#include "attend/core/files/atomic_lines.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/inspect/beam_tree.h"
#include "attend/tasks/loaded_model.h"
#include "attend/tasks/quality/scorer.h"
#include "attend/tasks/translation/engine.h"

namespace attend {
namespace {

struct TranslateArguments {
  std::string model;
  std::string via;
  std::string then;
  std::vector<std::string> ensemble;
  DocumentArguments document;
  OutputFormat format = OutputFormat::text;
  bool sample = false;
  std::string comet;
  std::string rerank;
  std::string prefix;
  std::string beam_tree;
  UnansweredLineOptions lines;
  ThreadOptions threads;
  TranslationOptions translation;
  SamplingOptions sampling;
  AttentionChangeOptions attention;
};

template <class Visitor>
void fields(TranslateArguments& a, Visitor&& visit) {
  fields(a.document, visit);
  visit("format", a.format,
        "text: one translation per line (--n-best: number ||| translation ||| score; --alignment "
        "appends ||| 0-0 2-1); json: one object "
        "per line");
  visit("sample", a.sample, "draw translations at random instead of searching for the best");
  visit("comet", a.comet,
        "model that scores translations by references, such as COMET, for --mbr comet");
  visit("rerank", a.rerank,
        "model that estimates the quality of translations without references, such as CometKiwi: "
        "prefer the best of the beam or of --samples");
  visit("ensemble", a.ensemble, kEnsembleHelp);
  visit("via", a.via,
        "language to translate into first, and from there into --tgt-lang, for a multilingual "
        "model");
  visit("then", a.then,
        "second translation model, which translates what the first one writes; with --via, "
        "between both stands this language");
  visit("prefix", a.prefix,
        "file with the text that each translation must begin with, line by line; an empty line "
        "sets no prefix");
  visit("beam-tree", a.beam_tree,
        "file to write: a JSON object per line with the translation and every step of beam search");
  fields(a.lines, visit);
  fields(a.threads, visit);
  fields(a.translation, visit);
  fields(a.sampling, visit);
  fields(a.attention, visit);
}

// The file of --beam-tree: a line for every line of the input.
class BeamTreeFile {
 public:
  BeamTreeFile(const std::string& path, const Tokenizer& target) : file_(path), target_(target) {}

  std::function<void(std::size_t, const BeamStep&)> listener() const {
    return recorder_.listener();
  }
  void add(std::size_t line, const Translation& translation) {
    nlohmann::ordered_json json = translation_json(translation);
    json["steps"] = beam_json(recorder_.take(line), target_);
    write(json_text(json));
  }
  void add(std::size_t line, const LineError& error) {
    recorder_.take(line);
    write(json_text(error));
  }
  void commit() { file_.commit(); }

 private:
  void write(const std::string& line) {
    file_.add(line);
    file_.end_line();
  }

  AtomicLines file_;
  const Tokenizer& target_;
  BeamRecorder recorder_;
};

// " ||| 0-0 2-1", source word and target word, in the usual alignment format.
std::string alignment_text(const TranslationCandidate& candidate) {
  std::vector<std::string> pairs;
  for (const auto& [source, target] : candidate.alignment)
    pairs.push_back(fmt::format("{}-{}", source, target));
  return fmt::format(" ||| {}", fmt::join(pairs, " "));
}

// `via`: the text between two translations; null: there is one translation.
void print(const Translation& translation, std::int64_t number, const TranslateArguments& arguments,
           const std::string* via = nullptr) {
  const TranslationOptions& options = arguments.translation;
  if (arguments.format == OutputFormat::json) {
    nlohmann::ordered_json json = translation_json(translation, options.alignment);
    if (via != nullptr) json["via"] = *via;
    return answer("{}\n", json_text(json));
  }
  for (const TranslationCandidate& c : translation.candidates) {
    const std::string alignment = options.alignment ? alignment_text(c) : "";
    if (options.beam.n_best > 1) {
      answer("{} ||| {} ||| {:.4f}{}\n", number, c.text, c.score, alignment);
    } else {
      answer("{}{}\n", c.text, alignment);
    }
  }
}

// What the translations begin with; nullopt: they begin with anything.
std::optional<LineReader> read_prefixes(const std::string& file) {
  if (file.empty()) return std::nullopt;
  if (file == "-") throw ConfigError("--prefix: expected a file; standard input has the sentences");
  return LineReader(file);
}

bool draws(const TranslateArguments& a) { return a.sample || a.translation.samples > 0; }

// The options of decoding by search, of sampling and of detokenizing need what they are for.
void check(const TranslateArguments& a, const OptionBinding& binding) {
  if (draws(a)) {
    binding.refuse_beside(
        a.sample ? "--sample" : "--samples",
        {"beam-size", "length-penalty", "patience", "beam-tree", "must-contain", "prefix-weight"});
  } else {
    binding.refuse_without("--sample or --samples", {"temperature", "top-k", "top-p", "seed"});
  }
  for (const auto& [option, value] : {std::pair("--via", &a.via), std::pair("--then", &a.then)})
    if (!value->empty())
      binding.refuse_beside(option,
                            {"alignment", "beam-tree", "context", "glossary", "must-contain",
                             "must-not-contain", "prefix", "sample", "samples", "shortlist"});
  if (!a.then.empty()) binding.refuse_beside("--then", {"ensemble"});
  if (a.prefix.empty()) binding.refuse_without("--prefix", {"prefix-weight"});
  const TextPreparation& preparation = a.translation.preparation;
  if (preparation.tokenize == WordSplitting::moses) return;
  binding.refuse_without("--tokenize moses", {"detokenize"});
  const bool has_target_text = !a.prefix.empty() || !a.translation.must_contain.empty() ||
                               !a.translation.must_not_contain.empty();
  if (!preparation.normalize_punctuation || !has_target_text)
    binding.refuse_without("--tokenize moses", {"tgt-language"});
}

// A model that chooses among candidates; none without a path.
std::optional<QualityScorer> choosing_model(const char* option, const std::string& path) {
  if (path.empty()) return std::nullopt;
  const auto loaded = LoadedModel::load(model_path(path));
  const auto* const model = dynamic_cast<const QualityModel*>(loaded->model().get());
  if (model == nullptr)
    throw ConfigError(
        fmt::format("{}: expected a model that scores translations, such as COMET or CometKiwi; {} "
                    "is for {}",
                    option, printable(path), loaded->model()->task()));
  return QualityAccess::scorer(QualityEngine(*model));
}

bool has_choice_of_languages(const TranslationEngine& engine) {
  return !engine.model().format.languages.empty();
}

// The first model translates into the language between, the second one from there, as far as they
// have a choice. Sentences of the first one have one translation. Throws ConfigError for a language
// that no model has a choice of.
void set_language_between(const std::string& via, TranslationStep& first, TranslationStep& second) {
  first.options.beam.n_best = 1;
  std::string &into = first.options.languages.target, &from = second.options.languages.source;
  into = has_choice_of_languages(first.engine) ? via : "";
  from = has_choice_of_languages(second.engine) ? via : "";
  if (!via.empty() && into.empty() && from.empty())
    throw OptionError<ConfigError>("{}: expected a multilingual model; these have no choice",
                                   as_flag("via"));
}

void run_translate(TranslateArguments& arguments, const OptionBinding& binding) {
  check(arguments, binding);
  const bool is_document = has_document(arguments.document, binding);
  const RuntimeScope runtime = enter_runtime(arguments.threads);
  const TranslationEngine translator =
      with_ensemble(*load_model(model_path(arguments.model), arguments.attention),
                    arguments.ensemble, arguments.attention);
  TranslationOptions& options = arguments.translation;
  options.comet = choosing_model("--comet", arguments.comet);
  options.rerank = choosing_model("--rerank", arguments.rerank);
  std::optional<TranslationEngine> then;
  if (!arguments.then.empty())
    then.emplace(
        model_as<TranslationModel>(*load_model(model_path(arguments.then), arguments.attention)));
  const bool goes_on = then || !arguments.via.empty();
  const TranslationEngine& last = then ? *then : translator;
  TranslationOptions second = options;
  binding.use_defaults(last.default_options(), second);
  binding.use_defaults(translator.default_options(), options);
  if (draws(arguments)) {
    options.sampling = arguments.sampling;
    options.sampling->max_length = options.beam.max_length;
  }

  std::vector<TranslationStep> steps{{translator, options}};
  if (goes_on) {
    steps.push_back({last, second});
    set_language_between(arguments.via, steps.front(), steps.back());
  }
  if (is_document) return translate_document(arguments.document, steps);
  if (goes_on && last.model().format.context.sentences > 0)
    throw OptionError<ConfigError>(
        "{}: expected a model that reads lines without those before; with {}, {} or {} it reads "
        "them",
        as_flag(then ? "then" : "via"), as_flag("text"), as_flag("html"), as_flag("file"));

  LineReader lines = standard_input();
  TextInput input(translator.model(), options.preparation);
  input.watch(lines);
  std::optional<LineReader> prefixes = read_prefixes(arguments.prefix);
  std::optional<BeamTreeFile> tree;
  if (!arguments.beam_tree.empty()) {
    tree.emplace(arguments.beam_tree, translator.model().tgt_tokenizer);
    steps.front().options.search_listener = tree->listener();
  }
  UnansweredLines unanswered(arguments.lines);
  const auto line = [&] { return static_cast<std::size_t>(unanswered.lines()); };
  TrustSummary trust;
  const std::string* between = nullptr;
  const auto accept = [&](const Translation& translation) {
    if (options.trust) trust.add(*translation.candidates.front().trust);
    if (tree) tree->add(line(), translation);
    print(translation, unanswered.lines(), arguments, between);
  };
  const auto leave_empty = [&](const LineError& error) {
    if (tree) tree->add(line(), error);
    if (arguments.format == OutputFormat::json) {
      answer("{}\n", json_text(error));
    } else {
      print({.candidates = {TranslationCandidate{}}, .source_tokens = {}}, unanswered.lines(),
            arguments);
    }
  };
  ProgressLine progress = ProgressLine::over_lines("-", /*answering=*/true);
  AnswerSink<Translation> sink =
      progress.counted(unanswered.sink<Translation>(accept, leave_empty));
  std::optional<SecondTranslation> again;
  if (goes_on) {
    again.emplace(steps.back(), std::move(sink));
    between = &again->between();
    sink = again->of_first();
  }
  translator.translate(lines, sink, steps.front().options, prefixes ? &*prefixes : nullptr);
  if (again) again->finish();
  progress.end();
  if (tree) tree->commit();
  if (options.trust) tell_trust(trust);
  input.tell_warning();
  unanswered.tell_count();
}

}  // namespace

void add_translate_command(CLI::App& app) {
  CLI::App& command = add_command(
      app, "translate", "Translate standard input line by line, or whole texts and files");
  const auto arguments = std::make_shared<TranslateArguments>();
  add_argument(command, arguments->model, {"model", "MODEL", kModelHelp});
  OptionBinding binding(command);
  binding.add(*arguments);
  on_command(command, [binding, arguments] { run_translate(*arguments, binding); });
}

}  // namespace attend
