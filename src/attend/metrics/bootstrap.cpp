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

constexpr std::uint64_t kStream = stream_of("metrics.bootstrap");

void check(const SegmentCounts& counts, const BootstrapOptions& options) {
  check_options(options);
  if (counts.segments() < 1) throw ConfigError("nothing to resample: there are no segments");
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
  if (baseline.segments() != system.segments()) {
    throw ConfigError(
        fmt::format("the two systems must have translated the same lines, got {} and {}",
                    baseline.segments(), system.segments()));
  }
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
  if (observed > 0)
    result.p_value = static_cast<double>(chance + 1) / static_cast<double>(options.samples + 1);
  result.wins = static_cast<double>(wins) / static_cast<double>(options.samples);
  return result;
}

std::string bootstrap_signature(const std::optional<BootstrapOptions>& options) {
  return options ? fmt::format("|bs:{}|seed:{}", options->samples, options->seed) : std::string();
}

}  // namespace attend
