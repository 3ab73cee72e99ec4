// Models of COMET (Rei et al. 2020, 2022), which score translations: directories with hparams.yaml
// and checkpoints/model.ckpt, a file of PyTorch Lightning.
//
// The files lack the settings and the tokenizer of the encoder, which COMET takes from the model of
// the Hugging Face Hub that `pretrained_model` names. They are read beside hparams.yaml, or else in
// the cache of that Hub.
#pragma once

#include <filesystem>
#include <optional>

#include "attend/interchange/families/checkpoints/checkpoint_model.h"

namespace attend {

inline constexpr const char* kCometSettings = "hparams.yaml";

// Whether the path has the name of a checkpoint of Lightning, *.ckpt.
bool is_lightning_file(const std::filesystem::path& path);

// The model in a directory, from checkpoints/model.ckpt or the only checkpoint there; or from the
// checkpoint `name` of that folder. Throws DataError for what is not supported.
CheckpointModel read_comet(const ModelDirectory& directory,
                           const std::optional<std::string>& name = std::nullopt);

}  // namespace attend
