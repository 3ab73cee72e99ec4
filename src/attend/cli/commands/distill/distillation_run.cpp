#include "attend/cli/commands/distill/distillation_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <span>
#include <utility>

#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/train/task_run.h"
#include "attend/cli/progress_line.h"
#include "attend/cli/stop_signal.h"
#include "attend/core/files/atomic_file.h"
#include "attend/core/files/lines.h"
#include "attend/core/strings/counted.h"
#include "attend/interchange/any_model.h"
#include "attend/tasks/translation/pair_text.h"
#include "attend/tasks/translation/training/training_text.h"

namespace attend {

namespace {

// How much of the loss comes from the probabilities of the teachers, unless it is said.
constexpr const char* kUsualWeight = "0.5";

void append(std::vector<std::string>& files, const std::vector<std::string>& more) {
  files.insert(files.end(), more.begin(), more.end());
}

// The paths of files that are relative to `data`, wherever the student looks for them.
std::vector<std::string> found(const std::string& data, std::vector<std::string> files) {
  files = in_folder(data, std::move(files));
  for (std::string& file : files) file = std::filesystem::absolute(file).string();
  return files;
}

// Counts on a line, and stops after a part when a signal asks for it.
class PartProgress {
 public:
  PartProgress(std::string unit, const std::string& resume_with)
      : resume_with_(resume_with), line_(ProgressLine::counting(std::move(unit), 0)) {}

  std::function<void(std::int64_t)> function() {
    return [this](std::int64_t done) {
      line_.add(done - std::exchange(done_, done));
      if (!stop_.flag()) return;
      line_.end();
      remark("stopped; resume with: {}\n", resume_with_);
      throw Interrupted{stop_.signal()};
    };
  }

 private:
  const std::string& resume_with_;
  StopSignal stop_;
  ProgressLine line_;
  std::int64_t done_ = 0;
};

}  // namespace

TranslationEngine ensemble_of(const Teachers& teachers) {
  TranslationEnsemble::Models models;
  for (const auto& teacher : teachers)
    models.push_back(std::make_shared<const TranslationModel>(translation_model(*teacher)));
  return TranslationEngine(TranslationEnsemble(std::move(models)));
}

DistillationRun::DistillationRun(DistillArguments& arguments, const IsSet& is_set)
    : arguments_(arguments), is_set_([this, &is_set](const std::string& name) {
        return settled_.contains(name) || (is_set(name) && !is_of_vocabulary(name));
      }) {
  for (const OptionGroup& group : arguments_.task->option_groups()) {
    fields_.insert(fields_.end(), group.fields.begin(), group.fields.end());
    if (group.name == "vocabulary")
      for (const OptionField& field : group.fields) vocabulary_.insert(field.name);
  }
  if (trains_teachers() && arguments_.distill.runs.runs == 0)
    throw ConfigError(
        "expected teachers, the models to learn from, or --teacher-runs to train some; got none");
  if (!trains_teachers() && is_set("teacher-options"))
    throw ConfigError("--teacher-options: works only with teachers of --teacher-runs");
  if (!list("prepared").empty())
    throw ConfigError("--prepared: expected --src-train, as teachers translate text, not tokens");
  take_texts();
  // Their options are read before anything is done.
  if (trains_teachers())
    teacher_run(*arguments_.task, arguments_.session, is_set_, arguments_.distill.runs, 1);
  if (!is_set("distill-weight")) settle("distill-weight", {kUsualWeight});
}

// Teachers that are trained here have the vocabulary that was asked for, which may be smaller.
bool DistillationRun::is_of_vocabulary(const std::string& name) const {
  return taught_here_ && soft_targets_count() && vocabulary_.contains(name);
}

std::vector<std::string> DistillationRun::list(std::string_view name) const {
  return option_values(*find_option(fields_, name));
}

void DistillationRun::settle(const std::string& name, const std::vector<std::string>& values) {
  set_option(*find_option(fields_, name), values, name);
  settled_.insert(name);
}

void DistillationRun::take_texts() {
  const std::string data = text("data");
  const DistillOptions& o = arguments_.distill;
  pairs_ = {found(data, list("src-train")), found(data, list("tgt-train"))};
  const Texts more{found(data, o.src), found(data, o.tgt)};
  if (more.src.empty() && !more.tgt.empty())
    throw ConfigError("--tgt: works only with --src; add --src or leave out --tgt");
  texts_ = pairs_;
  append(texts_.src, more.src);
  if (more.tgt.empty()) {
    if (!more.src.empty()) texts_.tgt.clear();
  } else {
    append(pairs_.src, more.src);
    append(pairs_.tgt, more.tgt);
    append(texts_.tgt, more.tgt);
  }
  if (pairs_.tgt.empty()) pairs_.src.clear();
  if (texts_.src.empty())
    throw ConfigError("--src: expected the text for the teachers to translate, got none");
  if (trains_teachers() && pairs_.src.empty())
    throw ConfigError("--tgt-train: expected translations for --teacher-runs to learn from");
  require_readable(texts_.src);
  require_readable(pairs_.tgt);
}

void DistillationRun::train_teachers() {
  const int runs = arguments_.distill.runs.runs;
  std::vector<std::string> teachers;
  for (int number = 1; number <= runs; ++number) {
    RunVariant teacher =
        teacher_run(*arguments_.task, arguments_.session, is_set_, arguments_.distill.runs, number);
    const RunFolder folder(teacher.session.run.out);
    teachers.push_back(folder.path().string());
    const std::filesystem::path finished = folder.path() / "finished";
    remark("teacher {} of {}: {}\n", number, runs, shown_path(folder.path()));
    if (std::filesystem::exists(finished)) continue;
    train_task(*teacher.task, teacher.session, teacher.is_set);
    write_file_atomically(finished, "");
  }
  arguments_.session.run.teachers = std::move(teachers);
  taught_here_ = true;
}

TargetSource DistillationRun::source() const {
  return {texts_.src, texts_.tgt, languages(), std::stoull(text("seed"))};
}

void DistillationRun::settle_languages(const TranslationModel& teacher) {
  const PairTextOptions given{
      "", pairs_.src, pairs_.tgt, text("src-language"), text("tgt-language"), {}};
  const auto language_of = [&teacher](const std::string& known, const char* side) {
    const auto found = teacher.text_kinds.find(side);
    return known.empty() && found != teacher.text_kinds.end() ? found->second.language : known;
  };
  settle("src-language", {language_of(src_language_of(given), "src")});
  settle("tgt-language", {language_of(tgt_language_of(given), "tgt")});
}

std::filesystem::path DistillationRun::folder(const char* part) const {
  return std::filesystem::absolute(arguments_.session.run.out) / part;
}

TargetFiles DistillationRun::write_targets(const TranslationEngine& teachers) const {
  remark("translating the text with {}\n",
         counted(std::ssize(arguments_.session.run.teachers), "teacher"));
  PartProgress progress("sentences", arguments_.session.resume_with);
  return attend::write_targets(teachers, source(), arguments_.distill.targets, folder("targets"),
                               progress.function());
}

void DistillationRun::write_soft_targets(const TranslationEnsemble& teachers) {
  remark("writing the {} most likely tokens for each of their targets\n",
         arguments_.distill.teacher_top_k);
  PartProgress progress("pairs", arguments_.session.resume_with);
  const LengthOptions length{std::stoi(text("max-length")),
                             text("over-long") == "truncate" ? OverLong::truncate : OverLong::skip};
  attend::write_soft_targets(teachers, {list("src-train"), list("tgt-train"), length, languages()},
                             arguments_.distill.teacher_top_k, folder("probabilities"),
                             progress.function());
  settle("soft-targets", {folder("probabilities").string()});
}

void DistillationRun::fit_lengths(const TranslationEnsemble& teachers) {
  std::int64_t length = std::stoll(text("max-length"));
  for (const auto& teacher : teachers.models()) {
    const PairTokens tokens(teacher->format.of(languages()), teacher->tgt_tokenizer.eos_id());
    if (const std::int64_t room = PairBatches::room_for_text(*teacher, tokens); room > 0)
      length = std::min(length, room);
  }
  if (length == std::stoll(text("max-length"))) return;
  remark("max-length is {}: the teachers have positions for no more\n", length);
  settle("max-length", {fmt::format("{}", length)});
}

void DistillationRun::prepare_student() {
  const RuntimeScope runtime = enter_runtime(arguments_.session.run.threads);
  const TranslationEngine teachers = ensemble_of(load_teachers(arguments_.session.run));
  settle_languages(teachers.model());
  Texts all = arguments_.distill.given_targets ? pairs_ : Texts{};
  if (arguments_.distill.targets.targets == TargetChoice::none) {
    all = pairs_;
  } else {
    const TargetFiles written = write_targets(teachers);
    remark("{} in {}\n", counted(written.pairs, "target"), shown_path(written.tgt));
    all.src.push_back(written.src.string());
    all.tgt.push_back(written.tgt.string());
  }
  train_on(all);
  // Teachers whose probabilities do not count are not loaded.
  if (!soft_targets_count()) return arguments_.session.run.teachers.clear();
  fit_lengths(teachers.ensemble());
  if (arguments_.distill.teacher_top_k > 0) write_soft_targets(teachers.ensemble());
}

void DistillationRun::train_on(const Texts& texts) {
  settle("src-train", texts.src);
  settle("tgt-train", texts.tgt);
}

void DistillationRun::run() {
  SessionOptions& session = arguments_.session;
  session.resume_with =
      fmt::format("attend distill --resume --out {}", shown_path(session.run.out));
  if (trains_teachers()) train_teachers();
  prepare_student();
  remark("student: {}\n", shown_path(session.run.out));
  session.resume = !RunFolder(session.run.out).checkpoints().empty();
  train_task(*arguments_.task, session, is_set_);
}

}  // namespace attend
