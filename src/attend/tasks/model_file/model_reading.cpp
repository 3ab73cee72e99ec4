#include "attend/tasks/model_file/model_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "attend/core/json/json.h"
#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/tasks/model_file/adapter.h"

namespace attend {

DataError wrong_task(std::string_view source, std::string_view expected, std::string_view found) {
  return DataError(fmt::format("{}: expected a model for {}, found one for {}", source, expected,
                               printable(found, 60)));
}

void require_task(const Checkpoint& checkpoint, std::string_view task) {
  if (is_adapter(checkpoint) || checkpoint.text("attend.task") != task)
    refuse_task(checkpoint, task);
}

void refuse_task(const Checkpoint& checkpoint, std::string_view tasks) {
  if (is_adapter(checkpoint))
    throw DataError(
        fmt::format("{}: expected a model, found an adapter; attend merge merges it into its base",
                    checkpoint.source));
  throw wrong_task(checkpoint.source, tasks, checkpoint.text("attend.task"));
}

namespace {

Tokenizer read_with(Tokenizer (*from)(std::string_view bytes), const Checkpoint& checkpoint,
                    std::string_view name) {
  const Tensor& bytes = checkpoint.tensor(name);
  try {
    Tokenizer tokenizer = from(tensor_bytes(bytes));
    if (tokenizer.eos_id() < 0)
      throw DataError(fmt::format("{}: expected a token that ends a text, found none", name));
    return tokenizer;
  } catch (const Error& error) {
    throw DataError(fmt::format("{}: {}", checkpoint.source, error.what()));
  }
}

}  // namespace

Tokenizer read_tokenizer(const Checkpoint& checkpoint, std::string_view name) {
  return read_with(Tokenizer::from_bytes, checkpoint, name);
}

Tokenizer read_decoding_tokenizer(const Checkpoint& checkpoint, std::string_view name) {
  return read_with(Tokenizer::for_decoding, checkpoint, name);
}

void require_layers(const Checkpoint& checkpoint, std::int64_t layers) {
  if (layers > std::ssize(checkpoint.tensors))
    throw DataError(fmt::format("{}: attend.config: {} layers need more than {} tensors",
                                checkpoint.source, layers, checkpoint.tensors.size()));
}

namespace {

const std::string kSpecialTokensKey = "attend.special_tokens", kSpecialTokensRead = "read";

}  // namespace

SpecialText read_special_text(const Checkpoint& checkpoint) {
  if (!checkpoint.metadata.contains(kSpecialTokensKey)) return SpecialText::as_text;
  const std::string value = checkpoint.text(kSpecialTokensKey);
  if (value != kSpecialTokensRead)
    throw DataError(fmt::format("{}: {}: expected {}, found {}", checkpoint.source,
                                kSpecialTokensKey, kSpecialTokensRead, quote(value)));
  return SpecialText::as_tokens;
}

void write_special_text(SpecialText special, Metadata& metadata) {
  if (special == SpecialText::as_tokens) metadata[kSpecialTokensKey] = kSpecialTokensRead;
}

std::map<std::string, TextKind> read_text_kinds(const Checkpoint& checkpoint) {
  std::map<std::string, TextKind> kinds;
  for (const auto& [key, value] : checkpoint.metadata)
    if (key.starts_with(kTextKindKey))
      kinds[key.substr(kTextKindKey.size())] = read_options<TextKind>(checkpoint, key);
  return kinds;
}

namespace {

// A duplicate label, or one that no line of a text file can have, would be miscounted.
void check_labels(const std::vector<std::string>& labels, const Checkpoint& checkpoint) {
  std::set<std::string_view> names;
  for (const std::string& label : labels) {
    if (is_blank(label) || label.find_first_of("\t\n\r") != std::string::npos)
      throw DataError(
          fmt::format("{}: attend.labels: expected names without tabs and line ends, got {}",
                      checkpoint.source, quote(label)));
    if (!names.insert(label).second)
      throw DataError(fmt::format("{}: attend.labels: expected every class once, got {} twice",
                                  checkpoint.source, quote(label)));
  }
}

}  // namespace

std::vector<std::string> read_label_names(const Checkpoint& checkpoint, std::size_t least) {
  const std::string where = fmt::format("{}: attend.labels", checkpoint.source);
  const auto labels = parse_json(checkpoint.text("attend.labels"), where);
  const bool are_names =
      labels.is_array() &&
      std::all_of(labels.begin(), labels.end(), [](const auto& one) { return one.is_string(); });
  if (!are_names || labels.size() < least)
    throw DataError(fmt::format("{}: expected a list of {} names of classes", where,
                                least == 2 ? "two or more" : "one or more"));
  auto names = labels.get<std::vector<std::string>>();
  check_labels(names, checkpoint);
  return names;
}

bool is_in_vocabulary(const std::vector<std::int32_t>& ids, const Tokenizer& tokenizer) {
  return std::all_of(ids.begin(), ids.end(),
                     [&](std::int32_t id) { return id >= 0 && id < tokenizer.vocab_size(); });
}

}  // namespace attend
