// `attend demo`: generates a corpus, trains a small translator on it, and shows its attention.
#pragma once

#include <cstdint>
#include <string>

#include "attend/cli/binding/thread_options.h"
#include "attend/cli/output_format.h"
#include "attend/demo/corpus.h"

namespace attend {

struct DemoArguments {
  std::string out = "attend-demo";
  std::uint64_t seed = 1;
  OutputFormat format = OutputFormat::text;
  ThreadOptions threads;

  // Not options of the command; tests train a smaller one.
  DemoCorpusOptions corpus;  // its seed is `seed`
  int steps = 560;           // a minute on two cores
  std::string engine = {};   // folder of the engine of pages; empty: as page_engine() finds it
};

// Throws ConfigError if the folder holds a demo already.
void run_demo(const DemoArguments& arguments);

}  // namespace attend
