// `attend page`: the explorer with a model and the engine in one file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "attend/inspect/attention_page.h"

namespace attend {

// attend for pages, attend.js and attend.wasm in a folder; empty: as installed, or in the build
// tree of the program. Throws ConfigError that says how they are made if there are none, and
// IoError.
PageEngine page_engine(const std::string& folder);
// Whether page_engine(folder) finds them.
bool has_page_engine(const std::string& folder);

// The model file at `path` with at most `bits` per weight (4, 8, 16 or 32). `beside` is written
// next: what is temporary goes beside it. Throws DataError unless pages can show the model, and as
// load_checkpoint() does.
PageModel page_model(const std::filesystem::path& path, int bits,
                     const std::filesystem::path& beside);

}  // namespace attend
