// Averages several checkpoints of one run, often better than each of them (Vaswani et al. 2017,
// section 6.1), or of runs that began with one model (Wortsman et al. 2022).
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "attend/checkpoint/checkpoint.h"

namespace attend {

// The average of every f32 tensor over the files; everything else (configuration, tokenizers) is
// taken from the last. Omits training state, "state.*". Holds one file in memory at a time, plus
// the sum. Throws ConfigError if `paths` is empty; DataError if a file is damaged, or differs from
// the others in its tensors or metadata.
Checkpoint average_checkpoints(std::span<const std::filesystem::path> paths);

// An average of some of the models.
struct Soup {
  // In the order in which they were tried: the best alone first, the first of equally good ones.
  struct Ingredient {
    std::filesystem::path path;
    double alone = 0;  // its score
    double with = 0;   // that of the average of it and those that were kept before
    bool kept = false;
  };
  Checkpoint average;
  std::vector<Ingredient> ingredients;
  double score = 0;
};

// A greedy soup (Wortsman et al. 2022, recipe 1): one model after another joins the average, the
// best first, unless the average is worse with it. `score` measures a model on held-out data;
// higher is better. Throws as average_checkpoints() and `score` do.
Soup greedy_soup(std::span<const std::filesystem::path> paths,
                 const std::function<double(const Checkpoint&)>& score);

}  // namespace attend
