#include "attend/interchange/families/checkpoints/checkpoint_model.h"

#include <fmt/format.h>

#include <vector>

#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/interchange/formats/pickle_json.h"

namespace attend {

bool is_checkpoint_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return path.extension() == ".pt" && std::filesystem::is_regular_file(path, ignored);
}

std::optional<std::string> find_checkpoint(const ModelDirectory& directory) {
  constexpr const char* kBest = "checkpoint_best.pt";
  std::vector<std::string> found;
  for (const std::string& name : directory.names()) {
    if (name == kBest) return name;
    if (name.ends_with(".pt")) found.push_back(name);
  }
  if (found.empty()) return std::nullopt;
  if (found.size() == 1) return found.front();
  throw DataError(
      fmt::format("{}: expected checkpoint_best.pt or one checkpoint, found {} and {}; name the "
                  "one to import, because an ensemble is not one model",
                  directory.path(), quote(found[0]), quote(found[1])));
}

const PickleValue* OpenedCheckpoint::find(std::string_view key) const {
  const PickleValue* const value = file.pickle().find(file.pickle().root(), key);
  return value == nullptr || value->kind == PickleKind::none ? nullptr : value;
}

ForeignConfig OpenedCheckpoint::settings(const PickleValue& value, std::string_view key) const {
  return {pickled_json(file.pickle(), value), fmt::format("{}, {}", path(), key)};
}

CheckpointModel open_checkpoint(const ModelDirectory& directory, const std::string& name) {
  const TorchFile file(directory.open(name), OtherFunctions::opaque);
  const OpenedCheckpoint checkpoint{directory, name, file};
  if (checkpoint.find("model") != nullptr &&
      (checkpoint.find("args") != nullptr || checkpoint.find("cfg") != nullptr))
    return read_fairseq(checkpoint);
  const bool is_opennmt = checkpoint.find("opt") != nullptr && checkpoint.find("vocab") != nullptr;
  if (is_opennmt && checkpoint.find("model") != nullptr && checkpoint.find("generator") != nullptr)
    return read_opennmt(checkpoint);
  if (is_opennmt)
    throw DataError(
        fmt::format("{}: expected the weights of the model and its generator, found none; "
                    "OpenNMT-py has written them elsewhere, or those of LoRA alone",
                    checkpoint.path()));
  throw DataError(
      fmt::format("{}: expected a checkpoint of fairseq (model with args or cfg) or OpenNMT-py "
                  "(opt and vocab), found another file of PyTorch",
                  checkpoint.path()));
}

}  // namespace attend
