// The lab: the claims behind the Transformer, each measured by a small experiment of its own.
//
// An experiment is a function that returns data: what was measured, tables, plots, and a verdict
// that may be negative. Everything but times, and what depends on them, is a function of the seed.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/options.h"
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
        "run the smallest version of each experiment, seconds in all: shows that everything runs, "
        "measures little");
  visit("data", o.data, "folder with multi30k/, for experiments that also measure on real text");
}

// What an experiment is given.
struct Lab {
  LabOptions options;
  std::function<void(std::string_view)> progress = [](std::string_view) {
  };  // told in a line what is being done

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
  std::string finding;  // the verdict's reasons, with numbers
};

struct Experiment {
  std::string name;
  std::string claim;  // a sentence that can turn out wrong
  LabResult (*measure)(const Lab& lab);
  bool exact = false;       // the smallest version can decide too
  bool reads_data = false;  // measures something on the data of LabOptions too
};

// Measures, and leaves the verdict of what --quick cannot decide open.
LabResult run_experiment(const Experiment& experiment, const Lab& lab);

// All of them, in the order of the documentation.
std::span<const Experiment> experiments();
// Throws ConfigError, with the nearest name.
const Experiment& find_experiment(std::string_view name);

}  // namespace attend::lab
