#include "attend/server/models/packages.h"

#include <algorithm>
#include <system_error>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/interchange/foreign_model.h"

namespace attend {

namespace {

namespace fs = std::filesystem;

// The file of a package that is written last; empty: it is none.
fs::path file_of_package(const fs::path& path) {
  std::error_code ignored;
  if (path.extension() == ".argosmodel" && fs::is_regular_file(path, ignored)) return path;
  const fs::path metadata = path / "metadata.json", model = path / "model" / "model.bin";
  if (fs::is_regular_file(metadata, ignored) && fs::is_regular_file(model, ignored)) return model;
  return {};
}

bool is_newer(const fs::path& model, const fs::path& package) {
  std::error_code missing, failure;
  const auto written = fs::last_write_time(model, missing),
             changed = fs::last_write_time(package, failure);
  return !missing && !failure && written >= changed;
}

}  // namespace

void import_packages(const fs::path& folder) {
  std::vector<fs::path> packages;
  std::error_code failure;
  for (auto entry = fs::directory_iterator(folder, failure);
       !failure && entry != fs::directory_iterator(); entry.increment(failure))
    if (!file_of_package(entry->path()).empty()) packages.push_back(entry->path());
  std::sort(packages.begin(), packages.end());
  for (const fs::path& package : packages) {
    fs::path model = package;
    if (package.extension() == ".argosmodel") model.replace_extension();
    model += ".safetensors";
    if (is_newer(model, file_of_package(package))) continue;
    save_checkpoint(model, import_model(open_model_files(package)).checkpoint);
  }
}

}  // namespace attend
