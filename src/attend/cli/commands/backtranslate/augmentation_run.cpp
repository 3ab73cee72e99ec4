#include "attend/cli/commands/backtranslate/augmentation_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/backtranslate/augmented_text.h"
#include "attend/cli/commands/parts/part_progress.h"
#include "attend/cli/commands/parts/translating.h"
#include "attend/cli/commands/train/task_run.h"
#include "attend/core/files/lines.h"
#include "attend/core/strings/counted.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/any_model.h"
#include "attend/tasks/training/initial_vocabulary.h"
#include "attend/tasks/training/part_folder.h"
#include "attend/tasks/translation/pair_text.h"

namespace attend {

namespace {

void append_files(std::vector<std::string>& files, const std::vector<std::string>& more) {
  files.insert(files.end(), more.begin(), more.end());
}

// Every option of one side has the value of the other.
void swap_sides(SettledOptions& options) {
  for (const std::string& name : options.names()) {
    if (!name.starts_with("src-")) continue;
    const std::string other = "tgt-" + name.substr(4);
    if (!options.has(other)) continue;
    const std::vector<std::string> src = options.list(name), tgt = options.list(other);
    if (src == tgt) continue;
    options.settle(name, tgt);
    options.settle(other, src);
  }
}

}  // namespace

AugmentationRun::AugmentationRun(AugmentationArguments& arguments, const IsSet& is_set)
    : arguments_(arguments), is_set_(is_set), given_(*arguments.task, is_set) {
  plan_ = augmentation_plan(arguments_.options.texts);
  arguments_.options.search.targets();
  check_options_of_training();
  const PairTextOptions of_files{"",
                                 given_.list("src-train"),
                                 given_.list("tgt-train"),
                                 given_.text("src-language"),
                                 given_.text("tgt-language"),
                                 {}};
  require_files(of_files);
  src_language_ = src_language_of(of_files);
  tgt_language_ = tgt_language_of(of_files);
  pairs_ = {given_.files("src-train"), given_.files("tgt-train")};
  require_pairs(pairs_.src, pairs_.tgt);
  require_pairs(given_.files("src-valid"), given_.files("tgt-valid"));
  for (const TranslationDirection direction :
       {TranslationDirection::forward, TranslationDirection::reverse})
    require_text(mono_of(direction));
  for (const AugmentationPart& part : plan_) {
    if (part.round > 2) break;  // the same again
    if (part.step == AugmentationStep::training) {
      const Training training = training_of(part, {});  // reads its options
      // A vocabulary that is there already needs no symbols before the first round.
      if (part.round > 0 || training.variant.session.run.init_from.empty()) check_symbols(training);
    }
    if (part.step == AugmentationStep::given_model)
      require_language(part, translation_model(load_any_model(part.folder)));
  }
}

void AugmentationRun::check_options_of_training() const {
  const auto refuse = [this](const char* name, const char* why) {
    if (is_set_(name)) throw ConfigError(fmt::format("--{}: expected none, as {}", name, why));
  };
  refuse("prepared", "the training text is joined with translations; give --src-train");
  refuse("context", "the sentences of a translated text may be filtered out");
  refuse("soft-targets", "they belong to one text; see attend distill");
  if (!arguments_.session.run.teachers.empty())
    throw ConfigError("--teachers: expected none; attend distill takes the finished model");
  const RunOptions& run = arguments_.session.run;
  const auto names_a_model = [](const std::string& option) {
    return option.starts_with("init-from=") || option.starts_with("init_from=");
  };
  const std::vector<std::string>& reverse = arguments_.options.texts.reverse_options;
  for (const AugmentationPart& part : plan_)
    if (!run.init_from.empty() && part.direction == TranslationDirection::reverse &&
        part.step == AugmentationStep::training &&
        std::none_of(reverse.begin(), reverse.end(), names_a_model))
      throw ConfigError(
          "--init-from: expected a model for the other direction, too: --reverse, or "
          "init-from=MODEL in --reverse-options");
}

std::vector<std::string> AugmentationRun::symbols() const {
  std::vector<std::string> symbols = given_.list("user-symbols");
  const auto add = [&symbols](std::string_view symbol) {
    if (std::find(symbols.begin(), symbols.end(), symbol) == symbols.end())
      symbols.emplace_back(symbol);
  };
  const AugmentationOptions& o = arguments_.options;
  if (!o.texts.tgt_mono.empty() && !o.pairs.tag.empty()) add(o.pairs.tag);
  if (o.has_noise() && o.search.noise.blank > 0) add(kBlankWord);
  return symbols;
}

void AugmentationRun::check_symbols(const Training& training) const {
  const std::vector<std::string> all = symbols();
  if (all.size() == given_.list("user-symbols").size()) return;
  const RunOptions& run = training.variant.session.run;
  if (!run.init_vocabulary.empty())
    return require_symbols(all, load_vocabulary(run.init_vocabulary.front()),
                           run.init_vocabulary.front());
  if (run.init_from.empty())
    return require_symbols(all, training.options->part<TokenizerOptions>());
  require_symbols(all, translation_model(load_any_model(run.init_from)).src_tokenizer,
                  run.init_from);
}

std::vector<std::string> AugmentationRun::mono_of(TranslationDirection direction) const {
  const AugmentationTexts& texts = arguments_.options.texts;
  return given_.found(direction == TranslationDirection::forward ? texts.src_mono : texts.tgt_mono);
}

LanguagePair AugmentationRun::languages_of(TranslationDirection direction) const {
  const LanguagePair languages{given_.text("src-lang"), given_.text("tgt-lang")};
  if (direction == TranslationDirection::forward) return languages;
  return {languages.target, languages.source};
}

std::filesystem::path AugmentationRun::folder_of(const AugmentationPart& part) const {
  if (part.step == AugmentationStep::given_model) return part.folder;
  const std::filesystem::path run = std::filesystem::absolute(arguments_.session.run.out);
  return part.folder.empty() ? run : run / part.folder;
}

std::string AugmentationRun::name_of(const AugmentationPart& part) const {
  const bool forward = part.direction == TranslationDirection::forward;
  if (part.step == AugmentationStep::translation)
    return fmt::format("round {}, translation of {}", part.round,
                       forward ? "--src-mono" : "--tgt-mono");
  return fmt::format("{}{} model", part.round > 0 ? fmt::format("round {}, ", part.round) : "",
                     forward ? "forward" : "reverse");
}

AugmentationRun::Training AugmentationRun::training_of(const AugmentationPart& part,
                                                       const PairFilePaths& written) const {
  SessionOptions session = arguments_.session;
  std::vector<OptionValue> values;
  if (part.direction == TranslationDirection::reverse)
    for (const std::string& text : arguments_.options.texts.reverse_options)
      values.push_back(
          option_value_of(text, run_fields(session, *arguments_.task), "--reverse-options",
                          {"out", "data", "teachers", "src-train", "tgt-train", "src-valid",
                           "tgt-valid", "src-language", "tgt-language", "src-lang", "tgt-lang",
                           "user-symbols", "prepared", "context", "soft-targets", "mix-weights"}));
  Training training{variant_of(*arguments_.task, session, is_set_, values, folder_of(part)), {}};
  RunVariant& variant = training.variant;
  training.options = std::make_unique<SettledOptions>(*variant.task, variant.is_set);
  SettledOptions& options = *training.options;
  variant.is_set = options.is_set();
  options.settle("src-language", {src_language_});
  options.settle("tgt-language", {tgt_language_});
  PairFilePaths texts = pairs_;
  if (part.direction == TranslationDirection::reverse) {
    swap_sides(options);
    std::swap(texts.src, texts.tgt);
    options.settle("inline-terms", {});  // which have the languages of the run
  }
  append_files(texts.src, written.src);
  append_files(texts.tgt, written.tgt);
  options.settle("src-train", texts.src);
  options.settle("tgt-train", texts.tgt);
  if (variant.session.run.init_from.empty()) options.settle("user-symbols", symbols());
  weigh_texts(training, written.src.size());
  return training;
}

void AugmentationRun::weigh_texts(Training& training, std::size_t written) const {
  std::vector<std::string> weights = given_.list("mix-weights");
  const std::size_t given = pairs_.src.size();
  if (!weights.empty() && weights.size() != given + 1)
    throw ConfigError(fmt::format(
        "--mix-weights: expected {}, one for each file of --src-train and the last for what is "
        "translated, got {}",
        counted(static_cast<std::int64_t>(given + 1), "weight"), weights.size()));
  if (written > 0) return;
  if (!weights.empty()) weights.pop_back();
  if (given == 1) {
    weights.clear();
    training.options->settle("mix-temperature", {"1"});
  }
  training.options->settle("mix-weights", weights);
}

void AugmentationRun::require_language(const AugmentationPart& part,
                                       const TranslationModel& model) const {
  const bool forward = part.direction == TranslationDirection::forward;
  const std::string& expected = forward ? src_language_ : tgt_language_;
  const auto found = model.text_kinds.find("src");
  if (expected.empty() || found == model.text_kinds.end() || found->second.language.empty() ||
      found->second.language == expected)
    return;
  throw ConfigError(fmt::format(
      "--{}: expected a translator from {}, got one from {}: {}", forward ? "forward" : "reverse",
      printable(expected, 50), printable(found->second.language, 50), printable(part.folder, 500)));
}

TargetSource AugmentationRun::source_of(const AugmentationPart& part, std::string checksums) const {
  // The parts of a text have the seeds that follow.
  const std::uint64_t seed =
      std::stoull(given_.text("seed")) + (static_cast<std::uint64_t>(part.round) << 32);
  return {mono_of(part.direction), {}, languages_of(part.direction), seed, std::move(checksums)};
}

void AugmentationRun::train(const AugmentationPart& part, const PairFilePaths& written) {
  Training training = training_of(part, written);
  const SettledOptions& options = *training.options;
  const std::filesystem::path folder = folder_of(part);
  std::string settings;
  for (const char* name : {"src-train", "tgt-train", "src-valid", "tgt-valid"})
    settings += checksums_of(options.files(name));
  open_part_folder(folder, settings, "checkpoints");
  if (!part.folder.empty()) return train_part(training.variant);
  train_task(*training.variant.task, training.variant.session, training.variant.is_set);
}

PairFilePaths AugmentationRun::translate(const AugmentationPart& part,
                                         const std::string& model) const {
  const SessionOptions& session = arguments_.session;
  const RuntimeScope runtime = enter_runtime(session.run.threads);
  const Teachers translator{std::make_shared<const Checkpoint>(load_any_model(model))};
  const TranslationEngine engine = ensemble_of(translator);
  const AugmentationOptions& o = arguments_.options;
  const std::filesystem::path folder = folder_of(part);
  TargetFiles written;
  {
    PartProgress progress("sentences", session.resume_with);
    written = write_targets(engine, source_of(part, checksums_of(translator)), o.search.targets(),
                            folder, progress.function());
  }
  const WrittenSide side = o.texts.tgt_mono.empty() ? WrittenSide::target : WrittenSide::source;
  const TranslatedPairs pairs = write_translated_pairs(
      engine, written, side, o.pairs, languages_of(part.direction), folder / "pairs");
  remark("{} of {} kept, in {}\n", counted(pairs.pairs, "pair"), readable_count(pairs.translations),
         shown_path(pairs.src.parent_path()));
  return {{pairs.src.string()}, {pairs.tgt.string()}};
}

void AugmentationRun::run() {
  SessionOptions& session = arguments_.session;
  session.resume_with =
      fmt::format("attend backtranslate --resume --out {}", shown_path(session.run.out));
  std::vector<PairFilePaths> written(plan_.size());
  for (std::size_t i = 0; i < plan_.size(); ++i) {
    const AugmentationPart& part = plan_[i];
    if (part.step == AugmentationStep::given_model) continue;
    remark("part {} of {}: {}, {}\n", i + 1, plan_.size(), name_of(part),
           shown_path(folder_of(part)));
    const auto from = static_cast<std::size_t>(part.from);
    if (part.step == AugmentationStep::translation) {
      written[i] = translate(part, folder_of(plan_[from]).string());
    } else {
      train(part, part.from < 0 ? PairFilePaths{} : written[from]);
    }
  }
}

}  // namespace attend
