// A folder with what teachers have said, of somebody else: the description of a part, how many rows
// of numbers it has and how wide they are, and its texts. All of it is read, or there is an error
// of attend/error.h.
#include <stdlib.h>

#include <filesystem>
#include <stdexcept>

#include "attend/checkpoint/checkpoint.h"
#include "attend/error.h"
#include "attend/tasks/training/taught_texts.h"
#include "fuzz/fuzz_target.h"

namespace attend::taught_texts_fuzz {
namespace {

// Removed at the end of the program.
class PartFolder {
 public:
  PartFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "attend_fuzz_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~PartFolder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// description LINE BREAK, a byte for each number, texts
void use(std::string_view input) {
  static const PartFolder folder;
  const std::size_t end = input.find('\n');
  if (end == input.npos || input.size() < end + 3) return;
  const auto number = [&](std::size_t at) {
    return std::int64_t{static_cast<unsigned char>(input[at])};
  };
  try {
    Checkpoint part;
    part.metadata["taught_texts"] = std::string(input.substr(0, end));
    part.tensors = {{"texts", bytes_tensor(input.substr(end + 3))},
                    {"values", Tensor::full({number(end + 1), number(end + 2)}, 0.5f)}};
    save_checkpoint(folder.path() / "part-000001.safetensors", part);
    const TaughtTexts taught(folder.path());
    if (taught.texts().empty()) throw std::logic_error("answers to nothing");
    for (std::size_t i = 0; i < taught.texts().size(); ++i)
      if (std::ssize(taught.row(i)) != taught.width() || taught.row(i).back() != 0.5f)
        throw std::logic_error("a row of another width");
  } catch (const Error&) {
  }
}

std::vector<std::string> corpus() {
  return {std::string(R"({"kind": "vectors", "names": [], "last": true})") + "\n\2\3one\ntwo\n",
          std::string(R"({"kind": "single_label", "names": ["a", "b"], "last": true})") +
              "\n\1\2one\n"};
}

std::vector<std::string> dictionary() {
  return {"\"kind\"", "\"names\"", "\"last\"", "true", "false", "null",
          "[",        "]",         "{",        "}",    ",",     "\n"};
}

const RegisteredFuzzTarget registered{{"taught_texts", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::taught_texts_fuzz
