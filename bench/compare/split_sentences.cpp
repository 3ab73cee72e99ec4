// Cuts standard input into sentences, one per line of output; or prints how fast that is.
// Usage: compare_split_sentences LANGUAGE [--speed]
#include <algorithm>
#include <ctime>
#include <iostream>
#include <iterator>
#include <string>

#include "attend/documents/sentences/sentences.h"

namespace {

// The best of five rounds, in MB per second of the processor.
double speed(const std::string& text, const std::string& language) {
  double best = 0;
  for (int round = 0; round < 5; ++round) {
    const std::clock_t begin = std::clock();
    attend::find_sentences(text, language);
    const double passed = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    best = std::max(best, static_cast<double>(text.size()) / 1e6 / passed);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::string language = argv[1];
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  if (argc > 2) {
    std::cout << speed(text, language) << " MB/s\n";
    return 0;
  }
  for (const attend::TextSpan sentence : attend::find_sentences(text, language))
    std::cout << sentence.of(text) << '\n';
}
