#include "attend/checkpoint/checkpoint.h"

#include <unistd.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <limits>
#include <thread>

#include "attend/checkpoint/state.h"
#include "attend/core/files/atomic_file.h"
#include "attend/model_file.h"
#include "attend/tensor/allocator.h"
#include "checkpoint/test_folder.h"

namespace attend {
namespace {

Checkpoint small_checkpoint() {
  const float values[] = {0.5f, -1.0f, 3.25f, 8.0f};
  return {{{"encoder.weight", Tensor::from(values, {2, 2})},
           {"tokenizer.model", bytes_tensor(std::string("\0\xff!", 3))}},
          {{"config", "{\"d_model\": 2}"}},
          ""};
}

using CheckpointTest = FolderTest;

TEST_F(CheckpointTest, ReadsBackWhatWasSaved) {
  save_checkpoint(path("a"), small_checkpoint());
  const Checkpoint loaded = load_checkpoint(path("a"));
  EXPECT_EQ(loaded.metadata, small_checkpoint().metadata);
  EXPECT_EQ(loaded.tensor("encoder.weight").to_vector(),
            (std::vector<float>{0.5f, -1.0f, 3.25f, 8.0f}));
  EXPECT_EQ(tensor_bytes(loaded.tensor("tokenizer.model")), std::string_view("\0\xff!", 3));
  EXPECT_CONTAINS(data_error([&] { loaded.tensor("decoder"); }), path("a").string());
  EXPECT_CONTAINS(data_error([&] { loaded.text("color"); }), "has no 'color'");
}

TEST_F(CheckpointTest, SavesEqualBytesAfterLoading) {
  save_checkpoint(path("a"), small_checkpoint());
  save_checkpoint(path("b"), load_checkpoint(path("a")));
  EXPECT_EQ(read(path("a")), read(path("b")));
}

// Of another process, say.
TEST_F(CheckpointTest, SavesTensorsThatAreElsewhereInParts) {
  constexpr std::int64_t kNumbers = (std::int64_t{5} << 20) / 2 + 1;  // 10 MiB and a number
  const Tensor values = Tensor::empty({kNumbers});
  for (std::int64_t i = 0; i < kNumbers; ++i) values.data()[i] = static_cast<float>(i);
  Checkpoint here = small_checkpoint(), elsewhere = small_checkpoint();
  here.tensors.push_back({"state.mean", values});
  here.tensors.push_back({"state.none", Tensor::empty({0})});
  elsewhere.tensors.push_back(
      {"state.mean", Tensor::wrap(nullptr, nullptr, {kNumbers}, DType::f32)});
  elsewhere.tensors.push_back({"state.none", Tensor::wrap(nullptr, nullptr, {0}, DType::f32)});
  std::size_t longest = 0;
  elsewhere.fetch = [&](std::string_view name, std::uint64_t begin, std::span<std::byte> to) {
    EXPECT_EQ(name, "state.mean");
    longest = std::max(longest, to.size());
    std::memcpy(to.data(), values.bytes() + begin, to.size());
  };
  save_checkpoint(path("here"), here);
  save_checkpoint(path("elsewhere"), elsewhere);
  EXPECT_TRUE(read(path("elsewhere")) == read(path("here")));
  EXPECT_EQ(longest, std::size_t{4} << 20);
}

TEST_F(CheckpointTest, ReplacesTheFileItWasLoadedFrom) {
  save_checkpoint(path("a"), small_checkpoint());
  const std::string before = read(path("a"));
  save_checkpoint(path("a"), load_checkpoint(path("a")));
  EXPECT_EQ(read(path("a")), before);
}

double sum(const Tensor& tensor) {
  double total = 0;
  for (const float number : tensor.span()) total += number;
  return total;
}

#if !defined(__SANITIZE_THREAD__) && \
    !defined(__SANITIZE_ADDRESS__)  // which keep memory of their own
// What the process has of the machine's memory.
std::int64_t resident_bytes() {
  std::ifstream statistics("/proc/self/statm");
  std::int64_t all = 0, resident = 0;
  statistics >> all >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

TEST_F(CheckpointTest, TakesMemoryForATensorOnlyWhereItIsWanted) {
  constexpr std::int64_t kMiB = 1 << 20, kNumbers = 16 * kMiB;
  save_checkpoint(path("a"),
                  {{{"w", Tensor::full({kNumbers}, 1.0f)}, {"text", bytes_tensor("abc")}},
                   {{"key", "value"}},
                   ""});
  release_cached_memory();
  const std::int64_t before = resident_bytes();
  const Checkpoint opened = open_checkpoint(path("a"));
  opened.require_intact();  // which reads all of it for the checksum
  EXPECT_LT(resident_bytes() - before, 16 * kMiB);
  EXPECT_EQ(opened.tensor("w").shape(), Shape({kNumbers}));
  EXPECT_EQ(tensor_bytes(opened.tensor("text")), "abc");
  EXPECT_EQ(opened.metadata, (Metadata{{"key", "value"}}));
  const Tensor wanted = Tensor::empty({kNumbers});
  opened.copy_to("w", wanted);
  EXPECT_EQ(sum(wanted), kNumbers);
  EXPECT_CONTAINS(data_error([&] { opened.copy_to("w", Tensor::empty({2})); }),
                  "tensor w: expected F32");
  std::filesystem::resize_file(path("a"), 100'000);
  EXPECT_CONTAINS(data_error([&] { opened.copy_to("w", wanted); }), "truncated");
}
#endif

// A damaged file, or a success: never a signal. Cut at any moment, by a thread that does nothing
// else, and made whole again.
TEST_F(CheckpointTest, MayBeCutShortWhileItIsRead) {
  constexpr int kTries = 400;
  save_checkpoint(
      path("whole"),
      {{{"w", Tensor::full({1 << 20}, 1.0f)}, {"v", Tensor::full({1 << 18}, 2.0f)}}, {}, ""});
  const std::string whole = read(path("whole"));
  write(path("a"), whole);
  std::atomic<bool> done = false;
  std::thread other([&] {
    for (std::uint32_t cut = 1; !done; cut = cut * 1664525u + 1013904223u) {
      std::filesystem::resize_file(path("a"), cut % whole.size());
      std::ofstream(path("a"), std::ios::binary | std::ios::in | std::ios::out) << whole;
    }
  });
  int refused = 0;
  for (int i = 0; i < kTries; ++i) {
    try {
      const Checkpoint loaded = load_checkpoint(path("a"));
      EXPECT_EQ(sum(loaded.tensor("w")), 1 << 20);
      EXPECT_EQ(sum(loaded.tensor("v")), 1 << 19);
      open_checkpoint(path("a")).copy_to("w", loaded.tensor("w"));
      describe(path("a"));
    } catch (const DataError& error) {
      ++refused;
      EXPECT_CONTAINS(std::string(error.what()), path("a").string());
    }
  }
  done = true;
  other.join();
  EXPECT_GT(refused, 0);
}

TEST_F(CheckpointTest, ReadsALargeTensorInPartsWithItsElementsInOrder) {
  const Tensor numbers = Tensor::empty({(5 << 18) + 3});  // two and a half parts
  for (std::int64_t i = 0; i < numbers.size(); ++i) numbers.data()[i] = static_cast<float>(i);
  save_checkpoint(path("a"), {{{"first", Tensor::full({3}, 1.0f)}, {"w", numbers}}, {}, ""});
  const Tensor read = Tensor::empty(numbers.shape());
  open_checkpoint(path("a")).copy_to("w", read);
  EXPECT_EQ(read.to_vector(), numbers.to_vector());
}

TEST_F(CheckpointTest, SaysThatAFileWasCutShortWhileItWasRead) {
  write(path("a"), std::string(1000, 'x'));
  const InputFile file(path("a"));
  std::filesystem::resize_file(path("a"), 300);
  EXPECT_CONTAINS(data_error([&] { FileContent content(file); }), "expected 1000 bytes, found 300");
}

TEST_F(CheckpointTest, RefusesNumbersThatAreNotFinite) {
  for (const float number :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    const Tensor weights = Tensor::full({3, 1 << 18}, 1.0f);
    weights.row(2)[7] = number;
    save_checkpoint(path("a"), {{{"good", Tensor::full({2}, 1.0f)}, {"bad", weights}}, {}, ""});
    EXPECT_CONTAINS(data_error([&] { load_checkpoint(path("a")); }),
                    path("a").string() + ": tensor 'bad': expected finite numbers, found");
    EXPECT_CONTAINS(describe(path("a")).format_problem, "tensor 'bad'");
    save_checkpoint(path("a"), {{{"state.bad", weights}}, {}, ""});
    EXPECT_NO_THROW(load_checkpoint(path("a")));
  }
}

TEST_F(CheckpointTest, ReadsNothingButTheHeaderOfAnotherProgramsFile) {
  write(
      path("a"),
      with_header(R"({"w":{"dtype":"U8","shape":[68719476736],"data_offsets":[0,68719476736]}})"));
  std::filesystem::resize_file(path("a"),
                               std::filesystem::file_size(path("a")) + (std::uintmax_t{1} << 36));
  EXPECT_CONTAINS(data_error([&] { load_checkpoint(path("a")); }), "not an attend model");
  EXPECT_EQ(describe(path("a")).tensor_bytes, std::uint64_t{1} << 36);
}

TEST_F(CheckpointTest, ContainsNeitherItsPathNorATime) {
  save_checkpoint(path("first"), small_checkpoint());
  save_checkpoint(path("second"), small_checkpoint());
  EXPECT_EQ(read(path("first")), read(path("second")));
}

Checkpoint load_bytes(std::string_view bytes) {
  const std::shared_ptr<std::byte> memory = allocate(bytes.size());
  std::memcpy(memory.get(), bytes.data(), bytes.size());
  return load_checkpoint(SafetensorsFile::from_memory(memory, bytes.size(), "memory"));
}

TEST_F(CheckpointTest, NoticesEveryDamagedByte) {
  save_checkpoint(path("a"), small_checkpoint());
  const std::string whole = read(path("a"));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const int flip : {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      EXPECT_THROW(load_bytes(damaged), DataError)
          << "byte " << i << " of " << whole.size() << " flipped by " << flip;
    }
  }
}

TEST_F(CheckpointTest, NoticesEveryTruncation) {
  save_checkpoint(path("a"), small_checkpoint());
  const std::string whole = read(path("a"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(load_bytes(whole.substr(0, size)), DataError)
        << "cut to " << size << " of " << whole.size();
  }
  EXPECT_THROW(load_bytes(whole + "x"), DataError);
  EXPECT_NO_THROW(load_bytes(whole));
}

// The small checkpoint with another format version, or none.
void save_with(const std::filesystem::path& path, const Metadata& metadata) {
  write_safetensors(path, small_checkpoint().tensors, metadata);
}

TEST_F(CheckpointTest, RefusesFilesOfANewerAttend) {
  save_with(path("a"), {{"attend.format", "3"}, {"attend.checksum", "00000000"}});
  EXPECT_CONTAINS(data_error([&] { load_checkpoint(path("a")); }),
                  "written by a newer attend (format 3, this program reads up to 2): upgrade");
}

TEST_F(CheckpointTest, RefusesFilesOfOtherPrograms) {
  save_with(path("a"), {{"format", "pt"}});
  EXPECT_CONTAINS(data_error([&] { load_checkpoint(path("a")); }),
                  "not an attend model (a safetensors file of another program?)");
}

TEST_F(CheckpointTest, RefusesVersionsThatAreNoNumbersAndMissingChecksums) {
  for (const char* const version : {"", "one", "1x", "-1", "0", "99999999999999"}) {
    save_with(path("a"), {{"attend.format", version}, {"attend.checksum", "none"}});
    EXPECT_CONTAINS(data_error([&] { load_checkpoint(path("a")); }), "expected a version number");
  }
  save_with(path("a"), {{"attend.format", "1"}});
  EXPECT_CONTAINS(data_error([&] { load_checkpoint(path("a")); }), "has no attend.checksum");
}

TEST_F(CheckpointTest, AcceptsAFileEditedOnPurpose) {
  save_with(path("a"), {{"attend.format", "1"}, {"attend.checksum", "none"}});
  EXPECT_EQ(load_checkpoint(path("a")).tensors.size(), 2u);
}

TEST_F(CheckpointTest, ChecksumDoesNotDependOnTheOrderInTheFile) {
  Checkpoint checkpoint = small_checkpoint();
  save_checkpoint(path("a"), checkpoint);
  std::swap(checkpoint.tensors[0], checkpoint.tensors[1]);
  const Metadata metadata = SafetensorsFile::open(path("a")).metadata();
  write_safetensors(path("b"), checkpoint.tensors, metadata);
  EXPECT_NO_THROW(load_checkpoint(path("b")));
}

TEST_F(CheckpointTest, RefusesToSaveReservedKeys) {
  Checkpoint checkpoint = small_checkpoint();
  checkpoint.metadata["attend.format"] = "1";
  EXPECT_THROW(save_checkpoint(path("a"), checkpoint), ConfigError);
}

TEST_F(CheckpointTest, SavesColumnsOfAMatrix) {
  const float values[] = {1, 2, 3, 4};
  save_checkpoint(path("a"),
                  {{{"column", Tensor::from(values, {2, 2}).slice_columns(1, 2)}}, {}, ""});
  EXPECT_EQ(load_checkpoint(path("a")).tensor("column").to_vector(), (std::vector<float>{2, 4}));
}

TEST_F(CheckpointTest, KeepsThePreviousFileWhenTheDiskIsFull) {
  save_checkpoint(path("a"), small_checkpoint());
  const std::string before = read(path("a"));
  for (std::size_t room = 0; room < before.size(); room += 37) {
    FileCalls calls;
    calls.write = [left = room](int file, const void* data, std::size_t size) mutable -> ssize_t {
      if (left == 0) return errno = ENOSPC, -1;
      const ssize_t count = ::write(file, data, std::min(left, size));
      left -= static_cast<std::size_t>(count);
      return count;
    };
    const ScopedFileCalls scoped(calls);
    EXPECT_THROW(save_checkpoint(path("a"), small_checkpoint()), IoError);
    EXPECT_EQ(read(path("a")), before);
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(CheckpointTest, DescribesWhatIsInside) {
  save_checkpoint(path("a"), small_checkpoint());
  const FileDescription description = describe(path("a"));
  ASSERT_EQ(description.tensors.size(), 2u);
  EXPECT_EQ(description.tensors[0].name, "encoder.weight");
  EXPECT_EQ(description.tensors[0].dtype, "F32");
  EXPECT_EQ(description.tensors[0].shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(description.tensors[0].bytes, 16u);
  EXPECT_EQ(description.parameters, 4u);
  EXPECT_EQ(description.tensor_bytes, 19u);
  EXPECT_EQ(description.file_bytes, read(path("a")).size());
  EXPECT_EQ(description.metadata.at("attend.format"), "1");
  EXPECT_EQ(description.format_problem, "");
}

TEST_F(CheckpointTest, DescribesForeignFilesWithTheirProblem) {
  write(path("a"),
        with_header(R"({"h":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}})", "1234"));
  const FileDescription description = describe(path("a"));
  EXPECT_EQ(description.tensors.at(0).dtype, "F16");
  EXPECT_EQ(description.parameters, 2u);
  EXPECT_CONTAINS(description.format_problem, "not an attend model");
}

TEST_F(CheckpointTest, StateReadsBackTheSameBits) {
  Checkpoint checkpoint;
  const StateWriter writer(checkpoint, "state.");
  const double numbers[] = {0.1,
                            -0.0,
                            1e-310,
                            std::numeric_limits<double>::max(),
                            std::numeric_limits<double>::infinity(),
                            1.0 / 3};
  for (std::size_t i = 0; i < std::size(numbers); ++i)
    writer.put("number" + std::to_string(i), numbers[i]);
  writer.put("step", std::numeric_limits<std::int64_t>::min());
  writer.put("seed", std::numeric_limits<std::uint64_t>::max());
  writer.put("loss", 0.1f);
  writer.put("stopped", true);
  writer.put("stage", "warm-up");
  const float mean[] = {1, 2, 3};
  writer.scope("adam").put("mean", Tensor::from(mean, {3}));
  save_checkpoint(path("a"), checkpoint);

  const Checkpoint loaded = load_checkpoint(path("a"));
  const StateReader reader(loaded, "state.");
  for (std::size_t i = 0; i < std::size(numbers); ++i) {
    const auto number = reader.get<double>("number" + std::to_string(i));
    EXPECT_EQ(std::memcmp(&number, &numbers[i], sizeof number), 0) << numbers[i];
  }
  EXPECT_EQ(reader.get<std::int64_t>("step"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(reader.get<std::uint64_t>("seed"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(reader.get<float>("loss"), 0.1f);
  EXPECT_TRUE(reader.get<bool>("stopped"));
  EXPECT_EQ(reader.text("stage"), "warm-up");
  Tensor restored = Tensor::zeros({3});
  reader.scope("adam").copy_to("mean", restored);
  EXPECT_EQ(restored.to_vector(), (std::vector<float>{1, 2, 3}));
  EXPECT_TRUE(reader.contains("adam.mean"));
  EXPECT_TRUE(reader.contains("step"));
  EXPECT_FALSE(reader.contains("mean"));
}

TEST_F(CheckpointTest, StateNamesTheFileAndTheEntryThatDoesNotFit) {
  Checkpoint checkpoint;
  checkpoint.source = "run/step";
  const StateWriter writer(checkpoint, "state.");
  writer.put("stage", "warm-up");
  writer.put("mean", Tensor::zeros({3}));
  EXPECT_THROW(writer.put("stage", "again"), ConfigError);
  EXPECT_THROW(writer.put("mean", Tensor::zeros({3})), ConfigError);
  const StateReader reader(checkpoint, "state.");
  EXPECT_CONTAINS(data_error([&] { reader.get<int>("stage"); }),
                  "run/step: metadata 'state.stage': expected a number, got 'warm-up'");
  EXPECT_CONTAINS(data_error([&] { reader.get<bool>("stage"); }), "expected a number");
  EXPECT_CONTAINS(data_error([&] { reader.get<int>("step"); }), "has no 'state.step'");
  EXPECT_CONTAINS(data_error([&] { reader.copy_to("mean", Tensor::zeros({4})); }),
                  "'state.mean': expected F32 [4], got F32 [3]");
  EXPECT_CONTAINS(data_error([&] { reader.tensor("variance"); }), "no tensor 'state.variance'");
}

}  // namespace
}  // namespace attend
