#include "attend/nn/parameters/parameters.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/backend/weights.h"
#include "attend/error.h"
#include "ops/operands.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

TEST(ParameterSet, LaysParametersOutInTheOrderOfDeclarationWithoutGaps) {
  ParameterSet parameters;
  const Parameter a = parameters.add("a", {2, 3}, {Init::Kind::ones});
  const Parameter b = parameters.add("b", {5}, {Init::Kind::zeros});
  const Parameter c = parameters.add("c", {1, 4}, {Init::Kind::normal});
  EXPECT_EQ(parameters.size(), 15);
  parameters.allocate(1);
  ASSERT_EQ(parameters.values().shape(), Shape{15});
  EXPECT_EQ(a->value().data(), parameters.values().data());
  EXPECT_EQ(b->value().data(), parameters.values().data() + 6);
  EXPECT_EQ(c->value().data(), parameters.values().data() + 11);
  EXPECT_EQ(a->shape(), (Shape{2, 3}));
  const auto& entries = parameters.entries();
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[2].name, "c");
  EXPECT_EQ(entries[2].offset, 11);
  EXPECT_TRUE(same_bits(parameters.value(entries[2]), c->value()));
  EXPECT_EQ(parameters.value(entries[0]).to_vector(), std::vector<float>(6, 1.0f));
  EXPECT_EQ(parameters.value(entries[1]).to_vector(), std::vector<float>(5, 0.0f));
}

TEST(ParameterSet, GivesSharedPathsTheSameParameters) {
  ParameterSet parameters;
  parameters.share("layers.1", "layers.0");
  const auto layer = [&](const std::string& path) {
    parameters.add_weights(path + ".a", {2, 3}, {Init::Kind::normal});
    parameters.add_weights(path + ".b", {1, 3}, {Init::Kind::normal});
    return parameters.stack(path + ".a", path + ".b");
  };
  const Parameter first = layer("layers.0"), second = layer("layers.1"), other = layer("layers.10");
  EXPECT_EQ(parameters.size(), 2 * 9);
  parameters.allocate(1);
  EXPECT_EQ(first->value().data(), second->value().data());
  EXPECT_NE(first->value().data(), other->value().data());
  backward(*first, Tensor::full({3, 3}, 1.0f));
  backward(*second, Tensor::full({3, 3}, 2.0f));
  EXPECT_EQ(first->gradient().to_vector(), std::vector<float>(9, 3.0f));
  EXPECT_THROW(parameters.add_weights("layers.1.a", {3, 3}, {}), ConfigError);
}

TEST(ParameterSet, CollectsGradientsInOneBufferThatBeginsWithZeros) {
  ParameterSet parameters;
  const Parameter a = parameters.add("a", {2}, {}), b = parameters.add("b", {3}, {});
  parameters.allocate(1);
  EXPECT_EQ(parameters.gradients().to_vector(), std::vector<float>(5, 0.0f));
  backward(*b, Tensor::full({3}, 2.0f));
  backward(*b, Tensor::full({3}, 1.0f));
  EXPECT_EQ(parameters.gradients().to_vector(), (std::vector<float>{0, 0, 3, 3, 3}));
  EXPECT_EQ(a->gradient().data(), parameters.gradients().data());
}

TEST(ParameterSet, HasNoGradientsForInference) {
  ParameterSet parameters;
  const Parameter a = parameters.add("a", {2, 3}, {Init::Kind::ones});
  parameters.allocate_for_inference();
  EXPECT_FALSE(parameters.gradients().defined());
  EXPECT_FALSE(a->requires_gradient());
  EXPECT_EQ(a->value().data(), parameters.values().data());
  EXPECT_EQ(a->shape(), (Shape{2, 3}));
}

TEST(ParameterSet, KeepsTheMatricesItIsToldToInEightBits) {
  ParameterSet parameters;
  const Parameter bias = parameters.add("bias", {2}, {});
  const Parameter q = parameters.add_weights("q", {2, 3}, {}),
                  k = parameters.add_weights("k", {1, 3}, {});
  const Parameter both = parameters.stack("q", "k"),
                  other = parameters.add_weights("other", {1, 3}, {});
  parameters.allocate_for_inference({{"q", DType::i8}, {"k", DType::i8}});
  EXPECT_EQ(parameters.values().size(), 2 + 3);
  EXPECT_EQ(both->value().dtype(), DType::i8);
  EXPECT_EQ(both->value().shape(), (Shape{3, quantized_columns(3)}));
  EXPECT_EQ(both->value().row<std::int8_t>(2), k->value().data<std::int8_t>());
  EXPECT_EQ(other->value().dtype(), DType::f32);
  EXPECT_EQ(bias->value().dtype(), DType::f32);
}

TEST(ParameterSet, KeepsTheMatricesItIsToldToInFourBits) {
  ParameterSet parameters;
  const Parameter q = parameters.add_weights("q", {16, 48}, {}),
                  k = parameters.add_weights("k", {32, 48}, {});
  const Parameter both = parameters.stack("q", "k"),
                  other = parameters.add_weights("other", {16, 48}, {});
  parameters.allocate_for_inference({{"q", DType::i4}, {"k", DType::i4}, {"other", DType::i8}});
  EXPECT_EQ(both->value().dtype(), DType::i4);
  EXPECT_EQ(both->value().shape(), (Shape{48, grouped_columns(48)}));
  EXPECT_EQ(both->value().row_bytes(16), k->value().bytes());
  EXPECT_EQ(other->value().dtype(), DType::i8);
  parameters.fill_packed([](const auto&, const Tensor& value, std::int64_t block) {
    value.zero();
    if (block > 0) backend()->pack_weights(value);
  });
  EXPECT_EQ(both->value().dtype(), DType::packed_i4);
  EXPECT_EQ(weight_columns(both->value()), 48);
}

TEST(ParameterSet, RefusesEightBitsForWhatCannotBeQuantized) {
  ParameterSet parameters;
  parameters.add("gain", {2, 3}, {});
  parameters.add_weights("q", {2, 3}, {});
  parameters.add_weights("k", {2, 3}, {});
  parameters.stack("q", "k");
  expect_error<ConfigError>(
      [&] {
        parameters.allocate_for_inference({{"gain", DType::i8}});
      },
      {"gain", "4, 8 or 16 bits"});
  expect_error<ConfigError>(
      [&] {
        parameters.allocate_for_inference({{"absent", DType::i8}});
      },
      {"absent"});
  expect_error<ConfigError>(
      [&] {
        parameters.allocate_for_inference({{"q", DType::i8}});
      },
      {"q", "k", "one matrix"});
}

TEST(ParameterSet, KeepsEachTypeInItsOwnBuffer) {
  ParameterSet parameters;
  const Parameter q = parameters.add_weights("q", {16, 3}, {});
  const Parameter k = parameters.add_weights("k", {32, 3}, {});
  const Parameter o = parameters.add_weights("o", {16, 4}, {});
  const Parameter both = parameters.stack("q", "k");
  parameters.allocate_for_inference({{"q", DType::bf16}, {"k", DType::bf16}, {"o", DType::i8}});
  EXPECT_EQ(parameters.values().size(), 0);
  parameters.fill_packed([](const auto&, const Tensor& value, std::int64_t block) {
    value.zero();
    if (block > 0) backend()->pack_weights(value);
  });
  EXPECT_EQ(both->value().dtype(), DType::packed_bf16);
  EXPECT_EQ(both->value().shape(), (Shape{48, 3}));
  EXPECT_EQ(k->value().bytes(), q->value().bytes() + 16 * 3 * 2);
  EXPECT_EQ(o->value().dtype(), DType::packed_i8);

  ParameterSet mixed;
  mixed.add_weights("q", {16, 3}, {});
  mixed.add_weights("k", {32, 3}, {});
  mixed.stack("q", "k");
  expect_error<ConfigError>(
      [&] {
        mixed.allocate_for_inference({{"q", DType::bf16}, {"k", DType::i8}});
      },
      {"q", "k", "BF16", "I8"});
}

// Packs what has its values already.
void pack(ParameterSet& parameters) {
  parameters.fill_packed([](const ParameterSet::Entry&, const Tensor& value, std::int64_t block) {
    if (block > 0) backend()->pack_weights(value);
  });
}

TEST(ParameterSet, PacksTheWeightsOfProductsAndNothingElse) {
  ParameterSet parameters;
  const Init normal{Init::Kind::normal};
  const Parameter table = parameters.add_table("table", {32, 4}, normal),
                  bias = parameters.add("bias", {32}, normal);
  const Parameter q = parameters.add_weights("q", {16, 4}, normal),
                  k = parameters.add_weights("k", {32, 4}, normal);
  const Parameter both = parameters.stack("q", "k"),
                  odd = parameters.add_weights("odd", {20, 4}, normal);
  parameters.allocate(1);
  const std::vector<float> rows = both->value().to_vector(), odd_rows = odd->value().to_vector();
  pack(parameters);
  EXPECT_EQ(table->value().dtype(), DType::f32);
  EXPECT_EQ(bias->value().dtype(), DType::f32);
  for (const Parameter& weights : {q, k, both, odd})
    EXPECT_EQ(weights->value().dtype(), DType::packed_f32);
  EXPECT_EQ(backend()->float_weights(both->value()).to_vector(), rows);
  EXPECT_EQ(backend()->float_weights(odd->value()).to_vector(), odd_rows);
  EXPECT_EQ(backend()->float_weights(k->value()).to_vector(),
            std::vector<float>(rows.begin() + 16 * 4, rows.end()));
  EXPECT_EQ(parameters.value(parameters.entries()[2]).dtype(), DType::packed_f32);
}

TEST(ParameterSet, PacksAllPartsOfAStackOrNone) {
  ParameterSet parameters;
  const Parameter q = parameters.add_weights("q", {16, 4}, {}),
                  k = parameters.add_weights("k", {16, 4}, {});
  const Parameter v = parameters.add_weights("v", {20, 4}, {});
  const Parameter all = parameters.stack("q", "v"), kv = parameters.stack("k", "v"),
                  other = parameters.add_weights("other", {16, 4}, {});
  parameters.allocate_for_inference({{"other", DType::i8}});
  pack(parameters);
  for (const Parameter& weights : {q, k, v, all, kv})
    EXPECT_EQ(weights->value().dtype(), DType::f32);
  EXPECT_EQ(other->value().dtype(), DType::packed_i8);
}

TEST(ParameterSet, StacksWhatWasDeclaredOneAfterTheOther) {
  ParameterSet parameters;
  const Parameter before = parameters.add("before", {1}, {});
  const Parameter q = parameters.add("q", {2, 3}, {Init::Kind::normal}),
                  k = parameters.add("k", {4, 3}, {Init::Kind::normal});
  const Parameter bq = parameters.add("bq", {2}, {}), bk = parameters.add("bk", {4}, {});
  const Parameter weight = parameters.stack("q", "k"), bias = parameters.stack("bq", "bk");
  parameters.allocate(1);
  EXPECT_EQ(parameters.size(), 1 + 6 + 12 + 2 + 4) << "a stack has no memory of its own";
  EXPECT_EQ(weight->shape(), (Shape{6, 3}));
  EXPECT_EQ(bias->shape(), (Shape{6}));
  EXPECT_EQ(weight->value().data(), q->value().data());
  EXPECT_EQ(weight->value().row(2), k->value().data());
  backward(*weight, Tensor::full({6, 3}, 1.0f));
  backward(*k, Tensor::full({4, 3}, 1.0f));
  EXPECT_EQ(k->gradient().to_vector(), std::vector<float>(12, 2.0f));
  EXPECT_EQ(q->gradient().to_vector(), std::vector<float>(6, 1.0f));
}

// A table, a stack of two matrices, and a matrix.
ParameterSet several(bool as_outputs = false) {
  ParameterSet parameters;
  if (as_outputs)
    parameters.add_output_weights("table", {3, 4}, {});
  else
    parameters.add_table("table", {3, 4}, {});
  parameters.add_weights("q", {16, 4}, {});
  parameters.add_weights("k", {16, 4}, {});
  parameters.stack("q", "k");
  parameters.add_weights("out", {16, 4}, {});
  return parameters;
}

std::string shared_names(const ParameterSet& parameters) {
  std::string names;
  for (const ParameterSet::Entry& entry : parameters.entries())
    if (entry.shared()) names += entry.name + " ";
  return names;
}

TEST(ParameterSet, SharesTheMemoryOfALoadedSet) {
  ParameterSet loaded = several(), all = several(), some = several(),
               used_otherwise = several(true);
  loaded.allocate_for_inference();
  all.allocate_sharing(loaded, {});
  EXPECT_EQ(shared_names(all), "table q k out ");
  EXPECT_EQ(all.values().size(), 0);
  for (const ParameterSet::Entry& entry : all.entries())
    EXPECT_EQ(all.value(entry).bytes(), loaded.value(entry).bytes()) << entry.name;
  some.allocate_sharing(loaded, {"k"});
  EXPECT_EQ(shared_names(some), "table out ") << "all of a stack, or none";
  EXPECT_EQ(some.values().size(), 2 * 16 * 4);
  used_otherwise.allocate_sharing(loaded, {"out"});
  EXPECT_EQ(shared_names(used_otherwise), "q k ") << "a table is not packed";
}

TEST(ParameterSet, SharesNoMatricesThatAreOneElsewhere) {
  ParameterSet loaded, parameters = several();
  loaded.add_weights("k", {16, 4}, {});
  loaded.add_weights("q", {16, 4}, {});
  loaded.allocate_for_inference();
  parameters.allocate_sharing(loaded, {});
  EXPECT_EQ(shared_names(parameters), "") << "they are no neighbors there";
}

// several() as a file may have it in memory: one parameter after the other, from `first` bytes on.
ParameterSet::Stored stored_in_order(const std::vector<std::string>& names, std::int64_t first = 0,
                                     DType matrices = DType::packed_f32) {
  ParameterSet::Stored stored;
  stored.bytes = Tensor::zeros({2000}, DType::u8);
  for (const std::string& name : names) {
    stored.places[name] = {first, name == "table" ? DType::f32 : matrices};
    first += (name == "table" ? 3 : 16) * 4 * 4;
  }
  return stored;
}

std::string names_in_place(const ParameterSet::Stored& stored) {
  ParameterSet parameters = several();
  parameters.allocate_in_place(stored);
  for (const ParameterSet::Entry& entry : parameters.entries()) {
    if (!entry.shared()) continue;
    const auto place = stored.places.at(entry.name);
    EXPECT_EQ(parameters.value(entry).bytes(), stored.bytes.bytes() + place.begin) << entry.name;
    EXPECT_EQ(parameters.value(entry).dtype(), place.dtype) << entry.name;
  }
  return shared_names(parameters);
}

TEST(ParameterSet, UsesParametersWhereTheyLie) {
  EXPECT_EQ(names_in_place(stored_in_order({"table", "q", "k", "out"})), "table q k out ");
  EXPECT_EQ(names_in_place(stored_in_order({"out", "q", "k"}, 8)), "q k out ");
  EXPECT_EQ(names_in_place(stored_in_order({"out", "q", "k"}, 2)), "") << "within a number";
}

TEST(ParameterSet, TakesMemoryForPartsOfAStackThatAreNoNeighbors) {
  EXPECT_EQ(names_in_place(stored_in_order({"q", "out", "k", "table"})), "table out ");
  EXPECT_EQ(names_in_place(stored_in_order({"k", "q"})), "");
  EXPECT_EQ(names_in_place(stored_in_order({"q"})), "");
}

TEST(ParameterSet, TakesMemoryForMatricesThatAreToBePacked) {
  EXPECT_EQ(names_in_place(stored_in_order({"table", "q", "k", "out"}, 0, DType::f32)), "table ");
}

TEST(ParameterSet, SharesWhatALoadedSetUsesInPlace) {
  ParameterSet loaded = several(), parameters = several();
  loaded.allocate_in_place(stored_in_order({"q", "k", "out"}));
  parameters.allocate_sharing(loaded, {"out"});
  EXPECT_EQ(shared_names(parameters), "table q k ");
  for (const ParameterSet::Entry& entry : parameters.entries())
    EXPECT_EQ(parameters.value(entry).bytes() == loaded.value(entry).bytes(), entry.shared())
        << entry.name;
}

}  // namespace
}  // namespace attend
