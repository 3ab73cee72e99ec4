// Models in checkpoints of fairseq and OpenNMT-py, *.pt, and in directories of eole, with the files
// beside them that split texts.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "attend/interchange/foreign_model.h"
#include "attend/interchange/formats/torch_file.h"

namespace attend {

struct CheckpointModel {
  ForeignModel foreign;
  TensorTable weights;
  std::string family, description;
  LanguagePair languages = {};
};

// Whether the path has the name of a checkpoint, *.pt.
bool is_checkpoint_file(const std::filesystem::path& path);

// The checkpoint that a directory stands for: checkpoint_best.pt, or its only *.pt; nullopt: there
// is none. Throws DataError for several.
std::optional<std::string> find_checkpoint(const ModelDirectory& directory);

// Reads the checkpoint `name`. Throws DataError for what is not supported, and for a file that is
// no checkpoint of a program that is known.
CheckpointModel open_checkpoint(const ModelDirectory& directory, const std::string& name);

// Reads a directory of eole. Throws DataError for what is not supported.
CheckpointModel read_eole(const ModelDirectory& directory);

// A checkpoint with what its readers need.
struct OpenedCheckpoint {
  const ModelDirectory& directory;
  std::string name;
  const TorchFile& file;

  std::string path() const { return directory.path() + "/" + name; }
  // The value of a key of the dictionary that the file holds; nullptr: none, or None.
  const PickleValue* find(std::string_view key) const;
  // The settings under a key of a dictionary. Throws DataError.
  ForeignConfig settings(const PickleValue& value, std::string_view key) const;
};

CheckpointModel read_fairseq(const OpenedCheckpoint& checkpoint);
CheckpointModel read_opennmt(const OpenedCheckpoint& checkpoint);

}  // namespace attend
