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
// POST /explore/heads: {"effects": [...]}, what each head does for the answer.
attend_result* attend_explore_heads(const attend_model* model, const char* text,
                                    const attend_options* options,
                                    attend_cancellation* cancellation, attend_error** error);
// POST /explore/draw: a translation or a continuation drawn at random.
attend_result* attend_explore_draw(const attend_model* model, const char* text,
                                   const attend_options* options, attend_cancellation* cancellation,
                                   attend_error** error);
// POST /explore/words: a word in several texts as points.
attend_result* attend_explore_words(const attend_model* model, const attend_texts* texts,
                                    const attend_options* options,
                                    attend_cancellation* cancellation, attend_error** error);

}  // extern "C"
