// One side of a comparison: turns texts into vectors, or into the probabilities of classes, and
// prints what it measured as JSON.
//
//   compare_encode_attend OPTIONS.json   {"model": file, "source": file with one text per line,
//                                        "out": file for the rows, f32, "batch_size": n,
//                                        "classes": probabilities, not vectors, "threads": t,
//                                        "latency": true: one by one}
#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "attend/core/files/lines.h"
#include "attend/core/threads/runtime.h"
#include "attend/error.h"
#include "attend/tasks/classification/engine.h"
#include "attend/tasks/embedding/engine.h"
#include "peak_memory.h"

namespace {

using namespace attend;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

using Rows = std::vector<std::vector<float>>;
using Encode = std::function<Rows(std::span<const std::string> texts)>;

Encode embedder(const nlohmann::json& options) {
  auto engine =
      std::make_shared<EmbeddingEngine>(EmbeddingEngine::load(std::string(options.at("model"))));
  EmbeddingOptions embedding;
  embedding.batch_size = options.at("batch_size");
  return [=](std::span<const std::string> texts) {
    Rows rows;
    for (const TextEmbedding& one : engine->embed(texts, embedding)) {
      const float* vector = one.vectors.row(0);
      rows.emplace_back(vector, vector + one.vectors.cols());
    }
    return rows;
  };
}

Encode classifier(const nlohmann::json& options) {
  auto engine = std::make_shared<ClassificationEngine>(
      ClassificationEngine::load(std::string(options.at("model"))));
  return [=](std::span<const std::string> texts) {
    Rows rows;
    for (Classification& one : engine->classify(texts))
      rows.push_back(std::move(one.probabilities));
    return rows;
  };
}

void write(std::ofstream& out, const Rows& rows) {
  for (const std::vector<float>& row : rows)
    out.write(reinterpret_cast<const char*>(row.data()),
              static_cast<std::streamsize>(row.size() * sizeof(float)));
}

int run(const nlohmann::json& options) {
  const RuntimeScope runtime({.threads = options.at("threads")});
  const double begun = now();
  const Encode encode = options.at("classes") ? classifier(options) : embedder(options);
  nlohmann::json result{{"load_seconds", now() - begun}};

  const std::vector<std::string> texts = read_lines(std::string(options.at("source")));
  encode(std::span(texts).first(1));  // what is done once

  std::ofstream out(std::string(options.at("out")), std::ios::binary);
  std::vector<double> latencies;
  const double started = now();
  if (options.at("latency")) {
    for (const std::string& text : texts) {
      const double at = now();
      const Rows rows = encode(std::span(&text, 1));
      latencies.push_back(now() - at);
      write(out, rows);
    }
  } else {
    write(out, encode(texts));
  }
  result["seconds"] = now() - started;
  result["texts_per_second"] = static_cast<double>(texts.size()) / (now() - started);
  if (!latencies.empty()) {
    std::sort(latencies.begin(), latencies.end());
    result["latency_median"] = latencies[latencies.size() / 2];
  }
  result["peak_bytes"] = peak_bytes();
  std::cout << result << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw ConfigError("usage: compare_encode_attend OPTIONS.json");
    std::ifstream file(argv[1]);
    return run(nlohmann::json::parse(file));
  } catch (const std::exception& error) {
    std::cerr << "compare_encode_attend: " << error.what() << "\n";
    return 1;
  }
}
