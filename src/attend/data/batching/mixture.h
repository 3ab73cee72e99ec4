// Several corpora in one training: how much of each is in an epoch.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/options/options.h"

namespace attend {

struct MixtureOptions {
  std::vector<std::string> weights;
  double temperature = 1;

  bool is_default() const { return weights.empty() && temperature == 1; }
};

template <class Visitor>
void fields(MixtureOptions& o, Visitor&& visit) {
  visit("mix-weights", o.weights,
        "weight of each training file, or folder of --prepared, in an epoch; default: its size");
  visit("mix-temperature", o.temperature, between(0.01, 1000),
        "temperature of mixing: the share of a corpus is proportional to weight^(1 / temperature); "
        "above 1, small corpora are seen more often");
}

// An epoch has as many samples as all corpora together. Corpus c has share w^(1/T) of them, of the
// weights w and the temperature T. Its samples come in passes: a pass has every sample once, in an
// order of its own, and an epoch begins where the one before ended. So each sample is seen equally
// often in the long run, and an epoch is a function of (sizes, options, seed, epoch).
class Mixture {
 public:
  // `sizes`: how many samples each corpus has; those of the first come first. Throws ConfigError
  // unless there are several corpora and one weight for each, above 0 and up to 1e9; DataError for
  // a corpus without samples.
  Mixture(std::vector<std::int64_t> sizes, const MixtureOptions& options, std::uint64_t seed);

  // The samples of an epoch, corpus by corpus. Memory: 4 bytes for each, and for a while 4 for each
  // sample of one corpus.
  std::vector<std::int32_t> samples(std::int64_t epoch) const;
  // How many samples of each corpus are in an epoch.
  std::span<const std::int64_t> counts() const { return counts_; }
  // "books.en: 12.5 % of an epoch, 3,750 pairs, each 0.25 times", with unit "pair". One line for
  // each name.
  std::vector<std::string> summary(std::span<const std::string> names, std::string_view unit) const;

 private:
  void append_pass(std::size_t corpus, std::int64_t pass, std::int64_t begin, std::int64_t count,
                   std::vector<std::int32_t>& to) const;

  std::vector<std::int64_t> sizes_;
  std::vector<std::int64_t> begins_;  // the first sample of each corpus
  std::vector<std::int64_t> counts_;
  std::uint64_t seed_;
};

}  // namespace attend
