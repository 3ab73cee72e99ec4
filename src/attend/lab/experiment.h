// The lab: claims behind the Transformer, each tested by a small experiment.
//
// An experiment is a function that returns data: what was measured, tables, plots, and a verdict
// that may be negative. Everything except times, and what depends on them, is a function of the
// seed.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/plot/plot.h"

namespace attend::lab {

struct LabOptions {
  std::uint64_t seed = 1;
  bool quick = false;
  std::string data;
};

template <class Visitor>
void fields(LabOptions& o, Visitor&& visit) {
  visit("seed", o.seed, any_seed(), "random seed of the experiments");
  visit("quick", o.quick,
        "run the smallest version of each experiment, in seconds: shows that everything runs, "
        "measures little");
  visit("data", o.data, "folder with multi30k/, for experiments that also measure on real text");
}

// The input of an experiment.
struct Lab {
  LabOptions options;
  std::function<void(std::string_view)> progress = [](std::string_view) {
  };  // receives progress messages

  template <class T>
  T full_or_quick(T full, T quick) const {
    return options.quick ? quick : full;
  }
};

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

enum class Verdict { confirmed, refuted, unclear };
std::string_view name_of(Verdict verdict);

struct LabResult {
  std::string measured;  // what was done, in a few sentences
  Table table;
  std::vector<Plot> plots;
  Verdict verdict = Verdict::unclear;
  std::string finding;  // the reasons for the verdict, with numbers
};

struct Experiment {
  std::string name;
  std::string claim;  // a falsifiable sentence
  LabResult (*measure)(const Lab& lab);
  bool exact = false;       // even the smallest version decides
  bool reads_data = false;  // also uses the data of LabOptions
};

// Runs the experiment; with --quick, leaves verdicts open that it cannot decide.
LabResult run_experiment(const Experiment& experiment, const Lab& lab);

// All experiments, in the order of the documentation.
std::span<const Experiment> experiments();
// Throws ConfigError, suggesting the nearest name.
const Experiment& find_experiment(std::string_view name);

}  // namespace attend::lab
