#include "attend/core/atomic_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "attend/core/atomic_file.h"
#include "attend/error.h"

namespace attend {
namespace {

class AtomicFolderTest : public testing::Test {
 protected:
  AtomicFolderTest() {
    std::string name = testing::TempDir() + "atomic_folder_XXXXXX";
    place_ = ::mkdtemp(name.data());
  }
  ~AtomicFolderTest() override { std::filesystem::remove_all(place_); }

  std::ptrdiff_t entries() const {
    return std::distance(std::filesystem::directory_iterator(place_),
                         std::filesystem::directory_iterator());
  }

  std::filesystem::path place_;
};

TEST_F(AtomicFolderTest, AppearsWithItsFilesWhenItIsCommitted) {
  AtomicFolder folder(place_ / "model");
  EXPECT_TRUE(is_temporary_name(folder.temporary().filename().native()));
  write_file_atomically(folder.temporary() / "a", "one");
  EXPECT_FALSE(std::filesystem::exists(place_ / "model"));
  folder.commit();
  EXPECT_TRUE(std::filesystem::exists(place_ / "model" / "a"));
  EXPECT_EQ(entries(), 1);
}

TEST_F(AtomicFolderTest, LeavesNothingWhenItIsNotCommitted) {
  {
    const AtomicFolder folder(place_ / "model");
    write_file_atomically(folder.temporary() / "a", "one");
  }
  EXPECT_EQ(entries(), 0);
}

TEST_F(AtomicFolderTest, TakesThePlaceOfAnEmptyFolder) {
  std::filesystem::create_directory(place_ / "model");
  AtomicFolder folder(place_ / "model/");
  write_file_atomically(folder.temporary() / "a", "one");
  folder.commit();
  EXPECT_TRUE(std::filesystem::exists(place_ / "model" / "a"));
  EXPECT_EQ(entries(), 1);
}

TEST_F(AtomicFolderTest, RefusesWhatIsThereAndAPlaceThatIsNot) {
  std::filesystem::create_directory(place_ / "model");
  std::ofstream(place_ / "model" / "a") << "mine";
  EXPECT_THROW(AtomicFolder{place_ / "model"}, IoError);
  EXPECT_THROW(AtomicFolder{place_ / "model" / "a"}, IoError);
  EXPECT_THROW(AtomicFolder{place_ / "nowhere" / "model"}, IoError);
  EXPECT_THROW(AtomicFolder{""}, IoError);
  EXPECT_EQ(entries(), 1);
}

TEST_F(AtomicFolderTest, RefusesWhatHasBeenFilledMeanwhile) {
  std::filesystem::create_directory(place_ / "model");
  AtomicFolder folder(place_ / "model");
  std::ofstream(place_ / "model" / "a") << "mine";
  EXPECT_THROW(folder.commit(), IoError);
  EXPECT_TRUE(std::filesystem::exists(place_ / "model" / "a"));
}

}  // namespace
}  // namespace attend
