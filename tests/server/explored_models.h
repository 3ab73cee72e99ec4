// Small models that serve, and requests to explore them.
#pragma once

#include <string>
#include <vector>

#include "attend/core/json/json_text.h"
#include "server/served_models.h"

namespace attend {

using Answer = nlohmann::ordered_json;

class Exploring : public ServingTest {
 protected:
  static std::string file(const std::string& name) { return SmallModels::shared().file(name); }
  // The answer to a request for "the dog sleeps" with more fields.
  Answer explored(const Answer& more = Answer::object(), int status = 200) {
    Answer request{{"text", "the dog sleeps"}};
    request.update(more);
    return json_of(post("/explore", json_text(request)), status);
  }
  static const std::vector<std::string>& source() {
    static const std::vector<std::string> text{"the dog sleeps"};
    return text;
  }
};

}  // namespace attend
