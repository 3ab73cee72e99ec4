// Small models of all kinds, as files: what the mutations of models start from.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace attend {

// A model file taken apart, so that its parts can be exchanged and put together to a file that is
// whole again.
struct FuzzedModel {
  struct Part {
    std::string name;
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::string data;
  };
  std::map<std::string, std::string> metadata;
  std::vector<Part> tensors;
};

// The same models every time: of all three kinds, and of the first ones with recurrent networks, in
// 8 bits, packed and with a shortlist. Their checksum is "none".
std::vector<FuzzedModel> fuzzed_models();

// The bytes of a safetensors file. Text that is not UTF-8 is replaced.
std::string file_of(const FuzzedModel& model);

}  // namespace attend
