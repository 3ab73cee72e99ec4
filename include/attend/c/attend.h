// attend for C, and for every language that can call C: a small, stable interface.
//
//   attend_error* error = NULL;
//   attend_model* model = attend_load("model.safetensors", NULL, NULL, &error);
//   attend_texts* texts = attend_texts_new();
//   attend_texts_add(texts, "The old dog sleeps.", -1, &error);
//   attend_result* result = attend_translate(model, texts, NULL, NULL, &error);
//   puts(attend_result_text(result, 0, 0, NULL));
//
// Errors. A function that can fail takes `error` last. It returns NULL, or a code other than
// ATTEND_OK, and stores a new error at `error`, unless `error` is NULL. It stores nothing if it
// succeeds. The error is an argument and not a variable of the thread, because Go, Java and others
// move their tasks between threads. No function prints, exits or throws.
//
// Ownership. What a function with a name in _new, attend_load(), attend_model_with_adapter() and
// the calls that return a result make is yours: free it with the _free of its type, which accepts
// NULL. All other pointers belong to the object they were asked of and live as long as it does.
// Functions copy what they are given.
//
// Text is UTF-8. A length is in bytes; a length of -1 means up to the first NUL. Texts that the
// library returns end with a NUL, which their length does not count; they may have others within.
//
// Threads. All functions may be called from any number of threads at once, also with the same
// models, runtimes, results and cancellations. Whoever changes or frees an object must be the only
// one to use it. A callback runs on the thread of the call that it was given to, during that call.
//
// Stability. Until the next major version of attend, functions, values and members keep their
// meaning. Minor versions only add functions, values, and members at the end of structures that
// the library fills in. docs/c.md says what this means for shared libraries.
#ifndef ATTEND_C_ATTEND_H
#define ATTEND_C_ATTEND_H

#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct attend_error attend_error;                // why a call failed
typedef struct attend_cancellation attend_cancellation;  // ends calls from another thread
typedef struct attend_runtime attend_runtime;            // threads that models compute on
typedef struct attend_model attend_model;                // a model in memory, of any kind
typedef struct attend_texts attend_texts;                // a list of texts
typedef struct attend_options attend_options;            // options by name
typedef struct attend_result attend_result;              // what a call has found

// ---- The library

// Grows by one with each version that adds something to this header.
#define ATTEND_ABI_VERSION 1
// The number of the library in use. A program needs at least the one that it was written with.
int32_t attend_abi_version(void);
// "0.2.0": major.minor.patch.
const char* attend_version(void);

// ---- Errors

enum {
  ATTEND_OK = 0,
  ATTEND_INVALID_ARGUMENT = 1,  // NULL where an object is needed, and other faults of the caller
  ATTEND_CONFIG_ERROR = 2,      // an option with a wrong name or value
  ATTEND_DATA_ERROR = 3,        // text or a file with invalid content, or another kind of model
  ATTEND_IO_ERROR = 4,          // the system failed to read or write a file
  ATTEND_CANCELLED = 5,         // attend_cancel(), or a callback that said so
  ATTEND_OUT_OF_MEMORY = 6,
  ATTEND_DIVERGED = 7,    // the loss of a training is not finite, or too high
  ATTEND_OTHER_ERROR = 8  // anything else
};

// One of the values above.
int32_t attend_error_code(const attend_error* error);
// One line: what was expected, what was found, where, and what to do.
const char* attend_error_message(const attend_error* error);
void attend_error_free(attend_error* error);

// ---- Cancelling

// Calls that were given a cancellation end soon after attend_cancel() with ATTEND_CANCELLED, and so
// do all later ones. It must outlive these calls. NULL, in all calls: it cannot be cancelled.
attend_cancellation* attend_cancellation_new(void);
// From any thread, also from a signal handler. Returns at once.
void attend_cancel(attend_cancellation* cancellation);
void attend_cancellation_free(attend_cancellation* cancellation);

// ---- Threads

// Threads for models to compute on; 0: one per physical core. Calls that share a runtime take
// turns. Results do not depend on it. Fails with ATTEND_CONFIG_ERROR for a number below 0 or above
// 1024.
attend_runtime* attend_runtime_new(int32_t threads, attend_error** error);
// Their number, with the thread of the caller.
int32_t attend_runtime_threads(const attend_runtime* runtime);
// The threads end when no model uses them either.
void attend_runtime_free(attend_runtime* runtime);

// ---- Texts and options

attend_texts* attend_texts_new(void);
// Adds a copy. Fails with ATTEND_DATA_ERROR for text that is not UTF-8.
int32_t attend_texts_add(attend_texts* texts, const char* text, int64_t length,
                         attend_error** error);
void attend_texts_free(attend_texts* texts);

// Options have the names, defaults and ranges of the command line and of Python: "beam_size" or
// "beam-size". Values are text, as typed after a flag: "5", "0.8", "true". The call that is given
// the options checks names and values and fails with ATTEND_CONFIG_ERROR. NULL, in all calls: only
// defaults, those of the model first.
attend_options* attend_options_new(void);
// Sets an option, or all of a list to one element. NULL as value: an empty list.
int32_t attend_options_set(attend_options* options, const char* name, const char* value,
                           attend_error** error);
// Adds an element to an option that is a list, such as "must_contain".
int32_t attend_options_add(attend_options* options, const char* name, const char* value,
                           attend_error** error);
void attend_options_free(attend_options* options);

// ---- Models

// Reads a model of any kind: a model file, or the folder of a training run. Directories of other
// programs are made into model files by `attend import` first. `runtime` NULL: the threads that all
// such models share. Fails with ATTEND_IO_ERROR, or ATTEND_DATA_ERROR for a damaged file.
attend_model* attend_load(const char* path, attend_runtime* runtime,
                          attend_cancellation* cancellation, attend_error** error);
// The model with a low-rank adapter (a file, or the folder of a run). They share their weights;
// each is freed on its own. Also fails with ATTEND_DATA_ERROR for the adapter of another model.
attend_model* attend_model_with_adapter(const attend_model* model, const char* path,
                                        attend_cancellation* cancellation, attend_error** error);
// "translation", "lm" (language model), "classification", "tagging" or "embedding".
const char* attend_model_task(const attend_model* model);
// The labels of a classifier, or the tags of a tagger; none for other models.
int64_t attend_model_label_count(const attend_model* model);
// NULL if there is no such label. Labels count from 0.
const char* attend_model_label(const attend_model* model, int64_t label);
void attend_model_free(attend_model* model);

// ---- Calls
//
// Each returns one item per text, in order; the answer to a text does not depend on the others, nor
// on the number of threads. A text is one line, except for language models of documents. A call
// fails with ATTEND_DATA_ERROR for a text that the model cannot read, such as a blank or a too long
// one, and for another kind of model.

// The options of `attend translate`; "prefixes", texts that the translations begin with: one for
// each, or one for all.
attend_result* attend_translate(const attend_model* model, const attend_texts* texts,
                                const attend_options* options, attend_cancellation* cancellation,
                                attend_error** error);

// Receives text as it is written, in whole characters: the texts of the calls for a choice, joined,
// are its text. `text` lives during the call. A result other than 0 ends the generation with
// ATTEND_CANCELLED.
typedef int32_t (*attend_on_text)(void* user, int64_t item, int64_t choice, const char* text,
                                  int64_t length);
// Continues prompts, one after the other, with the options of `attend generate`. An empty prompt
// begins a new text. `on_text` is called after every token when sampling, with beam search at the
// end; it may be NULL. `user` is handed to it.
attend_result* attend_generate(const attend_model* model, const attend_texts* prompts,
                               const attend_options* options, attend_on_text on_text, void* user,
                               attend_cancellation* cancellation, attend_error** error);

// The options of `attend classify`. A pair of texts is one text with a tab between them.
attend_result* attend_classify(const attend_model* model, const attend_texts* texts,
                               const attend_options* options, attend_cancellation* cancellation,
                               attend_error** error);
// The options of `attend classify` for taggers.
attend_result* attend_tag(const attend_model* model, const attend_texts* texts,
                          const attend_options* options, attend_cancellation* cancellation,
                          attend_error** error);
// Takes every kind of model. The options of `attend embed` for vectors, and "prompt_text", put
// before each text in place of any prompt; "special_tokens", with them for the pooling "none".
attend_result* attend_embed(const attend_model* model, const attend_texts* texts,
                            const attend_options* options, attend_cancellation* cancellation,
                            attend_error** error);
// Orders documents by how well they answer a query (UTF-8, up to the first NUL). A classifier must
// be a cross-encoder or have one label, and takes the options of attend_classify(). Of other models
// vectors are compared, with the options of attend_embed(), which are those of the documents, and
// "query_prompt", the name of the prompt for the query instead of "prompt".
attend_result* attend_rank(const attend_model* model, const char* query,
                           const attend_texts* documents, const attend_options* options,
                           attend_cancellation* cancellation, attend_error** error);
// How likely a translator finds `targets` as translations of `texts`, or a language model `texts`;
// `targets` is then NULL. Options: "max_tokens", longer texts fail; those that prepare text, as
// "lowercase"; for translators also "src_lang", "tgt_lang" and "tgt_language".
attend_result* attend_score(const attend_model* model, const attend_texts* texts,
                            const attend_texts* targets, const attend_options* options,
                            attend_cancellation* cancellation, attend_error** error);

// ---- Training

enum { ATTEND_STEP = 1, ATTEND_VALIDATION = 2, ATTEND_NOTE = 3 };

// What a training reports. Members that do not belong to an event are 0 or NULL. Pointers live
// during the callback.
typedef struct attend_progress {
  int32_t event;             // ATTEND_STEP: an update; _VALIDATION; _NOTE: about what was read
  int32_t best;              // validations: 1 if better than all before
  int64_t step;              // from 1
  int64_t epoch;             // from 1
  double loss;               // per target token; of steps with label smoothing
  double nll;                // negative log-likelihood per target token, natural logarithm
  double learning_rate;      // steps
  double gradient_norm;      // steps: before clipping
  int64_t tokens;            // steps: target tokens of the update
  int64_t source_tokens;     // steps: source tokens of the update
  double tokens_per_second;  // steps: target tokens
  double seconds;            // time of the run
  const char* note;          // notes: a line to print
  int64_t metric_count;      // validations: metrics of the task, such as "bleu"
  const char* const* metric_names;  // [metric_count]
  const double* metric_values;      // [metric_count]
} attend_progress;

// A result other than 0 ends the training after the step.
typedef int32_t (*attend_on_progress)(void* user, const attend_progress* progress);

// Trains a model for a task (attend_model_task()) in a folder, which is created. The options are
// those of `attend train`, "config" and "resume" included. `on_progress` may be NULL; `user` is
// handed to it. When it is cancelled or the callback ends it, the training saves a checkpoint after
// the step and returns a result that is not complete; with "resume" it continues, and ends with the
// same bytes. Cancelled before the first step is done, it fails with ATTEND_CANCELLED. Fails with
// ATTEND_CONFIG_ERROR, ATTEND_DATA_ERROR, ATTEND_IO_ERROR or ATTEND_DIVERGED; checkpoints that were
// saved remain.
attend_result* attend_train(const char* task, const char* folder, const attend_options* options,
                            attend_on_progress on_progress, void* user,
                            attend_cancellation* cancellation, attend_error** error);

// ---- Results
//
// A result has items, one for each text, and an item has choices:
//
//   call       choices of an item            text             score                 index
//   translate  translations, best first      the translation  log-probability
//   generate   continuations                 the new text     log-probability
//   classify   its labels, or one number     the label        probability, number   the label
//   tag        entities, or words with tags  as in the text   mean probability
//   embed      one                                                                  tokens left out
//   rank       documents, best first         the document     likeness              the document
//   score      one                                            log-probability
//   train      one                           the model file   loss of the best      steps
//
// attend_rank() and attend_train() have one item. Where the table is empty, text is "", score NaN
// and index -1. Items, choices, labels, documents and tokens count from 0. A function that is asked
// for one that does not exist answers the same, or NULL, or 0. Scores of beam search are divided by
// length^length_penalty.

int64_t attend_result_count(const attend_result* result);
int64_t attend_result_choices(const attend_result* result, int64_t item);
// Stores the length, unless `length` is NULL.
const char* attend_result_text(const attend_result* result, int64_t item, int64_t choice,
                               int64_t* length);
// Logarithms are natural.
float attend_result_score(const attend_result* result, int64_t item, int64_t choice);
int64_t attend_result_index(const attend_result* result, int64_t item, int64_t choice);
// The label of a text, the type of an entity, the tag of a word; otherwise "".
const char* attend_result_label(const attend_result* result, int64_t item, int64_t choice);
// Where an entity or a word is: bytes [begin, end) of the text. Otherwise stores -1 and returns 0.
int32_t attend_result_span(const attend_result* result, int64_t item, int64_t choice,
                           int64_t* begin, int64_t* end);
// Whether a translation or a continuation ended by itself and was not cut, or a training was not
// stopped from outside: 0 or 1.
int32_t attend_result_complete(const attend_result* result, int64_t item, int64_t choice);
// The tokens of a translation, a continuation, or an embedded text.
int64_t attend_result_token_count(const attend_result* result, int64_t item, int64_t choice);
const char* attend_result_token(const attend_result* result, int64_t item, int64_t choice,
                                int64_t token);
// The log-probability of each token of a translation, a continuation or a scored text; translations
// and scored texts have one more, of their end. Stores their number. NULL: none.
const float* attend_result_token_scores(const attend_result* result, int64_t item, int64_t choice,
                                        int64_t* count);
// [count, 2]: pairs of a source word and a target word, counted from 0, of a translation with the
// option "alignment". Stores the number of pairs. NULL: none.
const int32_t* attend_result_alignment(const attend_result* result, int64_t item, int64_t choice,
                                       int64_t* count);
// [rows, width], row by row: the vector of an embedded text, or one per token; or one row with the
// outputs for all labels of a classifier, in their order. Stores both numbers. NULL: none.
const float* attend_result_vectors(const attend_result* result, int64_t item, int64_t* rows,
                                   int64_t* width);
void attend_result_free(attend_result* result);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
