// The parameters of OpenAI's routes: those that are read, and those that OpenAI, vLLM and llama.cpp
// have beside them. A parameter that would change the answer is taken only with the values that do
// not.
#pragma once

#include <vector>

#include "attend/server/parameters.h"

namespace attend {

std::vector<RouteField> completion_fields();
std::vector<RouteField> chat_fields();
std::vector<RouteField> embedding_fields();

}  // namespace attend
