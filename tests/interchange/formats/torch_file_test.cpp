#include "attend/interchange/formats/torch_file.h"

#include <gtest/gtest.h>

#include <limits>

#include "attend/core/files/packed/zip_archive.h"
#include "attend/error.h"
#include "core/memory_file.h"
#include "interchange/fixtures.h"
#include "interchange/written_formats.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

const std::string kSixFloats(24, '\1');

TensorTable read_zip(const WrittenTensor& tensor, const std::string& storage = kSixFloats) {
  return read_torch_file(memory_file(written_torch_zip(pickled_state(tensor), storage)));
}

void expect_refused(const WrittenTensor& tensor,
                    std::initializer_list<std::string_view> fragments) {
  expect_error<DataError>([&] { read_zip(tensor); }, fragments);
}

class TorchFile : public testing::TestWithParam<const char*> {};

TEST_P(TorchFile, HoldsWhatPyTorchWrote) {
  TensorTable table = read_torch_file(open_fixture(GetParam()));
  EXPECT_EQ(table.tensors().size(), 20u);
  EXPECT_EQ(table.tensors().front().name, "f64");
  expect_typed_tensors(table);
  expect_tensor(table, "parameter", ElementType::f32, {2}, ramp(2));
}

TEST_P(TorchFile, HoldsTensorsThatShareAStorage) {
  TensorTable table = read_torch_file(open_fixture(GetParam()));
  expect_tensor(table, "base", ElementType::f32, {4, 6}, ramp(24));
  expect_tensor(table, "base.transposed", ElementType::f32, {6, 4},
                of_base({0, 6, 12, 18, 1, 7,  13, 19, 2, 8,  14, 20,
                         3, 9, 15, 21, 4, 10, 16, 22, 5, 11, 17, 23}));
  expect_tensor(table, "base.slice", ElementType::f32, {2, 3}, of_base({8, 9, 10, 14, 15, 16}));
  expect_tensor(table, "base.row", ElementType::f32, {6}, of_base({12, 13, 14, 15, 16, 17}));
  expect_tensor(table, "base.column", ElementType::f32, {4}, of_base({1, 7, 13, 19}));
}

TEST_P(TorchFile, IsRefusedWhereverItIsCutShort) {
  const std::string whole_file = fixture_bytes(GetParam());
  for (std::size_t size = 0; size < whole_file.size(); ++size)
    EXPECT_THROW(read_torch_file(memory_file(std::string_view(whole_file).substr(0, size))),
                 DataError)
        << size;
}

INSTANTIATE_TEST_SUITE_P(Containers, TorchFile,
                         testing::Values("torch_zip.bin", "torch_legacy.bin"));

TEST(TorchFileTest, ReadsItsStorageOnlyWhenAsked) {
  const FuzzFile file;
  file.write(written_torch_zip(pickled_state({}), kSixFloats));
  TensorTable table = read_torch_file(std::make_shared<const InputFile>(file.path()));
  file.write("");
  expect_error<DataError>([&] { table.read("w"); }, {"is it being written?"});
}

TEST(TorchFileTest, NoticesDamagedElements) {
  std::string file = written_torch_zip(pickled_state({}), kSixFloats);
  file[file.find(kSixFloats) + 3] = 'x';
  TensorTable table = read_torch_file(memory_file(file));
  expect_error<DataError>([&] { table.read("w"); }, {"entry 'm/data/0'", "checksum is wrong"});
}

TEST(TorchFileTest, RunsNothing) {
  const std::string harm = pickle_of("cos\nsystem\n(" + pickled("echo harm") + "tR");
  expect_error<DataError>(
      [&] { read_torch_file(memory_file(written_torch_zip(harm, ""))); },
      {"at byte 2", "it names 'os.system', which no file of tensors needs", "nothing was run"});
  expect_error<DataError>([&] { read_torch_file(memory_file(harm)); }, {"'os.system'"});
  const std::string hidden =
      pickle_of("}" + pickled("w") + "cbuiltins\neval\n" + pickled_tuple({pickled("1")}) + "Rs");
  expect_error<DataError>(
      [&] { read_torch_file(memory_file(written_torch_legacy(hidden, "", 0))); },
      {"'builtins.eval'"});
}

TEST(TorchFileTest, KeepsATensorInsideItsStorage) {
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(read_zip({}).read("w").size(), 6);
  EXPECT_EQ(read_zip({.offset = 4, .shape = {2}, .strides = {1}}).read("w").size(), 2);
  expect_refused({.offset = 1}, {"tensor 'w': expected it inside its storage of 6 elements, found "
                                 "offset 1, size [2, 3], strides [3, 1]"});
  expect_refused({.offset = -1}, {"expected an offset of 0 or more, found -1"});
  expect_refused({.offset = kHuge}, {"inside its storage"});
  expect_refused({.shape = {2, 4}}, {"inside its storage"});
  expect_refused({.shape = {-2, 3}}, {"expected a size of 0 or more, found -2"});
  expect_refused({.strides = {4, 1}}, {"inside its storage"});
  expect_refused({.strides = {-3, 1}}, {"expected a size of 0 or more, found -3"});
  expect_refused({.strides = {kHuge, kHuge}}, {"inside its storage"});
  expect_refused({.strides = {3}}, {"it has 2 sizes and 1 strides"});
  expect_refused({.shape = {kHuge, kHuge}, .strides = {0, 0}}, {"inside its storage"});
}

TEST(TorchFileTest, MakesNoLargeTensorOfASmallStorage) {
  EXPECT_EQ(read_zip({.shape = {6}, .strides = {0}}).read("w").size(), 6);
  expect_refused({.shape = {7}, .strides = {0}}, {"inside its storage of 6 elements"});
}

TEST(TorchFileTest, ComparesAStorageWithWhatIsThere) {
  expect_refused({.elements = 7}, {"storage '0': expected 7 elements F32, found 24 bytes"});
  expect_refused({.elements = std::numeric_limits<std::int64_t>::max()}, {"found 24 bytes"});
  expect_refused({.elements = -6}, {"expected a number of elements of 0 or more, found -6"});
  expect_refused({.type = "DoubleStorage"}, {"storage '0': expected 6 elements F64"});
  expect_refused({.key = "1"}, {"tensor 'w': its storage '1' is not in the zip file"});
  expect_refused({.key = "../../etc/passwd"}, {"is not in the zip file"});
  expect_refused({.type = "ComplexFloatStorage"}, {"it names 'torch.ComplexFloatStorage'"});
  const auto legacy = [](std::int64_t count, const std::string& storage) {
    read_torch_file(memory_file(written_torch_legacy(pickled_state({}), storage, count)));
  };
  legacy(6, kSixFloats);
  expect_error<DataError>([&] { legacy(7, kSixFloats); }, {"storage '0': expected 6 elements F32"});
  expect_error<DataError>([&] { legacy(6, "12"); }, {"found a count of 6 and 2 bytes; truncated?"});
  expect_error<DataError>([&] { legacy(6, kSixFloats + "x"); },
                          {"1 bytes follow its last storage"});
}

TEST(TorchFileTest, HoldsTensorsAndNothingElse) {
  const auto refuse = [](const std::string& instructions, std::string_view message) {
    expect_error<DataError>(
        [&] { read_torch_file(memory_file(written_torch_zip(pickle_of(instructions), ""))); },
        {message});
  };
  refuse("K\1", "expected a dictionary of tensors, found an integer");
  refuse("}K\1K\2s", "expected the name of a tensor, found an integer");
  refuse("}" + pickled("epoch") + "K\2s", "tensor 'epoch': expected a tensor, found an integer");
  refuse("}" + pickled("more") + "}s", "tensor 'more': expected a tensor, found a dictionary");
  refuse("}" + pickled("w") + "ctorch._utils\n_rebuild_tensor_v2\n)Rs",
         "expected more than 0 arguments of torch._utils._rebuild_tensor_v2, found 0");
  refuse("}" + pickled("w") + "ctorch._utils\n_rebuild_tensor_v2\n(K\1K\1K\1K\1tRs",
         "tensor 'w': expected a storage, found an integer");
}

TEST(TorchFileTest, NamesWhatItIsInstead) {
  const auto refuse = [](const std::string& bytes, std::string_view message) {
    expect_error<DataError>([&] { read_torch_file(memory_file(bytes)); }, {message});
  };
  refuse("", "expected a PyTorch checkpoint");
  refuse("hello", "expected a PyTorch checkpoint");
  refuse(pickle_of("K\1"), "expected a PyTorch checkpoint, found another pickle");
  refuse(written_zip({{"readme", "x"}}), "found a zip file without data.pkl");
  refuse(written_zip({{"a/data.pkl", "x"}, {"b/data.pkl", "x"}}), "found two");
  refuse(written_zip({{"m/data.pkl", "x"}, {"m/constants.pkl", "x"}}),
         "found a TorchScript program");
  refuse(written_zip({{"m/byteorder", "big"}, {"m/data.pkl", pickle_of("}")}}),
         "expected elements in the byte order 'little', found 'big'");
}

TEST(ZipArchive, ReadsThe64BitExtensionThatPyTorchAndNumPyWrite) {
  const ZipArchive torch(open_fixture("torch_zip.bin"));
  const ZipEntry* const order = torch.find("torch_zip/byteorder");
  ASSERT_NE(order, nullptr);
  const std::vector<std::byte> bytes = torch.read(*order, 100);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "little");
  EXPECT_EQ(ZipArchive(open_fixture("arrays.npz")).entries().size(), 15u);
}

}  // namespace
}  // namespace attend
