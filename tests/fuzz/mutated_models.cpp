// Mutated models through load, info and one use: every outcome is a success or an attend::Error.
// Signals, other exceptions, answers that are not numbers, much memory and much time are findings.
//
//   fuzz_models [--mutations N] [--first N] [--seconds N] [--seed N] [--out FOLDER] [--memory MIB]
//   [--patience N] [--tokenizers 0|1] fuzz_models FILE...                 uses each file once, in
//   this process: to repeat a finding
//
// Mutation i is a function of the seed and i. It ends after so many mutations or, when told, so
// many seconds. `memory` is what the process may have at most, `patience` how many seconds of the
// processor one mutation may take. Findings are left in FOLDER (findings) and the exit status is 1.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include "attend/core/threads/runtime.h"
#include "fuzz/model_mutator.h"
#include "fuzz/model_use.h"

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::uint64_t mutations = 10'000, first = 0, seed = 1;
  double seconds = 0;  // 0: no limit
  std::string out = "findings";
  long memory = 1024;
  long patience = 10;
  bool tokenizers = true;
};

// What the process that may die tells the one that stays.
struct Progress {
  std::uint64_t number;
  std::uint64_t used, data_errors, other_errors;
};

constexpr int kStrange = 3, kTooLarge = 4;  // exit statuses
constexpr int kMostFindings = 100;

long resident_mib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

// Of the processor, so that a busy machine is no finding; the process ends with SIGPROF.
void be_patient(long seconds) {
  const itimerval timer{{0, 0}, {seconds, 0}};
  ::setitimer(ITIMER_PROF, &timer, nullptr);
}

void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

void work(const Options& options, std::uint64_t first, Clock::time_point end,
          const std::filesystem::path& file, Progress& progress) {
  const attend::RuntimeScope runtime({.threads = 1});
  const attend::ModelMutator mutator(options.seed, options.tokenizers);
  for (std::uint64_t i = first; i < options.mutations && Clock::now() < end; ++i) {
    progress.number = i;
    write(file, mutator.mutation(i));
    be_patient(options.patience);
    try {
      const std::string outcome = attend::use_model(file);
      ++(outcome == "used"        ? progress.used
         : outcome == "DataError" ? progress.data_errors
                                  : progress.other_errors);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "mutation %llu: %s\n", static_cast<unsigned long long>(i), error.what());
      std::_Exit(kStrange);
    }
    be_patient(0);
    if (resident_mib() > options.memory) std::_Exit(kTooLarge);
  }
  progress.number = options.mutations;
  std::_Exit(0);
}

std::string cause(int status) {
  if (WIFSIGNALED(status)) return ::strsignal(WTERMSIG(status));
  if (WEXITSTATUS(status) == kStrange) return "an exception or an answer that should not be";
  if (WEXITSTATUS(status) == kTooLarge) return "too much memory";
  return "exit status " + std::to_string(WEXITSTATUS(status));
}

int run_mutations(const Options& options) {
  std::filesystem::create_directories(options.out);
  const std::filesystem::path file = std::filesystem::path(options.out) /
                                     ("at-work-" + std::to_string(::getpid()) + ".safetensors");
  void* const shared =
      ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 2;
  Progress& progress = *static_cast<Progress*>(shared);
  const auto begin = Clock::now();
  const auto end = options.seconds > 0 ? begin + std::chrono::duration_cast<Clock::duration>(
                                                     std::chrono::duration<double>(options.seconds))
                                       : Clock::time_point::max();
  int findings = 0;
  std::uint64_t next = options.first;
  while (next < options.mutations && Clock::now() < end && findings < kMostFindings) {
    progress.number = next;
    std::fflush(nullptr);
    const pid_t worker = ::fork();
    if (worker == 0) work(options, next, end, file, progress);
    int status = 0;
    if (worker < 0 || ::waitpid(worker, &status, 0) != worker) return 2;
    if (status == 0) break;
    const std::filesystem::path kept =
        std::filesystem::path(options.out) / ("seed-" + std::to_string(options.seed) + "-" +
                                              std::to_string(progress.number) + ".safetensors");
    std::filesystem::rename(file, kept);
    std::printf("finding: mutation %llu: %s; the model is in %s\n",
                static_cast<unsigned long long>(progress.number), cause(status).c_str(),
                kept.c_str());
    ++findings;
    next = progress.number + 1;
  }
  std::filesystem::remove(file);
  const std::chrono::duration<double> took = Clock::now() - begin;
  std::printf(
      "%llu mutations in %.0f s, %d findings: %llu used, %llu refused as data, %llu otherwise "
      "(seed %llu)\n",
      static_cast<unsigned long long>(progress.used + progress.data_errors + progress.other_errors +
                                      findings),
      took.count(), findings, static_cast<unsigned long long>(progress.used),
      static_cast<unsigned long long>(progress.data_errors),
      static_cast<unsigned long long>(progress.other_errors),
      static_cast<unsigned long long>(options.seed));
  return findings > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  int first = 1;
  for (; first + 1 < argc && std::string_view(argv[first]).starts_with("--"); first += 2) {
    const std::string_view flag = argv[first];
    const char* const value = argv[first + 1];
    if (flag == "--mutations") options.mutations = std::strtoull(value, nullptr, 10);
    if (flag == "--first") options.first = std::strtoull(value, nullptr, 10);
    if (flag == "--seconds") options.seconds = std::atof(value);
    if (flag == "--seed") options.seed = std::strtoull(value, nullptr, 10);
    if (flag == "--out") options.out = value;
    if (flag == "--memory") options.memory = std::atol(value);
    if (flag == "--patience") options.patience = std::atol(value);
    if (flag == "--tokenizers") options.tokenizers = std::atol(value) != 0;
  }
  if (first == argc) return run_mutations(options);
  for (int i = first; i < argc; ++i)
    std::printf("%s: %s\n", argv[i], attend::use_model(argv[i]).c_str());
  return 0;
}
