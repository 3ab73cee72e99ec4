// Times a forward and backward pass of the module beside attend's own feed-forward network, in
// alternation, the fastest of several repetitions:  own_layer_bench [REPETITIONS]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "attend/core/random/random.h"
#include "attend/ops/elementwise.h"
#include "own_layer/squared_relu.h"

namespace {

using namespace attend;

template <class Network>
double milliseconds(const Network& network, const Variable& x) {
  const auto start = std::chrono::steady_clock::now();
  Pass pass = Pass::training(1, 0);
  backward(sum(network.forward(x, pass)));
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  return time.count();
}

}  // namespace

int main(int argc, char** argv) {
  const int repetitions = argc > 1 ? std::atoi(argv[1]) : 50;
  constexpr std::int64_t kTokens = 1024, kWidth = 256, kHidden = 1024;
  ParameterSet parameters;
  const FeedForward plain(parameters, "plain", {.d_model = kWidth, .d_ff = kHidden});
  const SquaredFeedForward squared(parameters, "squared", kWidth, kHidden);
  parameters.allocate(1);
  const Tensor numbers = Tensor::empty({kTokens, kWidth});
  Random random({1, 2});
  for (float& value : numbers.span()) value = random.normal();
  const Variable x(numbers, true);
  double plain_ms = 1e9, squared_ms = 1e9;
  for (int i = 0; i < repetitions; ++i) {
    plain_ms = std::min(plain_ms, milliseconds(plain, x));
    squared_ms = std::min(squared_ms, milliseconds(squared, x));
  }
  std::printf("relu, one op            %8.2f ms\n", plain_ms);
  std::printf("squared relu, composed  %8.2f ms\n", squared_ms);
}
