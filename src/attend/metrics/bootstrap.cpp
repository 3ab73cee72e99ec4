#include "attend/metrics/bootstrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "attend/core/options/option_fields.h"
#include "attend/core/random/random.h"
#include "attend/core/threads/interruption.h"
#include "attend/core/threads/parallel.h"
#include "attend/error.h"

namespace attend {
namespace {

constexpr std::uint64_t kStream = stream_of("metrics.bootstrap"),
                        kTrialStream = stream_of("metrics.randomization");

void check(const SegmentCounts& counts, const BootstrapOptions& options) {
  check_options(options);
  if (counts.segments() < 1) throw ConfigError("nothing to resample: there are no segments");
}

void check_pair(const SegmentCounts& baseline, const SegmentCounts& system) {
  if (baseline.segments() == system.segments()) return;
  throw ConfigError(
      fmt::format("the two systems must have translated the same lines, got {} and {}",
                  baseline.segments(), system.segments()));
}

// The scores of every system on resample k, for k = 0 .. samples-1: [systems][samples].
std::vector<std::vector<double>> resample(const std::vector<const SegmentCounts*>& systems,
                                          const ScoreFunction& score,
                                          const BootstrapOptions& options) {
  std::vector<std::vector<double>> scores(
      systems.size(), std::vector<double>(static_cast<std::size_t>(options.samples)));
  const auto segments = static_cast<std::uint64_t>(systems.front()->segments());
  parallel_for(options.samples, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> drawn(segments), sum;
    for (std::int64_t k = begin; k < end; ++k) {
      look_for_interruption();
      Random random({options.seed, kStream + static_cast<std::uint64_t>(k)});
      for (auto& segment : drawn) segment = static_cast<std::int64_t>(random.below(segments));
      for (std::size_t s = 0; s < systems.size(); ++s) {
        sum.assign(static_cast<std::size_t>(systems[s]->width), 0);
        for (const std::int64_t segment : drawn) {
          const auto row = systems[s]->row(segment);
          for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += row[i];
        }
        scores[s][static_cast<std::size_t>(k)] = score(sum);
      }
    }
  });
  return scores;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double p_value_of(std::int64_t as_large, int trials) {
  return static_cast<double>(as_large + 1) / static_cast<double>(trials + 1);
}

BootstrapEstimate estimate(double score, std::vector<double> resampled) {
  BootstrapEstimate result;
  result.score = score;
  result.mean = mean_of(resampled);
  std::sort(resampled.begin(), resampled.end());
  const std::size_t cut = resampled.size() / 40;  // 2.5 % at each end
  result.low = resampled[cut];
  result.high = resampled[resampled.size() - 1 - cut];
  return result;
}

}  // namespace

BootstrapEstimate bootstrap(const SegmentCounts& counts, const ScoreFunction& score,
                            const BootstrapOptions& options) {
  check(counts, options);
  return estimate(score(counts.sum()), resample({&counts}, score, options).front());
}

PairedBootstrap paired_bootstrap(const SegmentCounts& baseline, const SegmentCounts& system,
                                 const ScoreFunction& score, const BootstrapOptions& options) {
  check(baseline, options);
  check_pair(baseline, system);
  const auto scores = resample({&baseline, &system}, score, options);
  PairedBootstrap result;
  result.baseline = estimate(score(baseline.sum()), scores[0]);
  result.system = estimate(score(system.sum()), scores[1]);

  std::vector<double> differences(scores[0].size());
  std::int64_t wins = 0, chance = 0;
  for (std::size_t k = 0; k < differences.size(); ++k) {
    differences[k] = std::abs(scores[1][k] - scores[0][k]);
    wins += scores[1][k] > scores[0][k];
  }
  const double mean = mean_of(differences),
               observed = std::abs(result.system.score - result.baseline.score);
  for (const double difference : differences) chance += difference - mean > observed;
  if (observed > 0) result.p_value = p_value_of(chance, options.samples);
  result.wins = static_cast<double>(wins) / static_cast<double>(options.samples);
  return result;
}

double randomization_p_value(const SegmentCounts& baseline, const SegmentCounts& system,
                             const ScoreFunction& score, int trials, std::uint64_t seed) {
  if (trials < 1) throw ConfigError(fmt::format("expected 1 or more trials, got {}", trials));
  check(baseline, {.seed = seed});
  check_pair(baseline, system);
  const std::vector<std::int64_t> sum_before = baseline.sum(), sum_after = system.sum();
  const double observed = std::abs(score(sum_after) - score(sum_before));
  if (observed == 0) return 1;
  std::vector<char> larger(static_cast<std::size_t>(trials));
  parallel_for(trials, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> first, second;
    for (std::int64_t k = begin; k < end; ++k) {
      look_for_interruption();
      Random random({seed, kTrialStream + static_cast<std::uint64_t>(k)});
      first = sum_before;
      second = sum_after;
      std::uint32_t bits = 0;
      for (std::int64_t segment = 0; segment < baseline.segments(); ++segment, bits >>= 1) {
        if (segment % 32 == 0) bits = random.next();
        if ((bits & 1) == 0) continue;
        const auto before = baseline.row(segment), after = system.row(segment);
        for (std::size_t i = 0; i < first.size(); ++i) {
          first[i] += after[i] - before[i];
          second[i] += before[i] - after[i];
        }
      }
      larger[static_cast<std::size_t>(k)] = std::abs(score(first) - score(second)) > observed;
    }
  });
  return p_value_of(std::count(larger.begin(), larger.end(), 1), trials);
}

std::string resampling_signature(const Resampling& resampling) {
  const auto part = [](const char* name, int count) {
    return count > 0 ? fmt::format("|{}:{}", name, count) : std::string();
  };
  const std::string counts =
      part("bs", resampling.bootstrap) + part("ar", resampling.randomization);
  return counts.empty() ? counts : fmt::format("{}|seed:{}", counts, resampling.seed);
}

}  // namespace attend
