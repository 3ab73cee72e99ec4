// The commands of the program. Each function adds one to the app: its flags, and a callback that
// does the work and throws an Error.
#pragma once

namespace CLI {
class App;
}

namespace attend {

// Adds all of the commands below.
void add_commands(CLI::App& app);

// attend train translation|lm|classification|embedding ... --out RUN: trains a model or resumes
// training.
void add_train_command(CLI::App& app);

// attend data NAME --from F... --out DIR: a public data set as the recipes read it.
void add_data_command(CLI::App& app);

// attend filter --src F --tgt F --out-src F --out-tgt F: cleans text before training.
void add_filter_command(CLI::App& app);

// attend prepare translation|lm ... --out DIR: encodes a training text that does not fit into
// memory.
void add_prepare_command(CLI::App& app);

// attend translate MODEL < in > out: one line per input line.
void add_translate_command(CLI::App& app);

// attend generate MODEL --prompt TEXT: continues a text with a language model.
void add_generate_command(CLI::App& app);

// attend classify MODEL < in > out: labels and probabilities of every line.
void add_classify_command(CLI::App& app);

// attend score MODEL --src F --tgt F: the log-probability of given translations.
void add_score_command(CLI::App& app);

// attend attention MODEL TEXT --out F: a page that shows the model's attention.
void add_attention_command(CLI::App& app);

// attend page MODEL --out F: the explorer with the model in one file, which needs no server.
void add_page_command(CLI::App& app);

// attend explain MODEL TEXT: why a model writes a word and not another one.
void add_explain_command(CLI::App& app);

// attend embed MODEL < text: vectors of tokens or sentences.
void add_embed_command(CLI::App& app);
// attend embed nearest MODEL --word WORD --corpus FILE < text: similar uses of a word.
void add_embed_nearest_command(CLI::App& embed);
// attend embed senses MODEL --word WORD --uses FILE: how far apart the senses of a word are.
void add_embed_senses_command(CLI::App& embed);

// attend average CHECKPOINT... --out F: the average of several checkpoints.
void add_average_command(CLI::App& app);

// attend import DIR --out F: a model of another program as a model of attend.
void add_import_command(CLI::App& app);

// attend migrate FILE: a configuration of another program as a recipe.
void add_migrate_command(CLI::App& app);

// attend export MODEL --out DIR: a model of attend as a model of another program.
void add_export_command(CLI::App& app);

// attend merge BASE ADAPTER --out F: an adapted model as one file.
void add_merge_command(CLI::App& app);

// attend serve MODEL...: models behind HTTP.
void add_serve_command(CLI::App& app);

// attend quantize MODEL --out F: a model in 4, 8 or 16 bits, and the effect on quality and speed.
void add_quantize_command(CLI::App& app);

// attend optimize MODEL --out F: the same model in a file that loads faster.
void add_optimize_command(CLI::App& app);

// attend shortlist MODEL --src F --tgt F --out F: the model with a vocabulary shortlist.
void add_shortlist_command(CLI::App& app);

// attend tune TASK --ranges R... --out F: searches for the settings of a training.
void add_tune_command(CLI::App& app);

// attend backtranslate --src-train F --tgt-train F --tgt-mono F --out RUN: trains a translator also
// on text that has no translations.
void add_backtranslate_command(CLI::App& app);

// attend distill TEACHER... --src F --out RUN: trains a translator from what others say and write.
void add_distill_command(CLI::App& app);

// attend calibrate MODEL --src F --tgt F --out F: the model with what its scores say of quality.
void add_calibrate_command(CLI::App& app);

// attend glossary TERMS --src F --tgt F --out F: a glossary with the forms of its terms.
void add_glossary_command(CLI::App& app);

// attend info MODEL: the content of a file.
void add_info_command(CLI::App& app);

// attend lab [EXPERIMENT...]: small experiments on the Transformer's claims, each with a table and
// a plot.
void add_lab_command(CLI::App& app);

// attend demo: trains a translator on a generated corpus, measures it, and shows its attention.
void add_demo_command(CLI::App& app);

// attend evaluate MODEL --text F: the perplexity of a language model. Without a model, --hypotheses
// F --references F...: BLEU and chrF of a translation, or of two of the same lines.
void add_evaluate_command(CLI::App& app);

// attend help COMMAND...: what attend COMMAND... --help prints.
void add_help_command(CLI::App& app);

// attend completion bash|zsh|fish: a script that completes commands and options in a shell.
void add_completion_command(CLI::App& app);

// attend man: the manual page.
void add_man_command(CLI::App& app);

}  // namespace attend
