// Settings that are in a pickle, as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "attend/interchange/formats/pickle.h"

namespace attend {

// Objects, such as argparse.Namespace, become objects of their attributes; what else is no JSON
// becomes an array that only names it, which no setting of a model is. Throws DataError for what
// contains itself or is unreasonably large.
nlohmann::json pickled_json(const Pickle& pickle, const PickleValue& value);

}  // namespace attend
