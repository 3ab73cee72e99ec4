// What pages ask beside the interface of C (attend/c/attend.h), in its manner: why a model answers
// as it does, and the explorer's answers.
//
// A result has one item with one choice, whose text is the JSON that the server's route of the same
// name answers (docs/explorer.md), without the members that name the model. Options have the names
// of the route's parameters; languages are "src_lang" and "tgt_lang".
#pragma once

#include "attend/c/attend.h"

extern "C" {

// POST /explore: the answer, and the attention of every head.
attend_result* attend_explore(const attend_model* model, const char* text,
                              const attend_options* options, attend_cancellation* cancellation,
                              attend_error** error);
// POST /explore/inside: everything that a Transformer computes for the text.
attend_result* attend_explore_inside(const attend_model* model, const char* text,
                                     const attend_options* options,
                                     attend_cancellation* cancellation, attend_error** error);
// POST /explain: why a token was written. Not of embedding models and taggers.
attend_result* attend_explain(const attend_model* model, const char* text,
                              const attend_options* options, attend_cancellation* cancellation,
                              attend_error** error);
// POST /explore/heads, one head at a time, so that a page can ask something else in between.
typedef struct attend_head_trials attend_head_trials;
attend_head_trials* attend_head_trials_new(const attend_model* model, const char* text,
                                           const attend_options* options,
                                           attend_cancellation* cancellation, attend_error** error);
int64_t attend_head_trials_count(const attend_head_trials* trials);
// {"module", "head", "change"}: what the head with this number, from 0, does for the answer.
attend_result* attend_head_trial(const attend_head_trials* trials, int64_t number,
                                 attend_cancellation* cancellation, attend_error** error);
void attend_head_trials_free(attend_head_trials* trials);
// POST /explore/draw: a translation or a continuation drawn at random.
attend_result* attend_explore_draw(const attend_model* model, const char* text,
                                   const attend_options* options, attend_cancellation* cancellation,
                                   attend_error** error);
// POST /explore/words: a word in several texts as points.
attend_result* attend_explore_words(const attend_model* model, const attend_texts* texts,
                                    const attend_options* options,
                                    attend_cancellation* cancellation, attend_error** error);
// POST /attend/v1/beam: a translation and every step of its search.
attend_result* attend_beam(const attend_model* model, const char* text,
                           const attend_options* options, attend_cancellation* cancellation,
                           attend_error** error);

// ["de", "en", ...]: the languages that a translator chooses from; none of another model.
attend_result* attend_model_languages(const attend_model* model, attend_error** error);

}  // extern "C"
