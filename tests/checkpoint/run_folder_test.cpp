#include "attend/checkpoint/run_folder.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <numeric>
#include <random>

#include "attend/checkpoint/state.h"
#include "attend/core/files/atomic_file.h"
#include "checkpoint/test_folder.h"

namespace attend {
namespace {

// Every element is the step, so that a mixture of two steps would show.
Checkpoint checkpoint_of(std::int64_t step, std::int64_t size = 64) {
  return {{{"weight", Tensor::full({size}, static_cast<float>(step))}},
          {{"step", std::to_string(step)}},
          ""};
}

class RunFolderTest : public FolderTest {
 protected:
  RunFolderTest() { run_.create(); }

  std::vector<std::int64_t> steps() const {
    std::vector<std::int64_t> steps;
    for (const auto& saved : run_.checkpoints()) steps.push_back(saved.step);
    return steps;
  }

  RunFolder run_{folder_ / "runs" / "first"};
  std::vector<std::string> skipped_;
};

TEST_F(RunFolderTest, NamesItsFiles) {
  EXPECT_EQ(run_.checkpoint_file(1000).filename(), "step-00001000.safetensors");
  EXPECT_EQ(run_.checkpoint_file(1234567890).filename(), "step-1234567890.safetensors");
  EXPECT_EQ(run_.model_file().filename(), "model.safetensors");
}

TEST_F(RunFolderTest, KnowsWhetherItCouldBeMade) {
  EXPECT_NO_THROW(run_.require_writable());
  const RunFolder below(folder_ / "none" / "yet");
  EXPECT_NO_THROW(below.require_writable());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "none")) << "looked at, not made";
  write_file_atomically(folder_ / "file", "");
  for (const char* name : {"file", "file/run", "file/a/b"})
    EXPECT_THROW(RunFolder(folder_ / name).require_writable(), IoError) << name;
}

TEST_F(RunFolderTest, KeepsTheLastOnes) {
  for (int step = 100; step <= 500; step += 100) run_.save(step, checkpoint_of(step), 3);
  EXPECT_EQ(steps(), (std::vector<std::int64_t>{300, 400, 500}));
  EXPECT_EQ(run_.latest(skipped_)->step, 500);
  EXPECT_EQ(run_.latest(skipped_)->checkpoint.text("step"), "500");
  EXPECT_TRUE(skipped_.empty());
}

TEST_F(RunFolderTest, KeepsAllWhenAskedTo) {
  for (int step = 1; step <= 4; ++step) run_.save(step, checkpoint_of(step), 0);
  EXPECT_EQ(steps().size(), 4u);
}

TEST_F(RunFolderTest, OrdersByNumberNotByName) {
  run_.save(99'999'999, checkpoint_of(1), 0);
  run_.save(100'000'000, checkpoint_of(2), 0);
  EXPECT_EQ(run_.latest(skipped_)->step, 100'000'000);
}

TEST_F(RunFolderTest, NeverRemovesTheOneJustSaved) {
  run_.save(900, checkpoint_of(900), 1);
  run_.save(100, checkpoint_of(100), 1);
  EXPECT_EQ(steps(), (std::vector<std::int64_t>{100, 900}));
}

TEST_F(RunFolderTest, PassesOverADamagedOneAndSaysSo) {
  for (int step = 1; step <= 3; ++step) run_.save(step, checkpoint_of(step), 0);
  const std::string whole = read(run_.checkpoint_file(3));
  write(run_.checkpoint_file(3), whole.substr(0, whole.size() - 1));
  std::string flipped = read(run_.checkpoint_file(2));
  flipped.back() = static_cast<char>(flipped.back() ^ 1);
  write(run_.checkpoint_file(2), flipped);
  const auto latest = run_.latest(skipped_);
  ASSERT_TRUE(latest);
  EXPECT_EQ(latest->step, 1);
  ASSERT_EQ(skipped_.size(), 2u);
  EXPECT_CONTAINS(skipped_[0], "step-00000003.safetensors");
  EXPECT_CONTAINS(skipped_[0], "truncated?");
  EXPECT_CONTAINS(skipped_[1], "checksum");
}

// A resumed run reads the tensors into the buffers that it has: another copy would double its
// memory.
TEST_F(RunFolderTest, LeavesTheTensorsOfTheNewestInItsFile) {
  Checkpoint checkpoint = checkpoint_of(7);
  std::vector<float> numbers(3000);
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  const StateWriter writer(checkpoint, std::string(kTrainingState));
  writer.put("mean", Tensor::from(numbers, {3000}));
  Tensor codes = Tensor::zeros({5000}, DType::u8);
  codes.data<std::uint8_t>()[4998] = 200;
  writer.put("codes", codes);
  run_.save(7, checkpoint, 0);

  const auto latest = run_.latest(skipped_);
  ASSERT_TRUE(latest);
  for (const char* name : {"weight", "state.mean", "state.codes"})
    EXPECT_EQ(latest->checkpoint.tensor(name).bytes(), nullptr) << name;
  const StateReader reader(latest->checkpoint, std::string(kTrainingState));
  const Tensor mean = Tensor::empty({3000}), part = Tensor::empty({100}),
               two = Tensor::empty({2}, DType::u8);
  reader.copy_to("mean", mean);
  EXPECT_EQ(mean.to_vector(), numbers);
  reader.copy_part_to("mean", {2000, 3000}, part);
  EXPECT_EQ(part.to_vector(), std::vector(numbers.begin() + 2000, numbers.begin() + 2100));
  reader.copy_part_to("codes", {4998, 5000}, two);
  EXPECT_EQ(two.data<std::uint8_t>()[0], 200);
  EXPECT_EQ(reader.tensor("mean").to_vector(), numbers);
  EXPECT_CONTAINS(data_error([&] { reader.copy_to("mean", part); }), "expected F32 [100]");
  EXPECT_CONTAINS(data_error([&] {
                    reader.copy_part_to("mean", {0, 100}, part);
                  }),
                  "got F32 [3000]");
}

TEST_F(RunFolderTest, RefusesToBeginAnewOverDamagedCheckpoints) {
  for (int step = 1; step <= 2; ++step) {
    run_.save(step, checkpoint_of(step), 0);
    write(run_.checkpoint_file(step), "damaged");
  }
  const std::string message = data_error([&] { run_.latest(skipped_); });
  EXPECT_CONTAINS(message,
                  run_.checkpoint_folder().string() + ": none of the 2 checkpoints can be read");
  EXPECT_CONTAINS(message, "the newest: " + run_.checkpoint_file(2).string());
}

TEST_F(RunFolderTest, FindsNothingInAnEmptyOrMissingFolder) {
  EXPECT_FALSE(run_.latest(skipped_));
  EXPECT_FALSE(RunFolder(folder_ / "other").latest(skipped_));
  EXPECT_TRUE(skipped_.empty());
}

TEST_F(RunFolderTest, IgnoresOtherFiles) {
  run_.save(1, checkpoint_of(1), 0);
  for (const char* const name :
       {"step-.safetensors", "step-12x.safetensors", "step-00000009.safetensors.bak", "notes.txt",
        ".step-00000009.safetensors.1-0.attend-tmp"})
    write(run_.checkpoint_folder() / name, "x");
  std::filesystem::create_directories(run_.checkpoint_file(5));
  EXPECT_EQ(steps(), (std::vector<std::int64_t>{1}));
}

TEST_F(RunFolderTest, SaysWhereItCannotMakeAFolder) {
  write(path("file"), "x");
  try {
    RunFolder(path("file") / "run").create();
    FAIL() << "expected an IoError";
  } catch (const IoError& error) {
    EXPECT_CONTAINS(std::string(error.what()), path("file").string());
  }
  EXPECT_THROW(RunFolder(path("file") / "run").save(1, checkpoint_of(1), 0), IoError);
}

// Saves step after step until it is killed, after a sign of life through the pipe.
[[noreturn]] void save_for_ever(const RunFolder& run, std::int64_t step, int pipe) {
  if (::write(pipe, "x", 1) != 1) ::_exit(1);
  try {
    for (;; ++step) run.save(step, checkpoint_of(step, 200'000), 2);
  } catch (...) {
    ::_exit(1);
  }
}

TEST_F(RunFolderTest, AlwaysHasAWholeCheckpointAfterAKill) {
  run_.save(1, checkpoint_of(1, 200'000), 2);
  std::mt19937 random(1);
  std::int64_t last = 1;
  int interrupted = 0;
  for (int round = 0; round < 50; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) save_for_ever(run_, last + 1, ends[1]);
    char sign = 0;
    ASSERT_EQ(::read(ends[0], &sign, 1), 1);
    ::close(ends[0]);
    ::close(ends[1]);
    ::usleep(std::uniform_int_distribution<useconds_t>(0, 30'000)(random));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child stopped by itself";

    for (const auto& entry : std::filesystem::directory_iterator(run_.checkpoint_folder()))
      if (is_temporary_name(entry.path().filename().native())) ++interrupted;
    const auto latest = run_.latest(skipped_);
    ASSERT_TRUE(latest);
    EXPECT_TRUE(skipped_.empty()) << skipped_[0];
    EXPECT_GE(latest->step, last);
    for (const float value : StateReader(latest->checkpoint).tensor("weight").to_vector())
      ASSERT_EQ(value, static_cast<float>(latest->step));
    last = latest->step;
  }
  EXPECT_GT(interrupted, 0) << "no kill ever fell into a save: the test proved nothing";
  EXPECT_GT(last, 1);
  run_.save(last + 1, checkpoint_of(last + 1), 1);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(run_.checkpoint_folder()), {}), 1)
      << "leftovers were not removed";
}

}  // namespace
}  // namespace attend
