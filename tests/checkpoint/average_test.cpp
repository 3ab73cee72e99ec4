#include "attend/checkpoint/average.h"

#include <cmath>

#include "attend/checkpoint/training_note.h"
#include "checkpoint/test_folder.h"

namespace attend {
namespace {

class AverageTest : public FolderTest {
 protected:
  std::filesystem::path save(const std::string& name, float value, const std::string& config = "{}",
                             const std::string& tokenizer = "abc", std::int64_t size = 3) const {
    Checkpoint checkpoint{
        {{"weight", Tensor::full({size}, value)},
         {"tokenizer", bytes_tensor(tokenizer)},
         {"state.mean", Tensor::full({2}, value)}},
        {{"attend.task", "translation"}, {"attend.config", config}, {"state.step", "7"}},
        ""};
    save_checkpoint(path(name), checkpoint);
    return path(name);
  }
};

TEST_F(AverageTest, TakesTheMeanOfEveryNumberAndKeepsTheRest) {
  const std::vector<std::filesystem::path> files{save("one", 1), save("two", 2), save("six", 6)};
  const Checkpoint mean = average_checkpoints(files);
  EXPECT_EQ(mean.tensor("weight").to_vector(), std::vector<float>(3, 3.0f));
  EXPECT_EQ(tensor_bytes(mean.tensor("tokenizer")), "abc");
  EXPECT_EQ(mean.text("attend.task"), "translation");
}

TEST_F(AverageTest, KeepsTheMetadataOfTheLast) {
  const auto with_decoding = [this](const std::string& name, const std::string& decoding) {
    Checkpoint checkpoint = load_checkpoint(save(name, 1));
    checkpoint.metadata["attend.decoding"] = decoding;
    save_checkpoint(path(name + ".decoding"), checkpoint);
    return path(name + ".decoding");
  };
  const std::vector<std::filesystem::path> files{with_decoding("one", "{\"beam_size\": 1}"),
                                                 with_decoding("two", "{\"beam_size\": 2}")};
  EXPECT_EQ(average_checkpoints(files).text("attend.decoding"), "{\"beam_size\": 2}");
}

TEST_F(AverageTest, LeavesTheStateOfTheTrainingOut) {
  const Checkpoint mean = average_checkpoints(std::vector<std::filesystem::path>{save("one", 1)});
  EXPECT_EQ(mean.find("state.mean"), nullptr);
  EXPECT_FALSE(mean.metadata.contains("state.step"));
}

TEST_F(AverageTest, DoesNotSayOfTheMeanWhatOneOfThemSays) {
  Checkpoint checkpoint = load_checkpoint(save("one", 1));
  checkpoint.metadata[std::string(kTrainingNote)] = "{\"step\":7}";
  save_checkpoint(path("noted"), checkpoint);
  const std::vector<std::filesystem::path> files{path("one"), path("noted")};
  EXPECT_FALSE(average_checkpoints(files).metadata.contains(std::string(kTrainingNote)));
}

// The score is best at 3, the mean of 2 and 4.
TEST_F(AverageTest, LeavesOutWhatMakesItWorse) {
  const std::vector<std::filesystem::path> files{save("nine", 9), save("two", 2), save("four", 4),
                                                 save("six", 6)};
  int measured = 0;
  const Soup soup = greedy_soup(files, [&](const Checkpoint& model) {
    ++measured;
    return -std::abs(3.0 - double{model.tensor("weight").to_vector().front()});
  });
  EXPECT_EQ(soup.average.tensor("weight").to_vector(), std::vector<float>(3, 3.0f));
  EXPECT_EQ(soup.score, 0);
  EXPECT_EQ(measured, 7);
  std::vector<std::string> order;
  std::vector<bool> kept;
  for (const Soup::Ingredient& one : soup.ingredients) {
    order.push_back(one.path.filename().string());
    kept.push_back(one.kept);
  }
  EXPECT_EQ(order, (std::vector<std::string>{"two", "four", "six", "nine"}));
  EXPECT_EQ(kept, (std::vector<bool>{true, true, false, false}));
  EXPECT_EQ(soup.ingredients[1].alone, -1);
  EXPECT_EQ(soup.ingredients[1].with, 0);
  EXPECT_EQ(soup.ingredients[2].with, -1);
  EXPECT_THROW(greedy_soup({}, [](const Checkpoint&) { return 0.0; }), ConfigError);
}

TEST_F(AverageTest, DoesNotDependOnTheOrder) {
  const auto a = save("a", 0.5f), b = save("b", 1e8f), c = save("c", -1e8f);
  const auto mean = [](std::vector<std::filesystem::path> files) {
    return average_checkpoints(files).tensor("weight").to_vector();
  };
  EXPECT_EQ(mean({a, b, c}), mean({b, c, a}));
}

TEST_F(AverageTest, RefusesDifferentModels) {
  const auto average = [this](const std::filesystem::path& other) {
    return data_error([&] {
      average_checkpoints(std::vector<std::filesystem::path>{other, save("one", 1)});
    });
  };
  EXPECT_CONTAINS(average(save("config", 1, "{\"d_model\": 8}")), "attend.config differs");
  EXPECT_CONTAINS(average(save("shape", 1, "{}", "abc", 4)), "tensor weight");
  EXPECT_CONTAINS(average(save("vocabulary", 1, "{}", "abd")), "tensor tokenizer");
  EXPECT_THROW(average_checkpoints({}), ConfigError);
}

}  // namespace
}  // namespace attend
