// Models of other programs, imported once: their model files are kept in the user's cache.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace attend {

// $ATTEND_CACHE, or the folder attend among the user's caches.
std::filesystem::path import_cache_folder();

struct UsableModel {
  std::filesystem::path path;             // a model file, or the folder of a run
  std::vector<std::string> remarks = {};  // of an import that was made now
};

// What can be loaded for a path that people give: a model file or the folder of a run as it is; the
// import of a model of another program, of one that was downloaded from the Hugging Face Hub
// ("org/name"), or of an adapter joined with its base, which is written unless the cache has one of
// the same files. Another path as it is. Throws like import_model() and base_of_adapter(), IoError
// if the cache cannot be written, and like local_path(). `before_import` is called before something
// is imported.
UsableModel usable_model(const std::filesystem::path& path,
                         const std::function<void()>& before_import = {});

}  // namespace attend
