// Models of Marian (Junczys-Dowmunt et al. 2018) as it writes them: weights in .npz or .bin with
// their settings, vocabularies, and the options of decoding in decoder.yml.
#pragma once

#include <optional>

#include "attend/interchange/foreign_model.h"

namespace attend {

struct NativeMarian {
  ForeignModel foreign;
  TensorTable weights;
  LanguagePair languages = {};  // that the names of files say
};

// nullopt for a directory without any of the files of find_marian_options(). Files may be packed
// with gzip. Throws DataError and IoError.
std::optional<NativeMarian> open_native_marian(const ModelDirectory& packed);

}  // namespace attend
