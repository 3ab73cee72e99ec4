// Writes model.bin of a directory of CTranslate2, in the newest version of ctranslate2_file.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/checkpoint/safetensors/safetensors.h"
#include "attend/interchange/weights/element_type.h"

namespace attend {

// A variable of one number.
struct Ctranslate2Setting {
  std::string name;
  ElementType type = ElementType::i8;  // i8, i16, i32 or f32
  double value = 0.0;
};

struct Ctranslate2Content {
  std::string_view specification;  // "TransformerSpec"
  std::uint32_t revision = 0;
  std::vector<NamedTensor> weights = {};  // f32, in host memory
  std::vector<Ctranslate2Setting> settings = {};
  std::vector<std::pair<std::string, std::string>> aliases = {};  // another name of a weight
};

// Throws IoError, and DataError for a weight of 4 GiB or more, which the format cannot hold.
void write_ctranslate2_file(const std::filesystem::path& path, const Ctranslate2Content& content);

}  // namespace attend
