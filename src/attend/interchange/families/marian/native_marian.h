// Models of Marian (Junczys-Dowmunt et al. 2018) as it writes them: weights in .npz or .bin with
// their settings, vocabularies, and the options of decoding in decoder.yml.
#pragma once

#include <optional>

#include "attend/interchange/foreign_model.h"

namespace attend {

struct NativeMarian {
  ForeignModel foreign;
  TensorTable weights;
};

// nullopt for a directory without decoder.yml or a file *.decoder.yml. Throws DataError and
// IoError.
std::optional<NativeMarian> open_native_marian(const ModelDirectory& directory);

}  // namespace attend
