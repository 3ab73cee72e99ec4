#include "attend/server/models/packages.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "interchange/families/ctranslate2/written_directory.h"

namespace attend {
namespace {

class PackagesOf : public WrittenDirectory {
 protected:
  PackagesOf() { std::filesystem::create_directories(models_); }
  ~PackagesOf() override { std::filesystem::remove_all(models_); }

  static constexpr const char* kMetadata = R"({"from_code": "en", "to_code": "de"})";

  void write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((models_ / name).parent_path());
    std::ofstream(models_ / name, std::ios::binary) << content;
  }
  void write_archive(const std::string& name) const {
    std::vector<WrittenEntry> entries{{.name = "p/metadata.json", .bytes = kMetadata}};
    for (const auto& [file, content] : files())
      entries.push_back({.name = "p/model/" + file, .bytes = content});
    entries.push_back({.name = "p/sentencepiece.model", .bytes = files_.at("source.spm")});
    write(name, written_zip(entries));
  }
  void write_folder(const std::string& name) const {
    write(name + "/metadata.json", kMetadata);
    write(name + "/sentencepiece.model", files_.at("source.spm"));
    for (const auto& [file, content] : files()) write(name + "/model/" + file, content);
  }

  const std::filesystem::path models_ = scratch("packages");
};

TEST_F(PackagesOf, AFolderBecomeModelFilesBesideThem) {
  write_archive("en_de.argosmodel");
  write_folder("translate-en_de-1_0");
  write("notes.txt", "no package");
  import_packages(models_);
  for (const char* name : {"en_de.safetensors", "translate-en_de-1_0.safetensors"})
    EXPECT_TRUE(std::filesystem::exists(models_ / name)) << name;
}

TEST_F(PackagesOf, AreImportedAgainWhenTheyChange) {
  write_archive("en_de.argosmodel");
  import_packages(models_);
  const auto model = models_ / "en_de.safetensors", package = models_ / "en_de.argosmodel";
  std::ofstream(model) << "kept";
  import_packages(models_);
  EXPECT_EQ(std::filesystem::file_size(model), 4u);
  std::filesystem::last_write_time(
      package, std::filesystem::last_write_time(model) + std::chrono::seconds(1));
  import_packages(models_);
  EXPECT_GT(std::filesystem::file_size(model), 4u);
}

TEST_F(PackagesOf, AreRefusedWhenTheyAreDamaged) {
  write("en_de.argosmodel", "PK");
  EXPECT_THROW(import_packages(models_), DataError);
  EXPECT_FALSE(std::filesystem::exists(models_ / "en_de.safetensors"));
}

TEST_F(PackagesOf, AreNowhereInAFolderThatIsNotThere) { import_packages(models_ / "none"); }

}  // namespace
}  // namespace attend
