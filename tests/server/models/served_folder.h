// A folder of models, and a server of them.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "attend/server/models/models.h"
#include "server/served_models.h"

namespace attend {

class ModelsTest : public ServingTest {
 protected:
  ModelsTest() { std::filesystem::create_directories(folder_); }
  ~ModelsTest() override {
    stop();
    std::filesystem::remove_all(folder_);
  }

  static std::string model_of(const std::string& run) {
    return SmallModels::shared().file(run) + "/model.safetensors";
  }
  void put(const std::string& run, const std::string& name) const {
    std::filesystem::copy_file(model_of(run), folder_ / "new",
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::rename(folder_ / "new", folder_ / name);
  }
  Models models() const { return {{}, folder_.string(), make_runtime({.threads = 1})}; }
  static std::vector<std::string> names(const Models& models) {
    std::vector<std::string> all;
    for (const ServedModelPointer& model : models.all()) all.push_back(model->name);
    return all;
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("attend_models_" + std::to_string(getpid()));
};

}  // namespace attend
