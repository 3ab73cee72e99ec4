// Directories of CTranslate2: model.bin, config.json and vocabularies.
#pragma once

#include <optional>

#include "attend/interchange/foreign_model.h"

namespace attend {

struct Ctranslate2Model {
  ForeignModel foreign;
  TensorTable weights;
};

// The model in the directory; nullopt: it has no model.bin. The files that split texts are in
// `texts`. Throws DataError for what is not supported.
std::optional<Ctranslate2Model> open_ctranslate2(const ModelDirectory& directory,
                                                 const ModelDirectory& texts);

}  // namespace attend
