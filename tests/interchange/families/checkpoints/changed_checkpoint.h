// Copies of the checkpoints among the fixtures, with other settings.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/files/packed/zip_archive.h"
#include "attend/error.h"
#include "attend/interchange/families/checkpoints/checkpoint_model.h"
#include "attend/interchange/foreign_model.h"
#include "core/written_zip.h"
#include "interchange/fixtures.h"
#include "tensor/expect_error.h"

namespace attend {

inline std::filesystem::path checkpoint_folder(const std::string& name) {
  return fixture("models") / name;
}

// A checkpoint in memory.
class ChangedCheckpoint : public testing::Test {
 protected:
  void read(const std::string& name) {
    files_.clear();
    for (const auto& entry : std::filesystem::directory_iterator(checkpoint_folder(name)))
      files_[entry.path().filename().string()] =
          fixture_bytes("models/" + name + "/" + entry.path().filename().string());
    checkpoint_ = *find_checkpoint(ModelDirectory("memory", files_));
    original_ = files_[checkpoint_];
  }

  // Calls change(pickle) with the pickle of the original.
  template <class Change>
  void change_pickle(const Change& change) {
    const ZipArchive archive(std::make_shared<const InputFile>("memory", original_));
    std::vector<WrittenEntry> entries;
    for (const ZipEntry& entry : archive.entries()) {
      const auto bytes = archive.read(entry, std::size_t{1} << 24);
      std::string content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      if (entry.name.ends_with("data.pkl")) change(content);
      entries.push_back({entry.name, content});
    }
    files_[checkpoint_] = written_zip(entries);
  }
  void replace(const std::string& from, const std::string& to) {
    ASSERT_EQ(from.size(), to.size()) << "strings have their sizes before them";
    change_pickle([&](std::string& pickle) {
      const auto found = pickle.find(from);
      ASSERT_NE(found, pickle.npos) << from;
      pickle.replace(found, from.size(), to);
    });
  }
  // Makes a setting True that is False.
  void turn_on(const std::string& key) {
    change_pickle([&](std::string& pickle) {
      const auto found =
          pickle.find(std::string(1, static_cast<char>(key.size())) + std::string(3, '\0') + key);
      ASSERT_NE(found, pickle.npos) << key;
      const auto value = pickle.find('\x89', found);
      ASSERT_LT(value, found + key.size() + 12) << key;
      pickle[value] = '\x88';
    });
  }
  ImportedModel imported() const { return import_model(ModelDirectory("memory", files_)); }
  // Sets a small number.
  void set_number(const std::string& key, int number) {
    change_pickle([&](std::string& pickle) {
      const auto found =
          pickle.find(std::string(1, static_cast<char>(key.size())) + std::string(3, '\0') + key);
      ASSERT_NE(found, pickle.npos) << key;
      const auto value = pickle.find('K', found + key.size());
      ASSERT_LT(value, found + key.size() + 12) << key;
      pickle[value + 1] = static_cast<char>(number);
    });
  }
  void expect_refused(std::initializer_list<std::string_view> fragments) const {
    expect_error<DataError>([&] { imported(); }, fragments);
  }

  TextFiles files_;
  std::string checkpoint_, original_;
};

}  // namespace attend
