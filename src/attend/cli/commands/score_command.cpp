#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "attend/cli/binding/command.h"
#include "attend/cli/binding/model_path.h"
#include "attend/cli/binding/options_binding.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/binding/translators.h"
#include "attend/cli/commands/commands.h"
#include "attend/cli/output.h"
#include "attend/cli/output_format.h"
#include "attend/cli/progress_line.h"
#include "attend/cli/standard_input.h"
#include "attend/cli/told_trust.h"
#include "attend/cli/unanswered_lines.h"
#include "attend/core/files/lines.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/options/options.h"
#include "attend/error.h"
#include "attend/inspect/beam_tree.h"
#include "attend/metrics.h"
#include "attend/tasks/language/scoring.h"
#include "attend/tasks/loaded_model.h"
#include "attend/tasks/quality/engine.h"
#include "attend/tasks/translation/engine.h"
#include "attend/text/preparation.h"

namespace attend {
namespace {

struct ScoreArguments {
  std::string model;
  std::vector<std::string> ensemble;
  std::string src;
  std::string tgt;
  std::string ref;
  std::string text;
  bool tokens = false;
  bool bits_per_character = false;
  OutputFormat format = OutputFormat::text;
  ScoringOptions scoring;
  LanguagePair languages;
  AttentionChangeOptions attention;
  UnansweredLineOptions lines;
  ThreadOptions threads;
};

template <class Visitor>
void fields(ScoreArguments& a, Visitor&& visit) {
  visit("src", a.src, "source text, for a model that translates or scores translations");
  visit("tgt", a.tgt, "translation of --src, line by line, for the same models");
  visit("ref", a.ref,
        "reference translations, for a model that scores translations, such as COMET");
  visit("text", a.text,
        "text to score line by line, for a language model; without --text, standard input");
  visit("ensemble", a.ensemble, kEnsembleHelp);
  visit("tokens", a.tokens, "also print the log-probability of every token");
  visit("bits-per-character", a.bits_per_character,
        "also print the bits per character over all lines to standard error, for a language model");
  visit("trust", a.scoring.trust,
        "also print how far to trust a translation: its confidence, from 0 to 1, for a model with "
        "attend calibrate, and flags for what looks wrong");
  visit("format", a.format,
        "text: the log-probability of each line; json: one object per line, with bits per "
        "character for language models");
  visit("max-tokens", a.scoring.max_tokens, between(1, 1e6), "longest text to score, in tokens");
  fields(a.languages, visit);
  fields(a.scoring.preparation, visit);
  visit("tgt-language", a.scoring.preparation.tgt_language,
        "language of --tgt, for --tokenize and --normalize-punctuation: en, de or fr; default: the "
        "model's");
  fields(a.attention, visit);
  fields(a.lines, visit);
  fields(a.threads, visit);
}

// Its confidence and the names of its flags, or "-".
std::string trust_columns(const TranslationTrust& trust) {
  std::vector<std::string> names;
  for (const TranslationFlag& flag : trust.flags) names.push_back(flag.name);
  return fmt::format("\t{}\t{}", trust.confidence ? fmt::format("{:.4f}", *trust.confidence) : "-",
                     names.empty() ? "-" : fmt::format("{}", fmt::join(names, ",")));
}

std::string to_text(const SequenceScore& score, bool tokens) {
  std::string text = fmt::format("{:.6f}", score.log_probability);
  if (score.trust) text += trust_columns(*score.trust);
  return tokens ? fmt::format("{}\t{:.6f}", text, fmt::join(score.token_scores, " ")) : text;
}

std::string to_json(const SequenceScore& score, bool tokens) {
  nlohmann::ordered_json json{{"log_probability", score.log_probability},
                              {"tokens", score.token_scores.size()}};
  if (score.characters > 0) {
    Perplexity line;
    line.add(-double{score.log_probability}, std::ssize(score.token_scores), 0, score.characters);
    json["characters"] = score.characters;
    json["bits_per_character"] = line.bits_per_character();
  }
  if (score.trust) json.update(trust_json(*score.trust));
  if (tokens) json["token_log_probabilities"] = score.token_scores;
  return json_text(json);
}

// The score of each translation, by a model of their quality.
void score_quality(const QualityModel& model, const ScoreArguments& arguments,
                   const OptionBinding& binding) {
  const std::string_view what = "a model that scores translations";
  ScoreArguments own;
  for (const OptionField& field : option_fields(own))
    if (field.name != "src" && field.name != "tgt" && field.name != "ref" &&
        field.name != "format" && field.name != "threads")
      binding.refuse_beside(what, {field.name});
  if (arguments.tgt.empty())
    throw ConfigError("--tgt: expected the file with the translations, got none");
  if (model.reads_source() && arguments.src.empty())
    throw ConfigError("--src: expected the file with the sources, got none");
  if (model.needs_reference() && arguments.ref.empty())
    throw ConfigError("--ref: expected the file with the references, got none");
  const auto lines_of = [](const std::string& path) {
    return path.empty() ? std::vector<std::string>() : read_lines(path);
  };
  const std::vector<std::string> sources = lines_of(arguments.src),
                                 references = lines_of(arguments.ref),
                                 translations = lines_of(arguments.tgt);
  const QualityEngine engine(model);
  for (const float score : engine.score_lines(translations, {sources, references})) {
    const nlohmann::ordered_json json{{"score", score}};
    answer("{}\n",
           arguments.format == OutputFormat::json ? json_text(json) : fmt::format("{:.6f}", score));
  }
}

AnswerSink<SequenceScore> printed(UnansweredLines& unanswered, const ScoreArguments& arguments) {
  const bool json = arguments.format == OutputFormat::json, tokens = arguments.tokens;
  return unanswered.sink<SequenceScore>(
      [json, tokens](const SequenceScore& score) {
        answer("{}\n", json ? to_json(score, tokens) : to_text(score, tokens));
      },
      [json](const LineError& error) { answer("{}\n", json ? json_text(error) : ""); });
}

void score_translations(const TranslationEngine& translator, const ScoreArguments& arguments) {
  if (!arguments.text.empty())
    throw ConfigError(
        "--text: expected a language model; a translation model scores --src and --tgt");
  if (arguments.bits_per_character)
    throw ConfigError("--bits-per-character: expected a language model, got one for translation");
  if (!arguments.ref.empty())
    throw ConfigError("--ref: expected a model that scores translations, got one that translates");
  if (arguments.src.empty())
    throw ConfigError("--src: expected the file with the sources, got none");
  if (arguments.tgt.empty())
    throw ConfigError("--tgt: expected the file with the translations, got none");
  if (arguments.src == "-" && arguments.tgt == "-")
    throw ConfigError("--src, --tgt: expected standard input (-) for one of them, got it for both");
  LineReader src(arguments.src), tgt(arguments.tgt);
  UnansweredLines unanswered(arguments.lines);
  ProgressLine progress = ProgressLine::over_lines(arguments.src, /*answering=*/true);
  AnswerSink<SequenceScore> sink = printed(unanswered, arguments);
  TrustSummary trust;
  sink.accept = [&trust, accept = sink.accept](const SequenceScore& score) {
    if (score.trust) trust.add(*score.trust);
    accept(score);
  };
  translator.score(src, tgt, progress.counted(sink), arguments.scoring, arguments.languages);
  progress.end();
  if (arguments.scoring.trust) tell_trust(trust);
  unanswered.tell_count();
}

void score_text(const LanguageModel& model, const ScoreArguments& arguments) {
  if (!arguments.src.empty() || !arguments.tgt.empty() || !arguments.ref.empty())
    throw ConfigError(
        "--src, --tgt, --ref: expected a translation model; a language model scores --text, or "
        "standard "
        "input");
  if (!arguments.languages.source.empty() || !arguments.languages.target.empty())
    throw ConfigError("--src-lang, --tgt-lang: expected a translation model");
  if (!arguments.scoring.preparation.tgt_language.empty())
    throw ConfigError("--tgt-language: expected a translation model");
  if (!arguments.ensemble.empty()) throw ConfigError("--ensemble: expected a translation model");
  if (arguments.scoring.trust) throw ConfigError("--trust: expected a translation model");
  LineReader lines = arguments.text.empty() ? standard_input() : LineReader(arguments.text);
  UnansweredLines unanswered(arguments.lines);
  AnswerSink<SequenceScore> sink = printed(unanswered, arguments);
  Perplexity all;
  sink.accept = [&all, accept = sink.accept](const SequenceScore& score) {
    all.add(-double{score.log_probability}, std::ssize(score.token_scores), 0, score.characters);
    accept(score);
  };
  ProgressLine progress = ProgressLine::over_lines(arguments.text.empty() ? "-" : arguments.text,
                                                   /*answering=*/true);
  score_lines(model, lines, arguments.scoring, progress.counted(sink));
  progress.end();
  unanswered.tell_count();
  flush_answers();
  if (arguments.bits_per_character && all.tokens > 0)
    tell("{:.4f} bits per character, perplexity {:.2f} per token\n", all.bits_per_character(),
         all.per_token());
}

void run_score(const ScoreArguments& arguments, const OptionBinding& binding) {
  const RuntimeScope runtime = enter_runtime(arguments.threads);
  visit_model(
      *load_model(model_path(arguments.model), arguments.attention),
      [&](const TranslationModel& model) {
        score_translations(with_ensemble(model, arguments.ensemble, arguments.attention),
                           arguments);
      },
      [&](const LanguageModel& model) { score_text(model, arguments); },
      [&](const QualityModel& model) { score_quality(model, arguments, binding); },
      [](const SavedModel& model) {
        throw DataError(fmt::format(
            "{}: expected a model for translation, language modeling or quality, found one for {}",
            model.source, model.task()));
      });
}

}  // namespace

void add_score_command(CLI::App& app) {
  CLI::App& command = add_command(
      app, "score",
      "Print the log-probability (natural logarithm) of given translations, or of lines of text; "
      "or scores of translations by COMET");
  const auto arguments = std::make_shared<ScoreArguments>();
  add_argument(command, arguments->model, {"model", "MODEL", kModelHelp});
  OptionBinding binding(command);
  binding.add(*arguments);
  on_command(command, [binding, arguments] { run_score(*arguments, binding); });
}

}  // namespace attend
