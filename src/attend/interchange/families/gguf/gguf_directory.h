// Encoders and encoder-decoders of llama.cpp in the words of a directory of Hugging Face, and back.
//
// The family of the directory (families.h) reads and writes the words; these functions only rename
// them.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "attend/interchange/foreign_config.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/formats/gguf/gguf_writing.h"
#include "attend/interchange/model_directory.h"
#include "attend/interchange/weights/name_map.h"
#include "attend/interchange/weights/tensor_table.h"

namespace attend {

struct GgufDirectory {
  nlohmann::json config;  // config.json, with "model_type"
  TextFiles files;        // the other files
};

// An architecture of llama.cpp whose models are such directories.
struct GgufDirectoryKind {
  std::string_view architecture;  // "bert"
  std::optional<TextFiles> (*write_family)(const SavedModel& model, Checkpoint& equal);
  // Throws DataError for what is not supported.
  GgufDirectory (*read)(ForeignConfig& metadata, const TensorTable& tensors);
  // Adds the settings of config.json, which `write_family` has written. Throws ConfigError.
  void (*write)(const nlohmann::json& config, const SavedModel& model, GgufEntries& entries);
  NameMap (*names)(const nlohmann::json& config);  // of config.json
};

// nullptr: language models, and what is not supported.
const GgufDirectoryKind* gguf_directory_kind(std::string_view architecture);

// BERT and models that llama.cpp computes alike: XLM-R and RoBERTa without rows that are no
// positions.
GgufDirectory read_gguf_bert(ForeignConfig& metadata, const TensorTable& tensors);
void write_gguf_bert(const nlohmann::json& config, const SavedModel& model, GgufEntries& entries);
NameMap gguf_bert_names(const nlohmann::json& config);

// T5, Flan-T5, mT5 and umT5.
GgufDirectory read_gguf_t5(ForeignConfig& metadata, const TensorTable& tensors);
void write_gguf_t5(const nlohmann::json& config, const SavedModel& model, GgufEntries& entries);
NameMap gguf_t5_names(const nlohmann::json& config);

}  // namespace attend
