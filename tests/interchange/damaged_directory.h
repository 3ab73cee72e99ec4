// Copies of the model directories of the fixtures that a test may damage.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "attend/checkpoint/safetensors/safetensors.h"
#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/writing/model_export.h"
#include "interchange/fixture_files.h"
#include "tensor/expect_error.h"

namespace attend {

class DamagedDirectory : public testing::Test {
 protected:
  ~DamagedDirectory() override { std::filesystem::remove_all(folder_); }

  // A new copy of a fixture, in place of any other.
  void copy(const std::string& name) const {
    std::filesystem::remove_all(folder_);
    std::filesystem::copy(fixture("models") / name, folder_,
                          std::filesystem::copy_options::recursive);
  }
  // The first occurrence in a file.
  void replace(const char* file, const std::string& from, const std::string& to) const {
    std::ifstream in(folder_ / file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto found = text.find(from);
    ASSERT_NE(found, text.npos) << from;
    text.replace(found, from.size(), to);
    write(file, text);
  }
  void write(const char* file, const std::string& text) const {
    std::ofstream(folder_ / file, std::ios::binary) << text;
  }
  // Writes the weights again; those whose other name is empty are left out.
  void rename_weights(const std::function<std::string(const std::string&)>& other) const {
    const std::filesystem::path path = folder_ / "model.safetensors";
    std::vector<NamedTensor> tensors;
    {
      const SafetensorsFile file = SafetensorsFile::open(path);
      for (const std::string& name : file.names())
        if (const std::string renamed = other(name); !renamed.empty())
          tensors.push_back({renamed, file.tensor(name).clone()});
    }
    write_safetensors(path, tensors, {});
  }
  // A tensor of other values, and of the shape of the tensor `like`.
  void add_weight(const std::string& name, const std::string& like) const {
    const std::filesystem::path path = folder_ / "model.safetensors";
    std::vector<NamedTensor> tensors;
    {
      const SafetensorsFile file = SafetensorsFile::open(path);
      for (const std::string& present : file.names())
        tensors.push_back({present, file.tensor(present).clone()});
    }
    std::vector<float> values;
    for (const NamedTensor& tensor : tensors)
      if (tensor.name == like) values = tensor.tensor.to_vector();
    ASSERT_FALSE(values.empty()) << like;
    Shape shape;
    for (const NamedTensor& tensor : tensors)
      if (tensor.name == like) shape = tensor.tensor.shape();
    for (float& value : values) value = 1 - value;
    tensors.push_back({name, Tensor::from(values, shape)});
    write_safetensors(path, tensors, {});
  }
  void leave_out(const std::string& tensor) const {
    bool is_there = false;
    rename_weights([&](const std::string& name) {
      is_there = is_there || name == tensor;
      return name == tensor ? "" : name;
    });
    ASSERT_TRUE(is_there) << tensor;
  }

  // The family as which a model of a fixture is exported that does not say where it came from.
  std::string family_by_what_it_computes(const std::string& name) const {
    copy(name);
    Checkpoint model = imported().checkpoint;
    model.metadata.erase(kFamilyKey);
    return std::string(export_model(model).family);
  }

  ImportedModel imported() const { return import_model(ModelDirectory(folder_)); }
  void expect_refused(std::initializer_list<std::string_view> fragments) const {
    expect_error<DataError>([&] { imported(); }, fragments);
  }

  const std::filesystem::path folder_ = scratch("damaged");
};

}  // namespace attend
