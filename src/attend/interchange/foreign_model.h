// Reads models of other programs as models of attend.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/interchange/foreign_config.h"
#include "attend/interchange/model_directory.h"
#include "attend/interchange/weights/expert_tensors.h"
#include "attend/interchange/weights/name_map.h"
#include "attend/interchange/weights/tensor_table.h"
#include "attend/tasks/model_file/saved_model.h"
#include "attend/translator.h"

namespace attend {

// A model directory before any weight is read: our model, its parameters declared but without
// values, and the rules that say where the values come from.
struct ForeignModel {
  std::shared_ptr<const SavedModel> model;
  NameMap names;
  std::vector<std::string_view> ignorable = {};  // tensors that repeat others or are not parameters
  std::vector<std::string_view> zero_if_missing = {};  // tensors that some files leave out
  // What names begin with, unless the file holds the model without the part that predicts tokens.
  std::string_view base = {};
  std::span<const NameAlias> aliases = {};  // parts of names that some files have in place of ours
  // Folders of the directory with more weights; their names begin with "folder/".
  std::vector<std::string> folders = {};
  std::vector<std::string> remarks = {};  // what the user should know
};

// A family of models: what config.json calls "model_type".
struct ModelFamily {
  std::string_view name;         // "marian"
  std::string_view description;  // "MarianMT (OPUS-MT)", for messages and help
  ForeignModel (*read)(const ModelDirectory& directory, ForeignConfig& config);
  // The files of a directory, without the weights, from which read() makes `model` again; nullopt
  // for another kind of model. Settings that the family cannot express need no check: what read()
  // makes is compared (model_export.h). `equal` is the same model as a checkpoint; where the family
  // says the same in another way, write() changes `equal` accordingly. Throws ConfigError. Null:
  // models of this family are not exported yet.
  std::optional<TextFiles> (*write)(const SavedModel& model, Checkpoint& equal) = nullptr;
};
std::span<const ModelFamily> model_families();

// The metadata of an imported model that names its family, which an export tries first: several may
// express the same model.
inline constexpr const char* kFamilyKey = "attend.family";

// The metadata of an imported model that names languages for people, as JSON: {"en": "English"}.
inline constexpr const char* kLanguageNamesKey = "attend.language_names";

// The weights in a directory of Sockeye, whose models are refused by name.
inline constexpr const char* kSockeyeWeights = "params.best";

struct ImportedModel {
  Checkpoint checkpoint;  // with golden samples
  std::string family;
  std::vector<std::string> remarks;
};

struct ImportOptions {
  LanguagePair languages = {};  // of the texts; of a model of several languages: the default ones
  bool dequantize = true;       // quantized weights (GGUF) in 32 bits; otherwise in 8
};

// What import_model() reads at `path`: a directory, or the files of a package .argosmodel. Throws
// IoError, and DataError for a file that is no such package.
ModelDirectory open_model_files(const std::filesystem::path& path);

// Reads a model of Hugging Face, Marian, CTranslate2, Argos Translate, fairseq, OpenNMT-py or eole.
// Throws IoError, DataError that names the first setting or tensor that is neither used nor known
// to change nothing, and ConfigError for a language that the model does not have.
ImportedModel import_model(const ModelDirectory& directory, const ImportOptions& options = {});
// The same of a GGUF file of llama.cpp, of a checkpoint *.pt, or of what open_model_files() opens.
ImportedModel import_model(const std::filesystem::path& path, const ImportOptions& options = {});

}  // namespace attend
