#include "attend/checkpoint/safetensors/safetensors.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "attend/core/files/atomic_file.h"
#include "attend/error.h"
#include "checkpoint/test_folder.h"

namespace attend {
namespace {

Tensor counting(Shape shape) {
  Tensor tensor = Tensor::empty(shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.data()[i] = static_cast<float>(i);
  return tensor;
}

std::vector<NamedTensor> one_of_each_type() {
  const std::int32_t ids[] = {1, -2, 3};
  Tensor bytes = Tensor::empty({5}, DType::u8);
  for (int i = 0; i < 5; ++i) bytes.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(250 + i);
  Tensor quantized = Tensor::zeros({3, 1}, DType::i8);
  quantized.data<std::int8_t>()[1] = -7;
  return {{"tokenizer", bytes},
          {"weight", counting({4, 16})},
          {"ids", Tensor::from(ids, {3})},
          {"half", Tensor::zeros({2, 3}, DType::bf16)},
          {"quantized", quantized},
          {"scalar", Tensor::full({}, 2.5f)},
          {"nothing", Tensor::empty({0, 8})},
          {"big", counting({2, 3, 4, 8})}};
}

using SafetensorsTest = FolderTest;

TEST_F(SafetensorsTest, ReadsBackWhatWasWritten) {
  const auto tensors = one_of_each_type();
  const Metadata metadata = {{"config", "{\"d_model\": 512, \"name\": \"Füße\"}"}, {"empty", ""}};
  write_safetensors(path("a"), tensors, metadata);
  const auto file = SafetensorsFile::open(path("a"));
  EXPECT_EQ(file.metadata(), metadata);
  ASSERT_EQ(file.names().size(), tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    SCOPED_TRACE(tensors[i].name);
    EXPECT_EQ(file.names()[i], tensors[i].name);
    const Tensor tensor = file.tensor(tensors[i].name);
    EXPECT_EQ(tensor.shape(), tensors[i].tensor.shape());
    ASSERT_EQ(tensor.dtype(), tensors[i].tensor.dtype());
    EXPECT_EQ(std::memcmp(tensor.bytes(), tensors[i].tensor.bytes(),
                          static_cast<std::size_t>(tensor.size()) * size_of(tensor.dtype())),
              0);
  }
}

TEST_F(SafetensorsTest, WritesEqualBytesForEqualInputs) {
  write_safetensors(path("a"), one_of_each_type(), {{"x", "1"}, {"y", "2"}});
  write_safetensors(path("b"), one_of_each_type(), {{"y", "2"}, {"x", "1"}});
  EXPECT_EQ(read(path("a")), read(path("b")));
}

TEST_F(SafetensorsTest, WritesTheBytesOfTheFormat) {
  const float values[] = {1.0f, -2.0f};
  write_safetensors(path("a"), std::vector<NamedTensor>{{"w", Tensor::from(values, {1, 2})}},
                    {{"k", "v"}});
  const std::string header =
      R"({"__metadata__":{"k":"v"},"w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}})";
  EXPECT_EQ(read(path("a")), with_header(header + std::string(120 - header.size(), ' '),
                                         std::string("\0\0\x80\x3f\0\0\0\xc0", 8)));
}

TEST_F(SafetensorsTest, AlignsWholeRowsTo64BytesAndEverythingToItsElements) {
  write_safetensors(path("a"), one_of_each_type(), {});
  const auto file = SafetensorsFile::open(path("a"));
  for (const TensorEntry& entry : file.entries()) {
    EXPECT_EQ(entry.begin % size_of(file.tensor(entry).dtype()), 0u) << entry.name;
    if (entry.bytes() % 64 == 0) {
      EXPECT_EQ(entry.begin % 64, 0u) << entry.name;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(file.tensor(entry).bytes()) % 64, 0u)
          << entry.name;
    }
  }
}

TEST_F(SafetensorsTest, WritesColumnsOfAMatrixAsAMatrix) {
  write_safetensors(
      path("a"), std::vector<NamedTensor>{{"columns", counting({3, 4}).slice_columns(1, 3)}}, {});
  EXPECT_EQ(SafetensorsFile::open(path("a")).tensor("columns").to_vector(),
            (std::vector<float>{1, 2, 5, 6, 9, 10}));
}

TEST_F(SafetensorsTest, KeepsItsMemoryAsLongAsATensor) {
  write_safetensors(path("a"), one_of_each_type(), {});
  const Tensor tensor = SafetensorsFile::open(path("a")).tensor("weight");
  std::filesystem::remove(path("a"));
  EXPECT_EQ(tensor.to_vector(), counting({4, 16}).to_vector());
}

TEST_F(SafetensorsTest, StaysAsItWasWhenTheFileIsReplaced) {
  write_safetensors(path("a"), std::vector<NamedTensor>{{"w", Tensor::full({64}, 1.0f)}}, {});
  const Tensor old = SafetensorsFile::open(path("a")).tensor("w");
  write_safetensors(path("a"), std::vector<NamedTensor>{{"w", Tensor::full({64}, 2.0f)}}, {});
  EXPECT_EQ(old.data()[63], 1.0f);
  EXPECT_EQ(SafetensorsFile::open(path("a")).tensor("w").data()[63], 2.0f);
}

TEST_F(SafetensorsTest, CopiesDataThatAreNotAligned) {
  const std::string header =
      R"({"b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"w":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}})";
  for (int spaces = 0; spaces < 4; ++spaces) {
    write(path("a"), with_header(header + std::string(static_cast<std::size_t>(spaces), ' '),
                                 std::string("x\0\0\x80\x3f", 5)));
    const Tensor tensor = SafetensorsFile::open(path("a")).tensor("w");
    EXPECT_EQ(tensor.item(), 1.0f);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.bytes()) % 4, 0u);
  }
}

TEST_F(SafetensorsTest, ListsForeignTypesAndRanksButDoesNotComputeWithThem) {
  write(
      path("a"),
      with_header(
          R"({"h":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},"d":{"dtype":"F64","shape":[],"data_offsets":[4,12]},)"
          R"("five":{"dtype":"U8","shape":[1,1,1,1,2],"data_offsets":[12,14]},"f4":{"dtype":"F4","shape":[4],"data_offsets":[14,16]}})",
          std::string(16, '\0')));
  const auto file = SafetensorsFile::open(path("a"));
  EXPECT_EQ(file.names(), (std::vector<std::string>{"h", "d", "five", "f4"}));
  EXPECT_EQ(file.entries()[2].elements(), 2u);
  EXPECT_CONTAINS(data_error([&] { file.tensor("h"); }), "'h' has elements F16");
  EXPECT_CONTAINS(data_error([&] { file.tensor("five"); }), "has 5 dimensions");
  EXPECT_CONTAINS(data_error([&] { file.tensor("other"); }), "there is no tensor 'other'");
}

TEST_F(SafetensorsTest, RefusesToWriteWhatTheFormatCannotHold) {
  const auto write_named = [&](std::string name) {
    write_safetensors(path("a"), std::vector<NamedTensor>{{std::move(name), Tensor::full({1}, 0)}},
                      {});
  };
  EXPECT_THROW(write_named(""), ConfigError);
  EXPECT_THROW(write_named("__metadata__"), ConfigError);
  EXPECT_THROW(write_named("\xff"), ConfigError);
  const NamedTensor w{"w", Tensor::full({1}, 0)};
  EXPECT_THROW(write_safetensors(path("a"), std::vector<NamedTensor>{w, w}, {}), ConfigError);
  EXPECT_THROW(write_safetensors(path("a"), std::vector<NamedTensor>{{"w", Tensor()}}, {}),
               ConfigError);
  EXPECT_THROW(write_safetensors(path("a"), std::vector<NamedTensor>{w}, {{"k", "\xff"}}),
               ConfigError);
  EXPECT_FALSE(std::filesystem::exists(path("a")));
}

TEST_F(SafetensorsTest, SaysWhatKindOfFileItWasGivenInstead) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "the file is empty"},
      {std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10), "gzip"},
      {std::string("PK\x03\x04\x14\0\0\0\x08\0", 10), "zip file, perhaps a PyTorch checkpoint"},
      {std::string("\x80\x02}q\0(X\x05\0\0", 10), "Python pickle"},
      {"Ein Mann schläft in einem grünen Raum.\n", "text file"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git lfs pull"},
      {std::string("GGUF\3\0\0\0\0\0", 10), "a GGUF file; attend import converts it"},
      {std::string("\x02\0\0\0", 4), "it has 4 bytes and no header"},
  };
  for (const auto& [content, expected] : cases) {
    write(path("file"), content);
    const std::string message = data_error([&] { SafetensorsFile::open(path("file")); });
    EXPECT_CONTAINS(message, path("file").string());
    EXPECT_CONTAINS(message, expected);
  }
}

TEST_F(SafetensorsTest, RefusesFoldersPipesAndMissingFiles) {
  EXPECT_CONTAINS(data_error([&] { SafetensorsFile::open(folder_); }), "it is a directory");
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_CONTAINS(data_error([&] { SafetensorsFile::open(path("pipe")); }), "a pipe");
  EXPECT_THROW(SafetensorsFile::open(path("missing")), IoError);
}

SafetensorsHeader parse_whole(const std::string& file) {
  return parse_safetensors(as_bytes_of(file), file.size(), "model");
}

// Header text, size of the data after it, and what the message must say.
struct BadHeader {
  std::string header;
  std::size_t data = 0;
  std::string expected;
};

std::string entry(std::string_view dtype, std::string_view shape, std::string_view offsets) {
  return fmt::format(R"({{"w":{{"dtype":{},"shape":{},"data_offsets":{}}}}})", dtype, shape,
                     offsets);
}

TEST(ParseSafetensors, RefusesEveryWrongFieldWithItsReason) {
  const std::string two =
      R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":)";
  const BadHeader cases[] = {
      {"{", 0, "header of 1 bytes|not begin with"},
      {"{\"w\":", 0, "not valid JSON at byte"},
      {"{} x", 0, "not valid JSON at byte 11"},
      {"[]", 0, "does not begin with '{'"},
      {"{\"w\":1}", 0, "expected an object for 'w', got the number 1"},
      {"{\"w\":null}", 0, "got null"},
      {"{\"w\":{}}", 0, "tensor 'w' has no dtype"},
      {R"({"w":{"dtype":"U8","shape":[0]}})", 0, "has no data_offsets"},
      {R"({"w":{"dtype":"U8","dtype":"U8","shape":[0],"data_offsets":[0,0]}})", 0,
       "has dtype twice"},
      {R"({"w":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"color":1}})", 0,
       "unknown key 'color'"},
      {R"({"w":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"w":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
       0, "'w' appears twice"},
      {R"({"__metadata__":{"k":"1","k":"2"}})", 0, "metadata key 'k' appears twice"},
      {R"({"__metadata__":{},"__metadata__":{}})", 0, "'__metadata__' appears twice"},
      {R"({"__metadata__":{"k":1}})", 0,
       "expected a string for metadata key 'k', got the number 1"},
      {R"({"__metadata__":{"k":{}}})", 0, "got an object"},
      {R"({"__metadata__":[]})", 0, "got a list"},
      {entry("\"F33\"", "[1]", "[0,4]"), 4, "unknown type 'F33'"},
      {entry("32", "[1]", "[0,4]"), 4, "dtype of tensor 'w': expected a string, got the number 32"},
      {entry("[]", "[1]", "[0,4]"), 4, "dtype of tensor 'w': expected a string, got a list"},
      {entry("\"F32\"", "1", "[0,4]"), 4, "shape of tensor 'w': expected a list, got the number 1"},
      {entry("\"F32\"", "[-1]", "[0,4]"), 4, "expected whole numbers >= 0, got the number -1"},
      {entry("\"F32\"", "[1.0]", "[0,4]"), 4, "got the number '1.0'"},
      {entry("\"F32\"", "[\"1\"]", "[0,4]"), 4, "got a string"},
      {entry("\"F32\"", "[[1]]", "[0,4]"), 4, "got a list"},
      {entry("\"F32\"", "[18446744073709551615]", "[0,4]"), 4, "out of range"},
      {entry("\"F32\"", "[99999999999999999999]", "[0,4]"), 4, "got the number"},
      {entry("\"F32\"", "[4294967296,4294967296]", "[0,4]"), 4,
       "the shape of tensor 'w' is too large"},
      {entry("\"U8\"", "[0,4294967296,4294967296]", "[0,0]"), 0,
       "the shape of tensor 'w' is too large"},
      {entry("\"F4\"", "[1]", "[0,1]"), 1, "does not fill whole bytes"},
      {entry("\"F32\"", "[2]", "[0,4]"), 4, "expected 8 bytes for F32 [2], got data_offsets 0..4"},
      {entry("\"F32\"", "[1]", "[4,0]"), 4, "got data_offsets 4..0"},
      {entry("\"F32\"", "[1]", "[0]"), 4, "expected 2 data_offsets, got 1"},
      {entry("\"F32\"", "[1]", "[0,4,8]"), 4, "expected 2 data_offsets, got 3"},
      {entry("\"F32\"", "[1]", "[0,4]"), 3,
       "ends at byte 4 of the data, but there are 3; truncated?"},
      {entry("\"F32\"", "[1]", "[0,4]"), 5, "1 bytes follow the last tensor"},
      {entry("\"F32\"", "[1]", "[4,8]"), 8, "there is a hole"},
      {two + "[3,7]}}", 7,
       "tensor 'b' begins at byte 3 of the data, expected 4 (it overlaps another one)"},
      {two + "[5,9]}}", 9, "tensor 'b' begins at byte 5 of the data, expected 4 (there is a hole)"},
      {two + "[0,4]}}", 4, "overlaps"},
      {"{\"\xff\":1}", 0, "not valid JSON"},
      {std::string("{}\0 x", 5), 0, "a zero byte at byte 10 of the file"},
  };
  for (const BadHeader& bad : cases) {
    SCOPED_TRACE(bad.header);
    const std::string file = with_header(bad.header, std::string(bad.data, '\0'));
    const std::string message = data_error([&] { parse_whole(file); });
    EXPECT_CONTAINS(message, "model: ");
    bool found = false;
    for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
      end = bad.expected.find('|', begin);
      found = found || message.find(bad.expected.substr(begin, end - begin)) != std::string::npos;
    }
    EXPECT_TRUE(found) << message;
  }
}

TEST_F(SafetensorsTest, WritesWholeBlocksAtMultiplesOfTheirSize) {
  std::vector<std::size_t> sizes;
  const std::vector<NamedTensor> tensors{{"large", counting({900, 1000})},
                                         {"small", counting({7})}};
  {
    FileCalls calls;
    calls.write = [&](int file, const void* data, std::size_t size) {
      sizes.push_back(size);
      return ::write(file, data, size);
    };
    const ScopedFileCalls scoped(calls);
    write_safetensors(path("a"), tensors, {});
  }
  const std::size_t all = std::filesystem::file_size(path("a")), block = std::size_t{2} << 20;
  EXPECT_EQ(sizes, (std::vector<std::size_t>{block, all - block}));
  const SafetensorsFile file = SafetensorsFile::open(path("a"));
  for (const NamedTensor& named : tensors)
    EXPECT_EQ(file.tensor(named.name).to_vector(), named.tensor.to_vector());
}

TEST(ParseSafetensors, RefusesAbsurdHeaderLengths) {
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3},
                                     std::uint64_t{100'000'001}, ~std::uint64_t{0}}) {
    std::string file = with_header("{}");
    for (int i = 0; i < 8; ++i)
      file[static_cast<std::size_t>(i)] = static_cast<char>(length >> (8 * i));
    EXPECT_CONTAINS(data_error([&] { parse_whole(file); }), "header") << length;
  }
}

TEST(ParseSafetensors, RefusesDeepNestingWithoutBuildingIt) {
  const std::string file = with_header("{\"w\":" + std::string(1'000'000, '[') + "}");
  EXPECT_CONTAINS(data_error([&] { parse_whole(file); }), "got a list");
  const std::string shape = with_header(R"({"w":{"shape":[)" + std::string(1'000'000, '[') + "}");
  EXPECT_CONTAINS(data_error([&] { parse_whole(shape); }), "got a list");
}

TEST(ParseSafetensors, AcceptsFilesWithoutTensorsOrMetadata) {
  EXPECT_TRUE(parse_whole(with_header("{}")).tensors.empty());
  EXPECT_EQ(parse_whole(with_header(R"({"__metadata__":{"a":"b"}}  )")).metadata.at("a"), "b");
}

}  // namespace
}  // namespace attend
