#include "attend/interchange/families/ctranslate2/argos_package.h"

#include <gtest/gtest.h>

#include "attend/interchange/writing/ctranslate2_export.h"
#include "attend/tasks/translation/model.h"
#include "core/written_zip.h"
#include "interchange/families/ctranslate2/written_directory.h"

namespace attend {
namespace {

class ArgosPackageOf : public WrittenDirectory {
 protected:
  ArgosPackageOf() {
    files_ = {};
    metadata_ = {{"package_version", "1.9"}, {"argos_version", "1.9.0"}, {"from_code", "en"},
                 {"from_name", "English"},   {"to_code", "de"},          {"to_name", "German"}};
    package_["sentencepiece.model"] = fixture_bytes("models/marian/source.spm");
    package_["README.md"] = "# English - German";
    package_["stanza/en/tokenize/ewt.pt"] = "not read";
  }
  ~ArgosPackageOf() override { std::filesystem::remove(path_); }

  ImportedModel imported_package(const std::string& folder = "en_de/") const {
    std::vector<WrittenEntry> entries;
    const auto add = [&](const std::string& name, const std::string& content) {
      entries.push_back({.name = folder + name, .bytes = content, .deflate = true});
    };
    add("metadata.json", metadata_.dump());
    for (const auto& [name, content] : package_) add(name, content);
    for (const auto& [name, content] : files()) add("model/" + name, content);
    std::ofstream(path_, std::ios::binary) << written_zip(entries);
    return import_model(open_model_files(path_));
  }
  void expect_package_refused(std::initializer_list<std::string_view> fragments) const {
    expect_error<DataError>([&] { imported_package(); }, fragments);
  }

  nlohmann::json metadata_;
  std::map<std::string, std::string> package_;
  const std::filesystem::path path_ = scratch("package.argosmodel");
};

TEST_F(ArgosPackageOf, ATranslatorHasItsLanguagesAndItsSearch) {
  for (const char* folder : {"en_de/", ""}) {
    const TranslationModel model = translation_model(imported_package(folder).checkpoint);
    EXPECT_EQ(model.text_kinds.at("src").language, "en");
    EXPECT_EQ(model.text_kinds.at("tgt").language, "de");
    EXPECT_EQ(imported_package(folder).checkpoint.text(kLanguageNamesKey),
              R"({"de":"German","en":"English"})");
    EXPECT_EQ(model.decoding.beam_size, 4);
    EXPECT_EQ(model.decoding.length_penalty, 0.2f);
    EXPECT_EQ(model.format.marks.before_target.size(), 1u);
    EXPECT_EQ(model.src_tokenizer.bytes(), model.tgt_tokenizer.bytes());
  }
}

TEST_F(ArgosPackageOf, ManyLanguagesBeginsItsOutputsWithAPiece) {
  metadata_["target_prefix"] = pieces_[10];
  const TranslationModel model = translation_model(imported_package().checkpoint);
  ASSERT_EQ(model.format.marks.before_target.size(), 2u);
  EXPECT_EQ(model.format.marks.before_target.back(), 10);
  metadata_["target_prefix"] = "__de__";
  expect_package_refused({"\"target_prefix\" is '__de__'"});
}

TEST_F(ArgosPackageOf, OtherThingsIsRefusedByName) {
  metadata_["type"] = "sbd";
  expect_package_refused({"metadata.json", "\"type\"", "sbd"});
  metadata_.erase("type");
  metadata_.erase("to_code");
  expect_package_refused({"metadata.json", "\"to_code\" is missing"});
  metadata_["to_code"] = "de";
  package_.erase("sentencepiece.model");
  package_["bpe.model"] = "#version: 0.2\n";
  expect_package_refused({"bpe.model", "Moses"});
  package_.clear();
  expect_package_refused({"expected what splits texts into pieces"});
}

TEST_F(ArgosPackageOf, ALanguageModelIsRefused) {
  std::filesystem::create_directory(folder_);
  write_ctranslate2_directory(import_model(ModelDirectory(fixture("models") / "gpt2")).checkpoint,
                              folder_ / "model");
  std::ofstream(folder_ / "metadata.json") << metadata_.dump();
  expect_error<DataError>([&] { import_model(ModelDirectory(folder_)); },
                          {"expected a translator in the package"});
}

TEST_F(ArgosPackageOf, NothingIsNoPackage) {
  std::ofstream(path_, std::ios::binary) << written_zip({{"en_de/model/model.bin", "x"}});
  expect_error<DataError>([&] { open_model_files(path_); }, {"metadata.json", "found none"});
}

}  // namespace
}  // namespace attend
