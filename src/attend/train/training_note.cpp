#include "attend/train/training_note.h"

#include <nlohmann/json.hpp>

namespace attend {

std::string to_json(const TrainingNote& note) {
  nlohmann::ordered_json json{{"step", note.step}, {"epoch", note.epoch}};
  if (note.averaged > 0) json["averaged"] = note.averaged;
  if (note.validation != nullptr) {
    json["loss"] = note.validation->loss;
    json["nll"] = note.validation->nll;
    for (const auto& [name, value] : note.validation->metrics) json[name] = value;
  }
  return json.dump();
}

}  // namespace attend
