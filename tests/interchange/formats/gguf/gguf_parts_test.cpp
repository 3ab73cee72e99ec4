#include "attend/interchange/formats/gguf/gguf_parts.h"

#include <gtest/gtest.h>

#include "attend/interchange/foreign_model.h"
#include "checkpoint/test_folder.h"
#include "interchange/families/gguf/written_llama.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class GgufParts : public FolderTest {
 protected:
  GgufParts() : first_(written_llama()) {
    const auto middle = first_.tensors.begin() + 4;
    second_.tensors.assign(middle, first_.tensors.end());
    first_.tensors.erase(middle, first_.tensors.end());
    set(first_, 0, 2);
    first_ = with_entry(first_, "split.tensors.count", gguf_u32(11));
    set(second_, 1, 2);
  }
  static void set(WrittenGguf& part, std::uint32_t number, std::uint32_t count) {
    part = with_entry(part, "split.no", gguf_u32(number));
    part = with_entry(part, "split.count", gguf_u32(count));
  }
  void write_parts() const {
    write(path("a-00001-of-00002.gguf"), written_gguf(first_));
    write(path("a-00002-of-00002.gguf"), written_gguf(second_));
  }
  void expect_refused(std::initializer_list<std::string_view> fragments) const {
    write_parts();
    expect_error<DataError>([&] { read_gguf_parts(path("a-00001-of-00002.gguf")); }, fragments);
  }

  WrittenGguf first_, second_;
};

TEST_F(GgufParts, AreOneModel) {
  write_parts();
  write(path("whole.gguf"), written_gguf(written_llama()));
  const Checkpoint parts = import_model(path("a-00001-of-00002.gguf")).checkpoint,
                   whole = import_model(path("whole.gguf")).checkpoint;
  ASSERT_EQ(parts.tensors.size(), whole.tensors.size());
  for (const NamedTensor& tensor : whole.tensors) {
    if (tensor.tensor.dtype() != DType::f32) continue;
    EXPECT_EQ(parts.tensor(tensor.name).to_vector(), tensor.tensor.to_vector()) << tensor.name;
  }
}

TEST_F(GgufParts, HaveNumbersInTheirNames) {
  EXPECT_EQ(gguf_parts("x/a-00001-of-00003.gguf"),
            (std::vector<std::filesystem::path>{
                "x/a-00001-of-00003.gguf", "x/a-00002-of-00003.gguf", "x/a-00003-of-00003.gguf"}));
  for (const char* alone : {"a.gguf", "a-00002-of-00003.gguf", "a-00001-of-0000x.gguf",
                            "-00001-of-00003.gguf", "a-00001-of-00003"})
    EXPECT_EQ(gguf_parts(alone), std::vector<std::filesystem::path>{alone});
}

TEST_F(GgufParts, AreRefusedUnlessTheyBelongTogether) {
  set(second_, 1, 3);
  expect_refused({"a-00002-of-00002.gguf", "split.count: expected 2, found 3"});
  set(second_, 0, 2);
  expect_refused({"a-00002-of-00002.gguf", "split.no: expected 1, found 0"});
  set(second_, 1, 2);
  second_.tensors.pop_back();
  expect_refused({"split.tensors.count: expected 11, found 10"});
  second_.tensors.push_back(first_.tensors.front());
  expect_refused({"token_embd.weight"});
  set(first_, 1, 2);
  expect_refused({"split.no: expected 0, found 1"});
  first_ = with_entry(first_, "split.count", gguf_string("2"));
  expect_refused({"split.count: expected a count"});
  set(first_, 0, 3);
  expect_refused({"it is one of 3 files"});
  write_parts();
  std::filesystem::remove(path("a-00002-of-00002.gguf"));
  set(first_, 0, 2);
  write(path("a-00001-of-00002.gguf"), written_gguf(first_));
  EXPECT_THROW(read_gguf_parts(path("a-00001-of-00002.gguf")), IoError);
}

}  // namespace
}  // namespace attend
