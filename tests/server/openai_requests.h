// A server with a translator and a language model, for requests as OpenAI's.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "attend/generator.h"
#include "server/served_models.h"

namespace attend {

class OpenAi : public ServingTest {
 protected:
  OpenAi() { serve({"en-de", "lm"}); }

  static const Generator& own() {
    static const Generator generator = Generator::load(SmallModels::shared().file("lm"));
    return generator;
  }
  nlohmann::ordered_json complete(const std::string& body) {
    return json_of(post("/v1/completions", body));
  }
};

}  // namespace attend
