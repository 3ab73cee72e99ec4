#include "attend/checkpoint/safetensors/stored_weights.h"

#include "attend/backend/backend.h"
#include "attend/backend/quantized_depth.h"
#include "attend/checkpoint/parameters.h"
#include "attend/checkpoint/quantization.h"
#include "attend/model_file.h"
#include "checkpoint/test_folder.h"

namespace attend {
namespace {

// A matrix that can be in 4 bits, and one whose width has no whole groups.
struct TwoMatrices {
  TwoMatrices() {
    wide = parameters.add_weights("wide.weight", {20, 48}, {Init::Kind::normal});
    odd = parameters.add_weights("odd.weight", {3, 12}, {Init::Kind::normal});
    parameters.add("bias", {3}, {Init::Kind::normal});
  }
  ParameterSet parameters;
  Parameter wide, odd;
};

class FourBits : public FolderTest {
 protected:
  FourBits() {
    TwoMatrices model;
    model.parameters.allocate(3);
    original_.metadata = {{"attend.task", "translation"}};
    add_parameters(original_, model.parameters, model.parameters.values());
    original_.tensors.push_back({"tokenizer", bytes_tensor("abc")});
    grouped_ = quantize_checkpoint(original_, model.parameters, WeightBits::four);
  }
  void replace(const std::string& name, const Tensor& tensor) {
    for (NamedTensor& named : grouped_.tensors)
      if (named.name == name) named.tensor = tensor;
  }
  std::string load_error() const {
    TwoMatrices model;
    return data_error([&] { load_parameters(grouped_, model.parameters); });
  }
  Checkpoint original_, grouped_;
};

TEST_F(FourBits, AreThreeTensorsOfAMatrixWithWholeGroups) {
  EXPECT_EQ(weight_bits(grouped_), 4);
  EXPECT_EQ(grouped_.tensor("wide.weight").dtype(), DType::u8);
  EXPECT_EQ(grouped_.tensor("wide.weight").shape(), (Shape{20, 24}));
  EXPECT_EQ(grouped_.tensor("wide.weight.factors").shape(), (Shape{20, 2}));
  EXPECT_EQ(grouped_.tensor("wide.weight.scale").shape(), (Shape{20}));
  EXPECT_EQ(grouped_.tensor("odd.weight").dtype(), DType::i8);
  EXPECT_EQ(grouped_.text(kWeightsKey), R"({"bits":4,"group":16})");
  EXPECT_EQ(grouped_.tensor("bias").to_vector(), original_.tensor("bias").to_vector());
  EXPECT_EQ(tensor_bytes(grouped_.tensor("tokenizer")), "abc");
}

TEST_F(FourBits, AreNotSaidOfAModelWithoutThem) {
  TwoMatrices model;
  model.parameters.allocate(3);
  for (const WeightBits bits : {WeightBits::eight, WeightBits::sixteen})
    EXPECT_FALSE(quantize_checkpoint(original_, model.parameters, bits)
                     .metadata.contains(std::string(kWeightsKey)));
}

TEST_F(FourBits, SurviveTheFile) {
  save_checkpoint(path("model"), grouped_);
  Backend& b = *backend();
  const auto expect_loaded = [&](const Checkpoint& checkpoint) {
    TwoMatrices model;
    load_parameters(checkpoint, model.parameters);
    EXPECT_EQ(model.wide->value().dtype(), DType::packed_i4);
    EXPECT_EQ(b.float_weights(model.wide->value()).to_vector(),
              b.float_weights(b.quantize_weights(original_.tensor("wide.weight"), DType::i4))
                  .to_vector());
    EXPECT_EQ(
        b.float_weights(model.odd->value()).to_vector(),
        b.float_weights(b.quantize_weights(original_.tensor("odd.weight"), DType::i8)).to_vector());
  };
  expect_loaded(load_checkpoint(path("model")));
  expect_loaded(open_checkpoint(path("model")));
}

// A large matrix is read some rows at a time.
TEST_F(FourBits, AreReadWithTheFactorsAndScalesOfTheirRows) {
  Backend& b = *backend();
  for (const auto& [name, type] :
       {std::pair{"wide.weight", DType::i4}, std::pair{"odd.weight", DType::i8}}) {
    const Tensor whole = b.quantize_weights(original_.tensor(name), type);
    const Tensor value = Tensor::empty(whole.shape(), type);
    const Tensor& numbers = grouped_.tensor(name);
    const StoredRows stored(grouped_, name, value);
    const std::int64_t rows = value.rows(), half = rows / 2;
    for (const auto& [begin, end] : {std::pair{std::int64_t{0}, half}, std::pair{half, rows}})
      stored.read(begin, value.slice_rows(begin, end),
                  [&, begin = begin, end = end](const Tensor& to) {
                    to.copy_from(numbers.slice_rows(begin, end));
                  });
    EXPECT_EQ(b.float_weights(value).to_vector(), b.float_weights(whole).to_vector()) << name;
  }
}

// Whatever its shape.
TEST_F(FourBits, AreNotTakenForATokenizer) {
  replace("tokenizer", bytes_tensor("abc").reshape({1, 3}));
  save_checkpoint(path("model"), grouped_);
  const Checkpoint opened = open_checkpoint(path("model"));
  EXPECT_EQ(tensor_bytes(opened.tensor("tokenizer")), "abc");
  EXPECT_EQ(opened.tensor("wide.weight").bytes(), nullptr) << "read when it is needed";
  EXPECT_EQ(opened.tensor("wide.weight.factors").bytes(), nullptr);
  TwoMatrices model;
  EXPECT_NO_THROW(load_parameters(opened, model.parameters));
}

// Weights and scales, whatever a file packs them in; neither tokenizers nor factors.
TEST_F(FourBits, HaveAsManyParametersAsEight) {
  TwoMatrices model;
  model.parameters.allocate(3);
  save_checkpoint(path("four"), grouped_);
  save_checkpoint(path("eight"), quantize_checkpoint(original_, model.parameters));
  EXPECT_EQ(describe(path("four")).parameters, describe(path("eight")).parameters);
}

TEST_F(FourBits, AreNotRoundedAgain) {
  TwoMatrices model;
  load_parameters(grouped_, model.parameters);
  EXPECT_CONTAINS(data_error([&] { quantize_checkpoint(grouped_, model.parameters); }),
                  "4 bits already");
}

TEST_F(FourBits, MissALostTensor) {
  for (const std::string name : {"wide.weight.factors", "wide.weight.scale"}) {
    const Checkpoint whole = grouped_;
    std::erase_if(grouped_.tensors, [&](const NamedTensor& named) { return named.name == name; });
    EXPECT_CONTAINS(load_error(), name);
    grouped_ = whole;
  }
}

TEST_F(FourBits, RefuseTensorsOfAnotherSizeOrType) {
  const Checkpoint whole = grouped_;
  const auto expect_refused = [&](const std::string& name, const Tensor& tensor) {
    replace(name, tensor);
    EXPECT_CONTAINS(load_error(), name);
    grouped_ = whole;
  };
  expect_refused("wide.weight", Tensor::zeros({20, 23}, DType::u8));
  expect_refused("wide.weight", Tensor::zeros({20, 48}, DType::u8));
  expect_refused("wide.weight", Tensor::zeros({40, 24}, DType::u8));
  expect_refused("wide.weight.factors", Tensor::zeros({20, 3}, DType::u8));
  expect_refused("wide.weight.factors", Tensor::zeros({20, 2}, DType::i8));
  expect_refused("wide.weight.scale", Tensor::zeros({21}));
  expect_refused("wide.weight.scale", Tensor::zeros({20}, DType::i32));
}

TEST_F(FourBits, RefuseAWidthWithoutWholeGroups) {
  replace("odd.weight", Tensor::zeros({3, 6}, DType::u8));
  grouped_.tensors.push_back({"odd.weight.factors", Tensor::zeros({3, 0}, DType::u8)});
  EXPECT_CONTAINS(load_error(), "odd.weight");
  EXPECT_CONTAINS(load_error(), "multiple of 16");
}

TEST_F(FourBits, RefuseGroupsOfAnotherSize) {
  for (const char* said : {R"({"bits":4,"group":32})", R"({"bits":3,"group":16})", R"({"bits":4})",
                           R"({"bits":"4","group":"16"})", "4", "{"}) {
    grouped_.metadata[std::string(kWeightsKey)] = said;
    EXPECT_CONTAINS(load_error(), "attend.weights");
  }
  grouped_.metadata.erase(std::string(kWeightsKey));
  EXPECT_CONTAINS(load_error(), "attend.weights");
}

TEST_F(FourBits, NameATensorWithNumbersThatAreNotFinite) {
  TwoMatrices model;
  model.parameters.allocate(3);
  original_.tensors[0].tensor = Tensor::full({20, 48}, std::nanf(""));
  EXPECT_CONTAINS(
      data_error([&] { quantize_checkpoint(original_, model.parameters, WeightBits::four); }),
      "wide.weight: row 0: expected finite weights");
}

TEST(StoredWeights, RefuseRowsTooDeepForExactSums) {
  constexpr std::int64_t kDepth = kMostQuantizedDepth + 16;
  Checkpoint checkpoint;
  checkpoint.tensors = {{"w", Tensor::zeros({1, kDepth}, DType::i8)},
                        {"w.scale", Tensor::zeros({1})}};
  EXPECT_CONTAINS(data_error([&] {
                    check_stored(checkpoint, "w", DType::i8, {1, kDepth});
                  }),
                  "tensor w: expected rows of at most 44000 weights");
  for (const DType type : {DType::i8, DType::i4})
    EXPECT_CONTAINS(data_error([&] {
                      backend()->quantize_weights(Tensor::zeros({1, kDepth}), type);
                    }),
                    "use 16 bits");
  EXPECT_NO_THROW(backend()->quantize_weights(Tensor::zeros({1, kMostQuantizedDepth}), DType::i8));
}

}  // namespace
}  // namespace attend
