// One side of a comparison: translates a file and prints what it measured as JSON.
//
//   compare_decode_attend OPTIONS.json   {"model": file, "source": file, "out": file, "beam_size":
//   k, "batch_size": n, "threads": t,
//                                         "length": exact number of tokens to write, 0: as the
//                                         model likes, "latency": true: one by one}
#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "attend/core/files/lines.h"
#include "attend/core/threads/runtime.h"
#include "attend/error.h"
#include "attend/tasks/translation/engine.h"
#include "peak_memory.h"

namespace {

using namespace attend;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int run(const nlohmann::json& options) {
  const RuntimeScope runtime({.threads = options.at("threads")});
  const double begun = now();
  const TranslationEngine translator = TranslationEngine::load(std::string(options.at("model")));
  nlohmann::json result{{"load_seconds", now() - begun}};

  const std::vector<std::string> lines = read_lines(std::string(options.at("source")));
  TranslationOptions translation;
  translation.beam.beam_size = options.at("beam_size");
  translation.beam.min_length = translation.beam.max_length = options.at("length");
  translation.batch_size = options.at("batch_size");
  translator.translate(std::span(lines).first(1), translation);  // what is done once

  std::vector<Translation> outputs;
  std::vector<double> latencies;
  const double started = now();
  if (options.at("latency")) {
    for (const std::string& line : lines) {
      const double at = now();
      outputs.push_back(std::move(translator.translate(std::span(&line, 1), translation).front()));
      latencies.push_back(now() - at);
    }
  } else {
    outputs = translator.translate(lines, translation);
  }
  result["seconds"] = now() - started;

  std::size_t tokens = 0, source_tokens = 0;
  std::ofstream out(std::string(options.at("out")));
  for (const Translation& output : outputs) {
    tokens += output.candidates.front().tokens.size();
    source_tokens += output.source_tokens.size();
    out << output.text() << "\n";
  }
  result.update(
      {{"tokens", tokens}, {"source_tokens", source_tokens}, {"peak_bytes", peak_bytes()}});
  if (!latencies.empty()) {
    std::sort(latencies.begin(), latencies.end());
    result.update({{"latency_median", latencies[latencies.size() / 2]},
                   {"latency_99", latencies[(latencies.size() * 99 + 99) / 100 - 1]}});
  }
  std::cout << result << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw ConfigError("usage: compare_decode_attend OPTIONS.json");
    std::ifstream file(argv[1]);
    return run(nlohmann::json::parse(file));
  } catch (const std::exception& error) {
    std::cerr << "compare_decode_attend: " << error.what() << "\n";
    return 1;
  }
}
