// What tools/golden_of_huggingface.py has recorded, and the comparison with it. Private to
// interchange/.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "attend/checkpoint/safetensors/safetensors.h"
#include "attend/interchange/golden/golden_comparison.h"
#include "attend/nn/ragged.h"
#include "attend/tasks/translation/pair_format.h"
#include "attend/text/tokenizer.h"

namespace attend::detail {

// The record: ids of texts, and what became of them. All functions throw DataError.
class GoldenRecord {
 public:
  explicit GoldenRecord(const std::filesystem::path& path)
      : file_(SafetensorsFile::open(path)), where_(path.string()) {}

  std::string text(const char* key) const;
  std::vector<std::string> texts() const;
  // What the texts were translated from and to; empty names for a model of one pair.
  LanguagePair languages() const;
  // The sequences of `name`, all ids within the vocabulary of this size.
  Ragged sequences(const std::string& name, std::int64_t vocabulary) const;
  // Undefined when there is none of that name.
  Tensor tensor(const std::string& name) const {
    return file_.contains(name) ? file_.tensor(name) : Tensor();
  }
  const std::string& where() const { return where_; }

 private:
  std::vector<std::int32_t> integers(const std::string& name) const;

  SafetensorsFile file_;
  std::string where_;
};

class GoldenComparer {
 public:
  explicit GoldenComparer(const GoldenRecord& record) : record_(record) {}

  // Skips what the record does not have. Throws DataError for another shape.
  void compare(const std::string& what, const std::string& name, const Tensor& ours);
  void compare_states(const char* stack, const std::vector<Tensor>& states);
  // What a text should become: its tokens with the marks around them.
  void compare_ids(const Tokenizer& tokenizer, const Ragged& ids, const PairSpecialTokens& marks);
  // The same for tokens with what is around them.
  void compare_ids(const Ragged& ids, const std::vector<std::vector<std::int32_t>>& ours);

  GoldenComparison result;

 private:
  const GoldenRecord& record_;
};

}  // namespace attend::detail
