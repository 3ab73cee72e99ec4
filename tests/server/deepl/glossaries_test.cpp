#include "attend/server/deepl/glossaries.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "attend/error.h"
#include "attend/server/http/message.h"

namespace attend {
namespace {

StoredGlossary of_owner(const std::string& owner, const std::string& target = "Hund") {
  return {{}, "mine", owner, {}, {{"en", "de", {{"dog", target}}}}};
}

int status_of_put(Glossaries& glossaries, StoredGlossary glossary) {
  try {
    glossaries.put(std::move(glossary));
    return 200;
  } catch (const HttpError& error) {
    return error.status;
  }
}

TEST(Glossaries, AreFoundByTheirOwners) {
  Glossaries glossaries;
  const StoredGlossary mine = glossaries.put(of_owner("a"));
  EXPECT_EQ(mine.id.size(), 36u);
  EXPECT_NE(mine.id, glossaries.put(of_owner("b")).id);
  ASSERT_TRUE(glossaries.find(mine.id, "a"));
  EXPECT_EQ(glossaries.find(mine.id, "a")->name, "mine");
  EXPECT_FALSE(glossaries.find(mine.id, "b"));
  EXPECT_EQ(glossaries.all("a").size(), 1u);
  EXPECT_FALSE(glossaries.remove(mine.id, "b"));
  EXPECT_TRUE(glossaries.remove(mine.id, "a"));
  EXPECT_FALSE(glossaries.remove(mine.id, "a"));
  EXPECT_TRUE(glossaries.all("a").empty());
}

TEST(Glossaries, AreForLanguagesOfAnyRegion) {
  const StoredGlossary glossary = of_owner("");
  EXPECT_NE(glossary.find("EN-GB", "DE"), nullptr);
  EXPECT_NE(glossary.find("eng_Latn", "de-CH"), nullptr);
  EXPECT_EQ(glossary.find("DE", "EN"), nullptr);
}

TEST(Glossaries, AreRefusedBeyondTheLimits) {
  Glossaries glossaries({}, {.bytes = 20, .all_bytes = 30, .number = 2});
  EXPECT_EQ(status_of_put(glossaries, of_owner("a", "Hundehaltung 12345")), 456);
  const StoredGlossary first = glossaries.put(of_owner("a"));
  EXPECT_EQ(status_of_put(glossaries, of_owner("a")), 200);
  EXPECT_EQ(status_of_put(glossaries, of_owner("a")), 456) << "a third";
  StoredGlossary again = first;
  again.name = "other";
  EXPECT_EQ(status_of_put(glossaries, again), 200) << "in place of the old one";
  EXPECT_EQ(glossaries.find(first.id, "a")->name, "other");
  EXPECT_EQ(glossaries.find(first.id, "a")->created, first.created);
}

class GlossaryFolder : public testing::Test {
 protected:
  GlossaryFolder() { std::filesystem::remove_all(folder_); }
  ~GlossaryFolder() override { std::filesystem::remove_all(folder_); }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("attend_glossaries_" + std::to_string(getpid()));
};

TEST_F(GlossaryFolder, IsSharedByServersAndSurvivesThem) {
  std::string id;
  Glossaries other(folder_);
  {
    Glossaries one(folder_);
    id = one.put(of_owner("a", "H\"und\xC3\xA4")).id;
  }
  const std::optional<StoredGlossary> found = other.find(id, "a");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, id);
  EXPECT_EQ(found->dictionaries.at(0).entries.at(0).second, "H\"und\xC3\xA4");
  EXPECT_GT(found->created.time_since_epoch().count(), 0);
  EXPECT_EQ(other.all("a").size(), 1u);
  EXPECT_TRUE(other.all("").empty());
  EXPECT_TRUE(other.remove(id, "a"));
  EXPECT_FALSE(Glossaries(folder_).find(id, "a"));
}

TEST_F(GlossaryFolder, GivesOnlyItsOwnFiles) {
  Glossaries glossaries(folder_);
  std::ofstream(folder_ / "keys.json") << "secret";
  for (const char* id :
       {"keys", "../keys", "", "/etc/passwd", "0123456789abcdef0123456789abcdef/..",
        "01234567-89ab-cdef-0123-456789abcde/"})
    EXPECT_FALSE(glossaries.find(id, "")) << id;
  EXPECT_TRUE(glossaries.all("").empty());
  const std::string id = "01234567-89ab-4def-8123-456789abcdef";
  for (const char* content : {"", "{", "[]", "{}", R"({"name": 1})"}) {
    std::ofstream(folder_ / (id + ".json")) << content;
    EXPECT_THROW(glossaries.find(id, ""), IoError) << content;
  }
}

TEST_F(GlossaryFolder, MustBeOneThatCanBeWritten) {
  EXPECT_THROW(Glossaries("/proc/attend"), IoError);
}

}  // namespace
}  // namespace attend
