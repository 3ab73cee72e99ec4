// Samples sentences of the demo's grammar.
#pragma once

#include "attend/core/random/random.h"
#include "attend/demo/grammar.h"

namespace attend::demo {

// One sentence, a function of the random numbers alone.
Sentence sample_sentence(Random& random);

}  // namespace attend::demo
