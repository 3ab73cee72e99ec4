// The commands of the program. Each function adds one to the app: its flags, and a callback that does the work and throws an Error.
#pragma once

namespace CLI {
class App;
}

namespace attend {

// attend evaluate --hypotheses F --references F...: BLEU and chrF of a translation, or of two on the same lines.
void add_evaluate_command(CLI::App& app);

}  // namespace attend
