#include "attend/tasks/training/taught_texts.h"

#include "attend/checkpoint/checkpoint.h"
#include "checkpoint/test_folder.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class TaughtTextFiles : public FolderTest {
 protected:
  // A part has 4096 texts.
  explicit TaughtTextFiles(int texts = 5000) {
    for (int i = 0; i < texts; ++i) texts_.push_back("text " + std::to_string(i));
  }
  // The number of a text and its half.
  std::vector<float> answers(std::span<const std::string> texts) {
    asked_ += std::ssize(texts);
    std::vector<float> rows;
    for (const std::string& text : texts) {
      const float number = std::stof(text.substr(5));
      rows.insert(rows.end(), {number, number / 2});
    }
    return rows;
  }
  void write_all(const std::string& settings = "# by a\n") {
    write_taught_texts(
        texts_, {"halves", {"whole", "half"}},
        [this](std::span<const std::string> texts) { return answers(texts); }, settings,
        path("answers"), [this](std::int64_t done) { progress_.push_back(done); });
  }

  std::vector<std::string> texts_;
  std::int64_t asked_ = 0;
  std::vector<std::int64_t> progress_;
};

TEST_F(TaughtTextFiles, AreReadAsTheyWereWritten) {
  write_all();
  EXPECT_EQ(progress_, (std::vector<std::int64_t>{4096, 5000}));
  const TaughtTexts read(path("answers"));
  EXPECT_EQ(read.texts(), texts_);
  EXPECT_EQ(read.kind().kind, "halves");
  EXPECT_EQ(read.kind().names, (std::vector<std::string>{"whole", "half"}));
  EXPECT_EQ(read.width(), 2);
  for (const std::size_t i : {0U, 4095U, 4096U, 4999U}) {
    EXPECT_EQ(read.row(i)[0], static_cast<float>(i));
    EXPECT_EQ(read.row(i)[1], static_cast<float>(i) / 2);
  }
}

TEST_F(TaughtTextFiles, AreWrittenOnFromTheFirstPartThatIsMissing) {
  write_all();
  const std::string last = read(path("answers/part-000002.safetensors"));
  std::filesystem::remove(path("answers/part-000002.safetensors"));
  expect_error<DataError>([&] { TaughtTexts(path("answers")); }, {"1 parts without the last"});
  asked_ = 0;
  write_all();
  EXPECT_EQ(asked_, 904);
  EXPECT_EQ(read(path("answers/part-000002.safetensors")), last);
  write_all();
  EXPECT_EQ(asked_, 904) << "nothing is missing";
}

TEST_F(TaughtTextFiles, AreNotMixedWithOthers) {
  write_all();
  expect_error<ConfigError>([&] { write_all("# by b\n"); },
                            {"the answers in this folder were made by other models"});
  texts_[3] = "text 7";
  expect_error<ConfigError>([&] { write_all(); }, {"of another text"});
  texts_.clear();
  expect_error<DataError>([&] { write_all(); }, {"expected texts"});
}

TEST_F(TaughtTextFiles, AreRefusedWhenTheyAreDamaged) {
  texts_.resize(3);
  write_all();
  const std::filesystem::path file = path("answers/part-000001.safetensors");
  const Checkpoint whole = load_checkpoint(file);
  const auto refuses = [&](const Checkpoint& part, const char* message) {
    save_checkpoint(file, part);
    expect_error<DataError>([&] { TaughtTexts(path("answers")); }, {message});
  };
  Checkpoint part = whole;
  part.tensors[0].tensor = bytes_tensor("one\ntwo\n");
  refuses(part, "expected numbers for each of 2 texts");
  part.tensors[0].tensor = bytes_tensor("one\ntwo\nthree");
  refuses(part, "expected numbers for each of 2 texts");
  part = whole;
  part.metadata["taught_texts"] = R"({"kind": "halves", "names": ["one"], "last": true})";
  refuses(part, "expected numbers");
  part.metadata["taught_texts"] = R"({"kind": 3, "names": [], "last": true})";
  refuses(part, "expected a kind, names");
}

}  // namespace
}  // namespace attend
