#include "attend/tasks/model_kind.h"

#include <fmt/format.h>

#include "attend/core/error.h"
#include "attend/core/quote.h"

namespace attend {

void require_task(const Checkpoint& checkpoint, std::string_view task) {
  if (const std::string& found = checkpoint.text("attend.task"); found != task)
    throw DataError(fmt::format("{}: expected a model for {}, found one for {}", checkpoint.source, task, printable(found, 60)));
}

Tokenizer read_tokenizer(const Checkpoint& checkpoint, std::string_view name) {
  const Tensor& bytes = checkpoint.tensor(name);
  try {
    return Tokenizer::from_bytes(tensor_bytes(bytes));
  } catch (const Error& error) {
    throw DataError(fmt::format("{}: {}", checkpoint.source, error.what()));
  }
}

}  // namespace attend
