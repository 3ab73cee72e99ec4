// A main for fuzz targets where libFuzzer is not at hand: mutates a target's corpus for some
// seconds, or reads the files named.
//
//   fuzz_targets NAME [--seconds N] [--seed N]   a fixed seed makes the same inputs, in this order
//   fuzz_targets NAME FILE...                    reads each file once: to repeat a finding
//
// An input that takes longer than a second is a finding too. The input at work when something goes
// wrong is left in crash-<target>.bin.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzz_target.h"

// Present when a sanitizer is linked in, which reports and exits without a signal.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace {

using Clock = std::chrono::steady_clock;

const attend::FuzzTarget* g_target = nullptr;
std::string g_input;  // the one at work
std::string g_finding_file;

// Writes the input at work; only calls that a signal handler may make.
void keep_input() {
  const int fd = ::creat(g_finding_file.c_str(), 0644);
  if (fd < 0) return;
  if (::write(fd, g_input.data(), g_input.size()) >= 0)
    std::fprintf(stderr, "the input is in %s\n", g_finding_file.c_str());
  ::close(fd);
}

void on_signal(int signal) {
  keep_input();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void watch_for_death() {
  if (__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(keep_input);
  } else {
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) ::signal(signal, on_signal);
  }
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed)
      : random_(seed), corpus_(g_target->corpus()), words_(g_target->dictionary()) {}

  std::string next() {
    std::string input = corpus_[below(corpus_.size())];
    for (std::size_t i = 0, count = 1 + below(6); i < count; ++i) mutate(input);
    if (g_target->repair != nullptr && below(4) != 0) g_target->repair(input);
    return input;
  }

 private:
  std::size_t below(std::size_t limit) {
    return limit == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
  }

  void mutate(std::string& input) {
    const std::size_t at = below(input.size() + 1);
    const std::size_t length = 1 + below(below(8) == 0 ? 64 : 4);
    switch (below(8)) {
      case 0:
        if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
        break;
      case 1:
        if (at < input.size()) input[at] = static_cast<char>(below(256));
        break;
      case 2:
        input.erase(at, length);
        break;
      case 3:
        input.insert(at, words_[below(words_.size())]);
        break;
      case 4: {
        const std::string& word = words_[below(words_.size())];
        input.replace(at, word.size(), word);
        break;
      }
      case 5:
        input.insert(below(input.size() + 1), input.substr(at, below(200)));
        break;
      case 6: {
        const std::string& other = corpus_[below(corpus_.size())];
        input = input.substr(0, at) + other.substr(below(other.size() + 1));
        break;
      }
      default: {  // one digit for another: extents and offsets that nearly fit
        const std::size_t digit = input.find_first_of("0123456789", at);
        if (digit != std::string::npos) input[digit] = static_cast<char>('0' + below(10));
      }
    }
  }

  std::mt19937_64 random_;
  std::vector<std::string> corpus_, words_;
};

// False when the input is a finding.
bool run_one() {
  const std::clock_t begin =
      std::clock();  // of the processor, so that a busy machine is no finding
  try {
    g_target->use(g_input);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "an exception came through: %s\n", error.what());
    return false;
  }
  if (std::clock() - begin > CLOCKS_PER_SEC) {
    std::fprintf(stderr, "an input of %zu bytes took longer than a second\n", g_input.size());
    return false;
  }
  return true;
}

int run_files(int count, char** files) {
  for (int i = 0; i < count; ++i) {
    std::ifstream file(files[i], std::ios::binary);
    g_input = {std::istreambuf_iterator<char>(file), {}};
    if (!run_one()) return 1;
  }
  return 0;
}

int run_mutations(double seconds, std::uint64_t seed) {
  Mutator mutator(seed);
  long inputs = 0;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (; Clock::now() < end; ++inputs) {
    g_input = mutator.next();
    if (!run_one()) {
      keep_input();
      return 1;
    }
  }
  std::printf("%ld inputs, no findings (seed %llu)\n", inputs,
              static_cast<unsigned long long>(seed));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  g_target = &attend::named_fuzz_target(argc, argv);
  double seconds = 4;
  std::uint64_t seed = 1;
  int first = 2;
  for (; first + 1 < argc && std::string_view(argv[first]).starts_with("--"); first += 2) {
    const std::string_view flag = argv[first];
    if (flag == "--seconds") seconds = std::atof(argv[first + 1]);
    if (flag == "--seed") seed = std::strtoull(argv[first + 1], nullptr, 10);
  }
  g_finding_file = "crash-" + std::string(g_target->name) + ".bin";
  watch_for_death();
  return first < argc ? run_files(argc - first, argv + first) : run_mutations(seconds, seed);
}
