#include "attend/checkpoint/safetensors/packed_tensors.h"

#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/weight_layout.h"
#include "attend/checkpoint/parameters.h"
#include "attend/checkpoint/quantization.h"
#include "attend/checkpoint/safetensors/stored_weights.h"
#include "attend/model_file.h"
#include "backend/scoped_backend.h"
#include "checkpoint/test_folder.h"

namespace attend {
namespace {

// A stack, a table, a matrix with rows after the last panel, and one that is too small for panels.
struct SmallModel {
  SmallModel() {
    parameters.add_weights("q.weight", {64, 32}, {Init::Kind::normal});
    parameters.add_weights("k.weight", {128, 32}, {Init::Kind::normal});
    stack = parameters.stack("q.weight", "k.weight");
    parameters.add_output_weights("output.weight", {35, 32}, {Init::Kind::normal});
    parameters.add_table("table.weight", {5, 32}, {Init::Kind::normal});
    parameters.add_weights("small.weight", {3, 32}, {Init::Kind::normal});
    parameters.add("bias", {7}, {Init::Kind::normal});
  }
  ParameterSet parameters;
  Parameter stack;
};

// Kernels that pack weights in their own way.
class OtherLayout final : public FastBackend {
 public:
  std::string_view name() const override { return "other"; }
  std::string_view weight_layout() const override { return "other"; }
};

class PackedTensors : public FolderTest, public testing::WithParamInterface<int> {
 protected:
  PackedTensors() {
    SmallModel model;
    model.parameters.allocate(3);
    rows_.metadata = {{"attend.task", "translation"}};
    add_parameters(rows_, model.parameters, model.parameters.values());
    rows_.tensors.push_back({"tokenizer", bytes_tensor("abc")});
    if (GetParam() < 32)
      rows_ = quantize_checkpoint(rows_, model.parameters, weight_bits_of(GetParam()));
    SmallModel loaded;
    load_parameters(rows_, loaded.parameters);
    packed_ = pack_tensors(rows_, loaded.parameters);
    save_checkpoint(path("packed"), packed_);
  }

  // Every value of the model in f32.
  static std::vector<float> values(const SmallModel& model) {
    std::vector<float> all;
    for (const ParameterSet::Entry& entry : model.parameters.entries()) {
      const Tensor value = model.parameters.value(entry);
      const std::vector<float> one =
          (value.shape().rank() == 2 ? backend()->float_weights(value) : value).to_vector();
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }
  static std::vector<float> loaded(const Checkpoint& checkpoint) {
    SmallModel model;
    load_parameters(checkpoint, model.parameters);
    EXPECT_EQ(model.stack->value().rows(), 192);
    return values(model);
  }
  // Another tensor in the file.
  void replace(const std::string& name, const Tensor& tensor) {
    std::vector<NamedTensor> tensors;
    const SafetensorsFile file = SafetensorsFile::open(path("packed"));
    for (const TensorEntry& entry : file.entries())
      tensors.push_back({entry.name, entry.name == name ? tensor : file.tensor(entry)});
    write_without_checksum(tensors, file.metadata());
  }
  void write_without_checksum(const std::vector<NamedTensor>& tensors, Metadata metadata) {
    metadata["attend.checksum"] = "none";
    write_safetensors(path("changed"), tensors, metadata);
  }
  std::string problem(const std::string& file) const {
    return data_error([&] { read_checkpoint(path(file), loaded); });
  }

  Checkpoint rows_, packed_;
};

INSTANTIATE_TEST_SUITE_P(Bits, PackedTensors, testing::Values(32, 16, 8, 4),
                         [](const auto& suite) { return "In" + std::to_string(suite.param); });

TEST_P(PackedTensors, SayTheirNameAndLayoutInTheFile) {
  const SafetensorsFile file = SafetensorsFile::open(path("packed"));
  EXPECT_EQ(file.metadata().at("attend.layout"), kPanelLayout);
  EXPECT_EQ(file.metadata().at("attend.format"), "2") << "older programs refuse it";
  for (const std::string name : {"q.weight", "k.weight", "output.weight"}) {
    EXPECT_TRUE(file.contains(name + ".packed")) << name;
    EXPECT_FALSE(file.contains(name) || file.contains(scale_name(name))) << name;
  }
  EXPECT_TRUE(file.contains("table.weight") && file.contains("small.weight"));
}

TEST_P(PackedTensors, AreUsedWhereTheyLieInTheFile) {
  SmallModel model;
  const Checkpoint opened = open_checkpoint(path("packed"));
  load_parameters(opened, model.parameters);
  const auto memory = opened.file->mapped()->bytes();
  std::set<std::string> in_place;
  for (const ParameterSet::Entry& entry : model.parameters.entries()) {
    const std::byte* const bytes = model.parameters.value(entry).bytes();
    const bool inside = bytes >= memory.data() && bytes < memory.data() + memory.size();
    EXPECT_EQ(inside, entry.shared()) << entry.name;
    if (inside) in_place.insert(entry.name);
  }
  std::set<std::string> expected{"q.weight", "k.weight", "output.weight", "bias"};
  if (GetParam() >= 16) expected.insert("table.weight");
  EXPECT_EQ(in_place, expected);
  EXPECT_NO_THROW(opened.require_intact());
}

TEST_P(PackedTensors, AreTheSameModel) {
  EXPECT_EQ(read_checkpoint(path("packed"), loaded), loaded(rows_));
  EXPECT_EQ(loaded(packed_), loaded(rows_)) << "in memory";
}

TEST_P(PackedTensors, AreRowsAgainWhenTheFileIsLoadedWhole) {
  const Checkpoint whole = load_checkpoint(path("packed"));
  EXPECT_EQ(whole.layout, kPanelLayout);
  EXPECT_EQ(whole.metadata, rows_.metadata);
  EXPECT_EQ(whole.tensors.size(), rows_.tensors.size());
  for (const NamedTensor& named : rows_.tensors) {
    const Tensor& found = whole.tensor(named.name);
    ASSERT_EQ(found.dtype(), named.tensor.dtype()) << named.name;
    ASSERT_EQ(found.shape(), named.tensor.shape()) << named.name;
    EXPECT_EQ(std::memcmp(found.bytes(), named.tensor.bytes(),
                          static_cast<std::size_t>(found.size()) * size_of(found.dtype())),
              0)
        << named.name;
  }
}

TEST_P(PackedTensors, ServeKernelsWithAnotherLayout) {
  const std::vector<float> expected = loaded(rows_);
  OtherLayout other;
  const ScopedBackend scoped(other);
  EXPECT_EQ(read_checkpoint(path("packed"), loaded), expected);
  SmallModel model;
  load_parameters(open_checkpoint(path("packed")), model.parameters);
  for (const ParameterSet::Entry& entry : model.parameters.entries())
    EXPECT_FALSE(entry.shared()) << entry.name;
}

TEST_P(PackedTensors, MayLieInAnotherOrder) {
  std::reverse(packed_.tensors.begin(), packed_.tensors.end());
  save_checkpoint(path("reversed"), packed_);
  EXPECT_EQ(read_checkpoint(path("reversed"), loaded), loaded(rows_));
}

TEST_P(PackedTensors, HaveAsManyParametersAsTheirRows) {
  save_checkpoint(path("rows"), rows_);
  EXPECT_EQ(describe(path("packed")).parameters, describe(path("rows")).parameters);
  EXPECT_EQ(weight_bits(open_checkpoint(path("packed"))), GetParam());
}

TEST_P(PackedTensors, AreCheckedWhereTheyLie) {
  const TensorEntry entry = *CheckedFile(path("packed")).header().find("output.weight.packed");
  std::string bytes = read(path("packed"));
  bytes[entry.begin + 40] = static_cast<char>(bytes[entry.begin + 40] ^ 1);
  write(path("damaged"), bytes);
  EXPECT_CONTAINS(problem("damaged"), "damaged: expected");
  EXPECT_CONTAINS(data_error([&] { load_checkpoint(path("damaged")); }), "damaged: expected");
  EXPECT_CONTAINS(describe(path("damaged")).format_problem, "damaged: expected");
}

TEST_P(PackedTensors, RefuseALayoutThatIsNotKnown) {
  const SafetensorsFile file = SafetensorsFile::open(path("packed"));
  std::vector<NamedTensor> tensors;
  for (const TensorEntry& entry : file.entries())
    tensors.push_back({entry.name, file.tensor(entry)});
  Metadata metadata = file.metadata();
  metadata["attend.layout"] = "panels-64";
  write_without_checksum(tensors, metadata);
  for (const std::string& message :
       {problem("changed"), data_error([&] { load_checkpoint(path("changed")); }),
        describe(path("changed")).format_problem})
    for (const char* part : {"panels-64", "panels-16", "attend optimize", "newer"})
      EXPECT_CONTAINS(message, part);
  metadata.erase("attend.layout");
  write_without_checksum(tensors, metadata);
  EXPECT_CONTAINS(problem("changed"), "no tensor 'q.weight'");
}

TEST_P(PackedTensors, RefuseOtherShapesAndTypes) {
  const SafetensorsFile file = SafetensorsFile::open(path("packed"));
  const Tensor output = file.tensor("output.weight.packed");
  const std::int64_t columns = output.cols();
  for (const Tensor& other :
       {Tensor::zeros({36, columns}, output.dtype()),
        Tensor::zeros({35, columns + 4}, output.dtype()),
        Tensor::zeros({3, columns}, output.dtype()), Tensor::zeros({35, 1}, output.dtype()),
        Tensor::zeros({35, 0}, output.dtype()), Tensor::zeros({35}, output.dtype()),
        Tensor::zeros({5, 7, columns}, output.dtype()), Tensor::zeros({35, columns}, DType::i32),
        Tensor::zeros({35, columns + 1}, DType::i8), Tensor::zeros({35, columns + 1}, DType::u8)}) {
    replace("output.weight.packed", other);
    EXPECT_CONTAINS(problem("changed"), "output.weight");
    EXPECT_NO_THROW(describe(path("changed")));
  }
}

TEST(PackedTensorsInFloats, NameATensorWithNumbersThatAreNotFinite) {
  // Checked like the rows: by their type in the file.
  ContentCheck check(
      {{.name = "w.packed", .dtype = "F32", .shape = {16, 1}, .begin = 0, .end = 64}});
  const std::vector<float> numbers(16, std::nanf(""));
  check.look(0, 0, std::as_bytes(std::span(numbers)));
  EXPECT_CONTAINS(data_error([&] {
                    check.require({{"attend.checksum", "none"}}, "file");
                  }),
                  "w.packed");
}

#ifdef MADV_POPULATE_READ
TEST_P(PackedTensors, SayThatTheFileWasCutShortMeanwhile) {
#ifdef ATTEND_EMULATED
  GTEST_SKIP() << "qemu ignores MADV_POPULATE_READ";
#endif
  SmallModel model;
  const Checkpoint opened = open_checkpoint(path("packed"));
  load_parameters(opened, model.parameters);
  write(path("packed"), "");
  EXPECT_CONTAINS(data_error([&] { opened.require_intact(); }), "truncated");
}
#endif

}  // namespace
}  // namespace attend
