#include "attend/checkpoint/quantization.h"

#include <cmath>

#include "attend/backend/backend.h"
#include "attend/checkpoint/parameters.h"
#include "attend/tensor/bf16.h"
#include "checkpoint/test_folder.h"

namespace attend {
namespace {

struct Model {
  Model() {
    weight = parameters.add_weights("layer.weight", {3, 5}, {Init::Kind::normal});
    parameters.add("layer.bias", {3}, {Init::Kind::normal});
  }
  ParameterSet parameters;
  Parameter weight;
};

class QuantizationTest : public FolderTest {
 protected:
  QuantizationTest() {
    Model model;
    model.parameters.allocate(3);
    original_.metadata = {{"attend.task", "translation"}, {"state.step", "7"}};
    add_parameters(original_, model.parameters, model.parameters.values());
    original_.tensors.push_back({"tokenizer", bytes_tensor("abc")});
    original_.tensors.push_back({"state.mean", Tensor::full({2}, 1.0f)});
    quantized_ = quantize_checkpoint(original_, model.parameters);
  }
  Checkpoint original_;
  Checkpoint quantized_;
};

TEST_F(QuantizationTest, RoundsTheMatricesAndKeepsTheRest) {
  EXPECT_EQ(quantized_.tensor("layer.weight").dtype(), DType::i8);
  EXPECT_EQ(quantized_.tensor("layer.weight").shape(), (Shape{3, 5}));
  EXPECT_EQ(quantized_.tensor("layer.weight.scale").shape(), (Shape{3}));
  EXPECT_EQ(quantized_.tensor("layer.bias").to_vector(),
            original_.tensor("layer.bias").to_vector());
  EXPECT_EQ(tensor_bytes(quantized_.tensor("tokenizer")), "abc");
  EXPECT_EQ(quantized_.find("state.mean"), nullptr);
  EXPECT_FALSE(quantized_.metadata.contains("state.step"));
}

TEST_F(QuantizationTest, SurvivesTheFile) {
  save_checkpoint(path("model"), quantized_);
  Model model;
  load_parameters(load_checkpoint(path("model")), model.parameters);
  Backend& b = *backend();
  EXPECT_EQ(
      b.float_weights(model.weight->value()).to_vector(),
      b.float_weights(b.quantize_weights(original_.tensor("layer.weight"), DType::i8)).to_vector());
}

TEST_F(QuantizationTest, RoundsToSixteenBits) {
  Model model;
  model.parameters.allocate(3);
  const Checkpoint halves = quantize_checkpoint(original_, model.parameters, WeightBits::sixteen);
  EXPECT_EQ(weight_bits(original_), 32);
  EXPECT_EQ(weight_bits(quantized_), 8);
  EXPECT_EQ(weight_bits(halves), 16);
  EXPECT_EQ(halves.find("layer.weight.scale"), nullptr);
  EXPECT_EQ(halves.tensor("layer.bias").dtype(), DType::f32);
  EXPECT_EQ(halves.find("state.mean"), nullptr);
  save_checkpoint(path("model"), halves);
  Model loaded;
  load_parameters(load_checkpoint(path("model")), loaded.parameters);
  EXPECT_EQ(loaded.weight->value().dtype(), DType::bf16);
  const std::vector<float> numbers = original_.tensor("layer.weight").to_vector(),
                           rounded = backend()->float_weights(loaded.weight->value()).to_vector();
  for (std::size_t i = 0; i < numbers.size(); ++i)
    EXPECT_EQ(rounded[i], float_of_bf16(nearest_bf16(numbers[i])));
  EXPECT_CONTAINS(data_error([&] { quantize_checkpoint(halves, model.parameters); }),
                  "16 bits already");
}

TEST_F(QuantizationTest, RefusesWeightsBeyondSixteenBits) {
  Model model;
  model.parameters.allocate(3);
  original_.tensors[0].tensor = Tensor::full({3, 5}, 3.4e38f);
  EXPECT_CONTAINS(
      data_error([&] { quantize_checkpoint(original_, model.parameters, WeightBits::sixteen); }),
      "layer.weight: row 0: expected finite weights");
}

TEST(WeightBits, AreFourEightOrSixteen) {
  EXPECT_EQ(weight_bits_of(4), WeightBits::four);
  EXPECT_EQ(weight_bits_of(8), WeightBits::eight);
  EXPECT_EQ(weight_bits_of(16), WeightBits::sixteen);
  EXPECT_THROW(weight_bits_of(6), ConfigError);
}

// Its weights may be arranged for products, or in 8 bits.
TEST_F(QuantizationTest, WhatWasLoadedForInferenceIsNotSavedAgain) {
  Model model;
  load_parameters(quantized_, model.parameters);
  Checkpoint again;
  EXPECT_THROW(add_parameters(again, model.parameters, model.parameters.values()), ShapeError);
}

TEST_F(QuantizationTest, IsNotDoneTwice) {
  Model model;
  load_parameters(quantized_, model.parameters);
  EXPECT_CONTAINS(data_error([&] { quantize_checkpoint(quantized_, model.parameters); }),
                  "8 bits already");
}

TEST_F(QuantizationTest, NamesATensorWithNumbersThatAreNotFinite) {
  Model model;
  model.parameters.allocate(3);
  original_.tensors[0].tensor = Tensor::full({3, 5}, std::nanf(""));
  EXPECT_CONTAINS(data_error([&] { quantize_checkpoint(original_, model.parameters); }),
                  "layer.weight");
}

TEST_F(QuantizationTest, RefusesEightBitsWhereTheModelHasNone) {
  for (NamedTensor& named : quantized_.tensors) {
    if (named.name == "layer.bias") named.tensor = Tensor::zeros({3}, DType::i8);
  }
  Model model;
  EXPECT_CONTAINS(data_error([&] { load_parameters(quantized_, model.parameters); }), "layer.bias");
}

TEST_F(QuantizationTest, MissesALostScale) {
  std::erase_if(quantized_.tensors,
                [](const NamedTensor& named) { return named.name == "layer.weight.scale"; });
  Model model;
  EXPECT_CONTAINS(data_error([&] { load_parameters(quantized_, model.parameters); }),
                  "layer.weight.scale");
}

}  // namespace
}  // namespace attend
