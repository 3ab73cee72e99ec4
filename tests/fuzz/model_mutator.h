// Mutations of model files, most of which get through the outer checks: a function of (seed,
// number) and of nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/fuzzed_models.h"

namespace attend {

class ModelMutator {
 public:
  // `tokenizers`: the bytes of tokenizers are mutated too.
  ModelMutator(std::uint64_t seed, bool tokenizers);

  // The bytes of mutation `number`.
  std::string mutation(std::uint64_t number) const;

 private:
  std::uint64_t seed_;
  bool tokenizers_;
  std::vector<FuzzedModel> models_;
};

}  // namespace attend
