// Jina embeddings, version 2: read as the BERT that their directories say they are.
#pragma once

#include "attend/interchange/families/families.h"

namespace attend {

// Whether a directory of the type "bert" holds one.
bool is_jina_bert(ForeignConfig& config);
ForeignModel read_jina_bert(const ModelDirectory& directory, ForeignConfig& config);

}  // namespace attend
