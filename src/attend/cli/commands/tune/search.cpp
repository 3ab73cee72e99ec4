#include "attend/cli/commands/tune/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "attend/checkpoint/run_lock.h"
#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/train/task_run.h"
#include "attend/cli/stop_signal.h"
#include "attend/core/files/atomic_file.h"
#include "attend/core/files/lines.h"
#include "attend/core/json/json.h"
#include "attend/core/strings/counted.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/train/readable.h"

namespace attend {

namespace {

constexpr double kWorst = -std::numeric_limits<double>::infinity();

// Ends a training after the validation of a step, or when a signal asks for it.
class UntilValidation final : public TrainingListener {
 public:
  // `is_last`: the training ends by itself, with what it does at its end.
  UntilValidation(std::int64_t step, bool is_last, ComparedBy by, const StopSignal& signal)
      : step_(step), is_last_(is_last), by_(by), signal_(signal) {}

  void on_step(const StepEvent&) override {
    if (signal_.flag()) stop_ = true;
  }
  void on_validation(const ValidationEvent& event) override {
    if (event.step < step_ || event.averaged > 0) return;
    score_ = by_ == ComparedBy::score ? event.score : -event.nll;
    if (!is_last_) stop_ = true;
  }
  const std::atomic<bool>& stop() const { return stop_; }
  std::optional<double> score() const { return score_; }

 private:
  std::int64_t step_;
  bool is_last_;
  ComparedBy by_;
  const StopSignal& signal_;
  std::atomic<bool> stop_ = false;
  std::optional<double> score_;
};

}  // namespace

std::vector<std::int64_t> rungs_of(int trials, int keep_one_of, std::int64_t all,
                                   std::int64_t unit) {
  std::vector<std::int64_t> rungs{all};
  for (std::int64_t left = trials / keep_one_of, steps = all / keep_one_of; left >= 1 && steps >= 1;
       left /= keep_one_of, steps /= keep_one_of)
    rungs.push_back(std::min(all, (steps + unit - 1) / unit * unit));
  std::reverse(rungs.begin(), rungs.end());
  return rungs;
}

std::int64_t trials_on(std::size_t rung, int trials, int keep_one_of) {
  std::int64_t left = trials;
  for (; rung > 0; --rung) left = std::max<std::int64_t>(1, left / keep_one_of);
  return left;
}

Search::Search(Trainable& task, const SessionOptions& session, const IsSet& is_set,
               const SearchOptions& options)
    : task_(task), session_(session), is_set_(is_set), options_(options) {
  SessionOptions copy = session;
  const std::vector<OptionField> fields = run_fields(copy, task);
  if (options.ranges.empty())
    throw ConfigError("--ranges: expected options to try, such as learning-rate=1e-4..1e-2");
  if (task.trainer().max_epochs > 0)
    throw ConfigError(
        "--max-epochs: expected 0 and a number of --max-steps, as trials are compared after steps");
  for (const std::string& text : options.ranges) ranges_.emplace_back(text, fields);
  const std::int64_t all = task.trainer().max_steps, every = task.trainer().valid_every;
  const std::int64_t first = rungs_of(options.trials, options.keep_one_of, all, 1).front();
  // Every rung needs a validation.
  const std::int64_t unit = every > 0 ? std::min(every, first) : first;
  valid_every_ = fmt::format("{}", unit);
  rungs_ = rungs_of(options.trials, options.keep_one_of, all, unit);
}

std::filesystem::path Search::folder(const Trial& trial) const {
  return std::filesystem::path(session_.run.out) / "trials" / fmt::format("{:03}", trial.number);
}

std::filesystem::path Search::result_file(const Trial& trial, std::int64_t steps) const {
  return folder(trial) / fmt::format("result-{}.json", steps);
}

std::optional<double> Search::known_score(const Trial& trial, std::int64_t steps) const {
  const std::filesystem::path file = result_file(trial, steps);
  if (!std::filesystem::exists(file)) return std::nullopt;
  std::string text;
  for (const std::string& line : read_lines(file.string())) text += line;
  const auto score = parse_json(text, file.string()).at("score");
  return score.is_number() ? score.get<double>() : kWorst;
}

bool Search::train(const Trial& trial, std::int64_t steps) const {
  const std::filesystem::path path = folder(trial);
  std::filesystem::create_directories(path);
  nlohmann::ordered_json result{{"steps", steps}, {"score", nullptr}};
  for (const auto& [name, value] : trial.values) result["settings"][name] = value;
  const StopSignal signal;
  UntilValidation until(steps, steps == rungs_.back(), options_.compare_by, signal);
  bool can_validate = true;
  try {
    RunLock::require_free(path);
  } catch (const ConfigError&) {
    return false;
  }
  try {
    std::vector<OptionValue> values = trial.values;
    values.emplace_back("valid-every", valid_every_);
    values.emplace_back("patience", "0");  // every trial takes all steps of a rung
    RunVariant run = variant_of(task_, session_, is_set_, values, path);
    const RuntimeScope runtime = enter_runtime(run.session.run.threads);
    std::vector<std::string> skipped;
    const auto latest = run.session.resume ? RunFolder(path).latest(skipped) : std::nullopt;
    TrainingTask task =
        prepare_task(*run.task, run.session, run.is_set, latest ? &latest->checkpoint : nullptr);
    can_validate = task.objective->can_validate();
    if (!can_validate)
      throw ConfigError("attend tune: expected held-out text to compare trials by, got none");
    const FolderRun in_folder{
        .options = run.session.run,
        .resume = run.session.resume,
        .configuration = resolved_configuration(run.session.run, run.task->option_groups()),
        .listeners = {&until},
        .stop = &until.stop(),
        .warn = {}};
    train_in_folder(task, run.task->trainer(), in_folder);
    if (signal.flag() && !until.score()) throw Interrupted{signal.signal()};
    if (until.score()) result["score"] = *until.score();
  } catch (const DivergedError& error) {
    result["error"] = error.what();
  } catch (const ConfigError& error) {
    if (!can_validate) throw;  // no trial can be compared
    result["error"] = error.what();
  }
  write_file_atomically(result_file(trial, steps), json_text(result) + "\n");
  return true;
}

void Search::run_rung(std::vector<Trial>& trials, std::int64_t steps) {
  for (bool waits = true; waits;) {
    waits = false;
    for (Trial& trial : trials) {
      if (!trial.score) trial.score = known_score(trial, steps);
      if (trial.score) continue;
      if (train(trial, steps)) {
        trial.score = known_score(trial, steps);
        remark("trial {}: {} after {} steps\n", trial.number, shown(*trial.score),
               readable_count(steps));
      } else {
        waits = true;
      }
    }
    if (waits) std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
}

std::string Search::shown(double score) const {
  if (!std::isfinite(score)) return "failed";
  return readable_measure(options_.compare_by == ComparedBy::score ? score : -score);
}

void Search::print(const std::vector<Trial>& trials, std::int64_t steps) const {
  answer("\nafter {} steps\n{:>8}{:>10}", readable_count(steps), "trial",
         options_.compare_by == ComparedBy::score ? "score" : "nll");
  for (const SettingRange& range : ranges_) answer("  {}", range.option());
  answer("\n");
  for (const Trial& trial : trials) {
    answer("{:>8}{:>10}", trial.number, shown(trial.score.value_or(kWorst)));
    for (const SettingRange& range : ranges_) {
      const auto set =
          std::find_if(trial.values.begin(), trial.values.end(),
                       [&](const OptionValue& v) { return v.first == range.option(); });
      answer("  {:>{}}", set == trial.values.end() ? "as given" : set->second,
             range.option().size());
    }
    answer("\n");
  }
}

void Search::write_best(const Trial& trial) const {
  RunVariant best = variant_of(task_, session_, is_set_, trial.values, folder(trial));
  best.session.run.out.clear();
  const std::filesystem::path file = std::filesystem::path(session_.run.out) / "best.toml";
  write_file_atomically(file, resolved_configuration(best.session.run, best.task->option_groups()));
  answer("\nbest: trial {}, {}; its settings are {}\n", trial.number,
         shown_path(RunFolder(folder(trial)).model_file()), shown_path(file));
}

void Search::run() {
  std::vector<Trial> trials;
  for (int number = 1; number <= options_.trials; ++number) {
    Trial trial{number, {}};
    Random random({options_.search_seed, static_cast<std::uint64_t>(number)});
    for (const SettingRange& range : ranges_) {
      const std::string value = range.draw(random);
      if (number > 1) trial.values.emplace_back(range.option(), value);
    }
    trials.push_back(std::move(trial));
  }
  for (std::size_t rung = 0; rung < rungs_.size(); ++rung) {
    for (Trial& trial : trials) trial.score.reset();
    run_rung(trials, rungs_[rung]);
    std::stable_sort(trials.begin(), trials.end(),
                     [](const Trial& a, const Trial& b) { return *a.score > *b.score; });
    print(trials, rungs_[rung]);
    if (rung + 1 < rungs_.size())
      trials.resize(
          static_cast<std::size_t>(trials_on(rung + 1, options_.trials, options_.keep_one_of)));
  }
  if (!std::isfinite(*trials.front().score))
    throw ConfigError(fmt::format("no trial could be trained; {} says why",
                                  shown_path(result_file(trials.front(), rungs_.back()))));
  write_best(trials.front());
}

}  // namespace attend
