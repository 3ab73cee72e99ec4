#include "attend/cli/commands/distill/translation_lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "attend/cli/commands/parts/part_progress.h"
#include "attend/cli/commands/parts/translating.h"
#include "attend/core/strings/counted.h"
#include "attend/tasks/training/part_folder.h"
#include "attend/tasks/translation/pair_text.h"
#include "attend/tasks/translation/training/shortlist_training.h"
#include "attend/tasks/translation/training/training_text.h"

namespace attend {

namespace {

void append(std::vector<std::string>& files, const std::vector<std::string>& more) {
  files.insert(files.end(), more.begin(), more.end());
}

LanguagePair languages_of(const SettledOptions& student) {
  return {student.text("src-lang"), student.text("tgt-lang")};
}

// Lowers the student's max-length to the positions of the teachers.
void fit_lengths(const TranslationEnsemble& teachers, SettledOptions& student) {
  std::int64_t length = std::stoll(student.text("max-length"));
  for (const auto& teacher : teachers.models()) {
    const PairTokens tokens(teacher->format.of(languages_of(student)),
                            teacher->tgt_tokenizer.eos_id());
    if (const std::int64_t room = PairBatches::room_for_text(*teacher, tokens); room > 0)
      length = std::min(length, room);
  }
  if (length == std::stoll(student.text("max-length"))) return;
  remark("max-length is {}: the teachers have positions for no more\n", length);
  student.settle("max-length", {fmt::format("{}", length)});
}

}  // namespace

void TranslationLesson::take_texts(const SettledOptions& student) {
  if (!student.list("prepared").empty())
    throw ConfigError("--prepared: expected --src-train, as teachers translate text, not tokens");
  pairs_ = {student.files("src-train"), student.files("tgt-train")};
  const Texts more{student.found(options_.src), student.found(options_.tgt)};
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
  require_readable(texts_.src);
  require_readable(pairs_.tgt);
}

void TranslationLesson::require_text_of_teachers() const {
  if (pairs_.src.empty())
    throw ConfigError("--tgt-train: expected translations for --teacher-runs to learn from");
}

bool TranslationLesson::student_reads_teachers(const SettledOptions& student) const {
  return std::stod(student.text("distill-weight")) > 0.0;
}

void TranslationLesson::settle_languages(const TranslationModel& teacher,
                                         SettledOptions& student) const {
  const PairTextOptions given{
      "", pairs_.src, pairs_.tgt, student.text("src-language"), student.text("tgt-language"), {}};
  const auto language_of = [&teacher](const std::string& known, const char* side) {
    const auto found = teacher.text_kinds.find(side);
    return known.empty() && found != teacher.text_kinds.end() ? found->second.language : known;
  };
  student.settle("src-language", {language_of(src_language_of(given), "src")});
  student.settle("tgt-language", {language_of(tgt_language_of(given), "tgt")});
}

TargetSource TranslationLesson::targets_of(const SettledOptions& student) const {
  return {texts_.src, texts_.tgt, languages_of(student), std::stoull(student.text("seed")),
          checksums_};
}

TargetFiles TranslationLesson::write_targets(const TranslationEngine& teachers,
                                             const SettledOptions& student,
                                             const LessonPlace& place) const {
  remark("translating the text with {}\n",
         counted(std::ssize(teachers.ensemble().models()), "teacher"));
  PartProgress progress("sentences", place.resume_with);
  return attend::write_targets(teachers, targets_of(student), options_.targets,
                               place.out / "targets", progress.function());
}

void TranslationLesson::write_soft_targets(const TranslationEnsemble& teachers,
                                           SettledOptions& student,
                                           const LessonPlace& place) const {
  remark("writing the {} most likely tokens for each of their targets\n", options_.teacher_top_k);
  PartProgress progress("pairs", place.resume_with);
  const LengthOptions length{
      std::stoi(student.text("max-length")),
      student.text("over-long") == "truncate" ? OverLong::truncate : OverLong::skip};
  const std::filesystem::path folder = place.out / "probabilities";
  attend::write_soft_targets(teachers,
                             {student.list("src-train"), student.list("tgt-train"), length,
                              languages_of(student), checksums_},
                             options_.teacher_top_k, folder, progress.function());
  student.settle("soft-targets", {folder.string()});
}

void TranslationLesson::write(const Teachers& teachers, SettledOptions& student,
                              const LessonPlace& place) {
  const TranslationEngine engine = ensemble_of(teachers);
  checksums_ = checksums_of(teachers);
  settle_languages(engine.model(), student);
  Texts all = options_.given_targets ? pairs_ : Texts{};
  if (options_.targets.targets == TargetChoice::none) {
    all = pairs_;
  } else {
    const TargetFiles written = write_targets(engine, student, place);
    remark("{} in {}\n", counted(written.pairs, "target"), shown_path(written.tgt));
    all.src.push_back(written.src.string());
    all.tgt.push_back(written.tgt.string());
  }
  student.settle("src-train", all.src);
  student.settle("tgt-train", all.tgt);
  if (!student_reads_teachers(student)) return;
  fit_lengths(engine.ensemble(), student);
  if (options_.teacher_top_k > 0) write_soft_targets(engine.ensemble(), student, place);
}

Checkpoint TranslationLesson::for_use(const Checkpoint& model,
                                      const SettledOptions& student) const {
  if (!options_.shortlist) return model;
  const TextShortlist learned = shortlist_of_text(
      translation_model(model), student.list("src-train"), student.list("tgt-train"), {});
  return with_shortlist(model, learned.shortlist);
}

PartCosts TranslationLesson::measure(const Teachers& teachers, TeacherState state,
                                     SettledOptions& student, const std::filesystem::path&) {
  const TranslationEngine engine = ensemble_of(teachers);
  PartCosts cost;
  if (options_.targets.targets != TargetChoice::none)
    cost.push_back(targets_cost(engine, state, targets_of(student), options_.targets));
  // The text stands for its targets, which are as long.
  settle_languages(engine.model(), student);
  const Texts& text = pairs_.src.empty() ? Texts{texts_.src, texts_.src} : pairs_;
  student.settle("src-train", text.src);
  student.settle("tgt-train", text.tgt);
  return cost;
}

}  // namespace attend
