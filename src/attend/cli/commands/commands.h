// The commands of the program. Each function adds one to the app: its flags, and a callback that
// does the work and throws an Error.
#pragma once

namespace CLI {
class App;
}

namespace attend {

// All of those below.
void add_commands(CLI::App& app);

// attend train translation|lm|classification ... --out RUN: trains a model, or goes on training it.
void add_train_command(CLI::App& app);

// attend translate MODEL < in > out: a line out for every line in.
void add_translate_command(CLI::App& app);

// attend generate MODEL --prompt TEXT: continues a text with a language model.
void add_generate_command(CLI::App& app);

// attend classify MODEL < in > out: label and probability of every line.
void add_classify_command(CLI::App& app);

// attend score MODEL --src F --tgt F: the log-probability of given translations.
void add_score_command(CLI::App& app);

// attend attention MODEL TEXT --out F: a page that shows where the model looks when it translates.
void add_attention_command(CLI::App& app);

// attend embed MODEL < text: vectors of tokens or sentences.
void add_embed_command(CLI::App& app);
// attend embed nearest MODEL --word WORD --corpus FILE < text: where else a word is used as in the
// text.
void add_embed_nearest_command(CLI::App& embed);
// attend embed senses MODEL --word WORD --uses FILE: how far the senses of a word are apart.
void add_embed_senses_command(CLI::App& embed);

// attend average CHECKPOINT... --out F: the mean of several checkpoints.
void add_average_command(CLI::App& app);

// attend quantize MODEL --out F: the model in 8 bits, and what that costs and gains.
void add_quantize_command(CLI::App& app);

// attend shortlist MODEL --src F --tgt F --out F: the model with a list of which tokens may
// translate which.
void add_shortlist_command(CLI::App& app);

// attend info MODEL: what is inside a file.
void add_info_command(CLI::App& app);

// attend lab [EXPERIMENT...]: small experiments on the Transformer's claims, each with a table and
// a plot.
void add_lab_command(CLI::App& app);

// attend demo: trains a translator on a made-up corpus, measures it, and shows its attention.
void add_demo_command(CLI::App& app);

// attend evaluate MODEL --text F: the perplexity of a language model. Without a model, --hypotheses
// F --references F...: BLEU and chrF of a translation, or of two on the same lines.
void add_evaluate_command(CLI::App& app);

// attend help COMMAND...: what attend COMMAND... --help prints.
void add_help_command(CLI::App& app);

// attend completion bash|zsh|fish: a script that completes commands and options in a shell.
void add_completion_command(CLI::App& app);

// attend man: the manual page.
void add_man_command(CLI::App& app);

}  // namespace attend
