// One side of a comparison: continues prompts greedily, one after the other, and prints what it
// measured as JSON.
//
//   compare_generate_attend OPTIONS.json   {"model": file, "prompts": file with one per line,
//                                           "out": file, "tokens": n, "threads": t}
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "attend/core/files/lines.h"
#include "attend/core/threads/runtime.h"
#include "attend/error.h"
#include "attend/tasks/language/engine.h"
#include "peak_memory.h"

namespace {

using namespace attend;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int run(const nlohmann::json& options) {
  const RuntimeScope runtime({.threads = options.at("threads")});
  const double begun = now();
  const GenerationEngine generator = GenerationEngine::load(std::string(options.at("model")));
  nlohmann::json result{{"load_seconds", now() - begun}};

  const std::vector<std::string> prompts = read_lines(std::string(options.at("prompts")));
  GenerationOptions generation;
  generation.sampling.top_k = 1;
  generation.max_tokens = 1;
  generator.generate(prompts.front(), generation);  // what is done once

  std::vector<double> first_seconds, rates;
  std::ofstream out(std::string(options.at("out")));
  for (const std::string& prompt : prompts) {
    generation.max_tokens = 1;
    const double started = now();
    generator.generate(prompt, generation);
    first_seconds.push_back(now() - started);
    generation.max_tokens = options.at("tokens");
    const double again = now();
    const Generation text = generator.generate(prompt, generation);
    const double taken = now() - again;
    rates.push_back(static_cast<double>(text.ids.size()) / taken);
    out << fmt::format("{}\n", fmt::join(text.ids, " "));
  }
  result.update({{"tokens_per_second", median(rates)},
                 {"first_token_seconds", median(first_seconds)},
                 {"peak_bytes", peak_bytes()}});
  std::cout << result << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw ConfigError("usage: compare_generate_attend OPTIONS.json");
    std::ifstream file(argv[1]);
    return run(nlohmann::json::parse(file));
  } catch (const std::exception& error) {
    std::cerr << "compare_generate_attend: " << error.what() << "\n";
    return 1;
  }
}
