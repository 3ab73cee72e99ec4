// Successive halving (Jamieson and Talwalkar 2016): many settings are tried for a few steps, and
// the best go on with more, until a few are trained to the end.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/cli/commands/train/run_variant.h"
#include "attend/cli/commands/tune/setting_range.h"
#include "attend/core/options/options.h"

namespace attend {

// What trials are compared by, on the validation text.
enum class ComparedBy { likelihood, score };

inline std::span<const std::string_view> enum_names(ComparedBy) {
  static constexpr std::array<std::string_view, 2> kNames{"likelihood", "score"};
  return kNames;
}

struct SearchOptions {
  std::vector<std::string> ranges;
  ComparedBy compare_by = ComparedBy::likelihood;
  int trials = 16;
  int keep_one_of = 4;
  std::uint64_t search_seed = 1;
};

template <class Visitor>
void fields(SearchOptions& o, Visitor&& visit) {
  visit("ranges", o.ranges,
        "options to try, as name=a,b,c or name=low..high, which is logarithmic from a factor of 10 "
        "on");
  visit("compare-by", o.compare_by,
        "what finds the best trial: the likelihood of the validation text, or the score that "
        "decides which model a training keeps, such as BLEU");
  visit("trials", o.trials, between(1, 1e5),
        "settings to try; the first is that of the given options");
  visit("keep-one-of", o.keep_one_of, between(2, 1000),
        "one of this many trials goes on with this many times the steps, up to --max-steps");
  visit("search-seed", o.search_seed, any_seed(),
        "random seed of the settings; the trials have that of --seed");
}

// The steps after which trials are compared: those of the last are `all`, each of the others
// `keep_one_of` times fewer; every number is a multiple of `unit`, or `all`.
std::vector<std::int64_t> rungs_of(int trials, int keep_one_of, std::int64_t all,
                                   std::int64_t unit);
// How many of `trials` are tried on a rung, counted from 0.
std::int64_t trials_on(std::size_t rung, int trials, int keep_one_of);

class Search {
 public:
  // The task and the session are those of the given options, and outlive it, as `is_set` does.
  // Throws ConfigError for ranges that cannot be.
  Search(Trainable& task, const SessionOptions& session, const IsSet& is_set,
         const SearchOptions& options);

  // Trains all trials that other processes do not train, waits for these, prints what each rung
  // found, and writes best.toml. Throws like train_in_folder(), except for trials that diverge or
  // cannot be made; Interrupted after a signal.
  void run();

 private:
  struct Trial {
    int number = 0;  // from 1
    std::vector<OptionValue> values;
    std::optional<double> score = {};  // on the current rung; higher is better
  };

  std::filesystem::path folder(const Trial& trial) const;
  std::filesystem::path result_file(const Trial& trial, std::int64_t steps) const;
  // Nothing if it has not ended on this rung.
  std::optional<double> known_score(const Trial& trial, std::int64_t steps) const;
  void run_rung(std::vector<Trial>& trials, std::int64_t steps);
  // False if another process trains it.
  bool train(const Trial& trial, std::int64_t steps) const;
  std::string shown(double score) const;
  void print(const std::vector<Trial>& trials, std::int64_t steps) const;
  void write_best(const Trial& trial) const;

  Trainable& task_;
  const SessionOptions& session_;
  const IsSet& is_set_;
  const SearchOptions& options_;
  std::vector<SettingRange> ranges_;
  std::vector<std::int64_t> rungs_;
  std::string valid_every_;  // of the trials
};

}  // namespace attend
