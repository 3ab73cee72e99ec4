// What PyTorch computed for one case: a file of tests/golden. tools/make_goldens.py says what each
// holds.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/checkpoint/safetensors/safetensors.h"
#include "attend/nn/parameters/parameters.h"
#include "attend/nn/pass.h"
#include "attend/nn/ragged.h"
#include "backend/scoped_backend.h"

namespace attend {

class Golden {
 public:
  explicit Golden(const std::string& name);

  // A tensor as it is in the file. Throws DataError when absent.
  Tensor tensor(const std::string& name) const { return file_.tensor(name).clone(); }
  bool contains(const std::string& name) const { return file_.contains(name); }
  // A setting from the metadata, as the text of its JSON value without quotes.
  std::string setting(const std::string& name) const;
  int integer(const std::string& name) const { return std::stoi(setting(name)); }
  bool flag(const std::string& name) const { return setting(name) == "true"; }

  // Of an i32 tensor [B] of lengths: the offsets of the ragged batch.
  Ids offsets(const std::string& lengths) const;
  // The padded tensor `name` [B, T, D] without its padding, [N, D].
  Tensor packed(const std::string& name, const std::string& lengths) const;
  // Padded ids [B, T] and their lengths as a ragged batch.
  Ragged tokens(const std::string& name, const std::string& lengths) const;

  // Copies param.* into the parameters, whose names are `prefix` and what follows "param."; all of
  // them must be in the file.
  void load(const ParameterSet& parameters, const std::string& prefix) const;
  // Compares the gradient of every parameter with dparam.*.
  void expect_gradients(const ParameterSet& parameters, const std::string& prefix) const;
  // Compares the attention weights, in the order of AttentionRecord, with out.weights [B, H, T, S].
  void expect_weights(const Tensor& actual, const std::string& query_lengths,
                      const std::string& key_lengths) const;

 private:
  std::vector<std::int32_t> lengths(const std::string& name) const;
  SafetensorsFile file_;
};

// Within 1e-5 for an output (relative where it is larger than 1).
void expect_output(const Tensor& actual, const Tensor& expected, const std::string& what);
// Within 1e-4 of the largest entry (and 1e-7), or 2e-6 where the gradient is zero.
void expect_gradient(const Tensor& actual, const Tensor& expected, const std::string& what);

// Parity holds for both backends.
class Parity : public testing::TestWithParam<const char*> {
 protected:
  Parity() : backend_(std::string(GetParam()) == "fast" ? fast_backend() : reference_backend()) {}
  Pass pass_ = Pass::inference();

 private:
  ScopedBackend backend_;
};

}  // namespace attend
