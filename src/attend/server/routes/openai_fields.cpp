#include "attend/server/routes/openai_fields.h"

#include <initializer_list>

namespace attend {
namespace {

void add(std::vector<RouteField>& fields, std::initializer_list<RouteField> more) {
  fields.insert(fields.end(), more);
}

// Read for completions and chats.
void add_generation(std::vector<RouteField>& fields) {
  add(fields,
      {{"temperature", FieldType::number,
        "divides the logits (1, or the model's own); 0: the most likely token"},
       {"top_p", FieldType::number,
        "draw among the most likely tokens that together have this probability (1)"},
       {"top_k", FieldType::whole, "draw among this many most likely tokens (0 or -1: all)"},
       {"repetition_penalty", FieldType::number,
        "divides the logits of tokens in the context (1, or the model's own)"},
       {"min_tokens", FieldType::whole, "tokens before a chat's answer may end (0)"},
       {"n", FieldType::whole, "continuations of each prompt (1)"},
       {"seed", FieldType::whole, "any number of 64 bits; equal seeds give equal answers (1)"},
       {"stop", FieldType::texts, "stop strings: a continuation ends before them"},
       {"stream", FieldType::flag, "send the text while it is written, as events"},
       {"stream_options", FieldType::any, "{\"include_usage\": true}: count tokens at the end"},
       {"return_token_ids", FieldType::flag,
        "add the ids of all tokens, prompt_token_ids and token_ids (false)"}});
}

// Taken with the values that change nothing, for completions and chats.
void add_neutral(std::vector<RouteField>& fields) {
  add(fields,
      {fixed_field("presence_penalty", "[0]"), fixed_field("frequency_penalty", "[0]"),
       fixed_field("logit_bias", "[{}]"), fixed_field("response_format", R"([{"type": "text"}])"),
       // vLLM
       fixed_field("min_p", "[0]"), fixed_field("length_penalty", "[1]"),
       fixed_field("use_beam_search", "[false]"), fixed_field("stop_token_ids", "[[]]"),
       fixed_field("include_stop_str_in_output", "[false]"), fixed_field("ignore_eos", "[false]"),
       fixed_field("skip_special_tokens", "[true]"), fixed_field("bad_words", "[[]]"),
       fixed_field("allowed_token_ids", "[[]]"), fixed_field("logits_processors", "[[]]"),
       fixed_field("return_tokens_as_token_ids", "[false]"), fixed_field("priority", "[0]"),
       // llama.cpp
       fixed_field("typical_p", "[1]"), fixed_field("repeat_penalty", "[1]"),
       fixed_field("mirostat", "[0]"), fixed_field("dynatemp_range", "[0]"),
       fixed_field("xtc_probability", "[0]"), fixed_field("dry_multiplier", "[0]"),
       fixed_field("n_probs", "[0]"), fixed_field("grammar", R"([""])"),
       fixed_field("lora", "[[]]"), fixed_field("timings_per_token", "[false]"),
       fixed_field("post_sampling_probs", "[false]"), ignored_field("cache_prompt"),
       ignored_field("id_slot"),
       // What accounts and caches of others need.
       ignored_field("user"), ignored_field("metadata"), ignored_field("store"),
       ignored_field("service_tier"), ignored_field("safety_identifier"),
       ignored_field("prompt_cache_key"), ignored_field("prompt_cache_retention"),
       ignored_field("cache_salt"), ignored_field("request_id"),
       ignored_field("guided_decoding_backend"), ignored_field("spaces_between_special_tokens"),
       ignored_field("api-version")});
}

constexpr RouteField kLanguageModel{
    "model", FieldType::text, "name of a language model, from /v1/models; default: the first"};

}  // namespace

std::vector<RouteField> completion_fields() {
  std::vector<RouteField> fields{
      kLanguageModel,
      {"prompt", FieldType::any, "text to continue, a list of texts, or ids of tokens", true},
      {"max_tokens", FieldType::whole,
       "most tokens to write (16), at most the server's --max-new-tokens; 0: none"},
      {"echo", FieldType::flag,
       "write the prompt before its continuation, with logprobs also the log-probabilities of its "
       "tokens"},
      {"special_tokens", FieldType::flag,
       "take the strings of special tokens in a prompt for these tokens (false: letters)"},
      {"logprobs", FieldType::whole,
       "the log-probability of every token, and so many most likely ones at its place, at most "
       "20"}};
  add_generation(fields);
  add(fields, {{"best_of", FieldType::whole, "only n: others are not supported"},
               fixed_field("suffix", R"([""])"),
               fixed_field("add_special_tokens", "[true]")});
  add_neutral(fields);
  return fields;
}

std::vector<RouteField> chat_fields() {
  std::vector<RouteField> fields{
      kLanguageModel,
      {"messages", FieldType::any, "list of {\"role\", \"content\"}", true},
      {"max_completion_tokens", FieldType::whole,
       "most tokens to write, at most the server's --max-new-tokens; default: the rest of the "
       "context"},
      {"max_tokens", FieldType::whole, "older name of max_completion_tokens"},
      {"logprobs", FieldType::flag, "the log-probability of every token (false)"},
      {"top_logprobs", FieldType::whole,
       "with logprobs: so many most likely tokens at the place of each, at most 20 (0)"},
      {"continue_final_message", FieldType::flag,
       "continue the text of the last message, instead of answering it (false)"},
      {"add_generation_prompt", FieldType::flag,
       "begin an answer after the messages (true, unless continue_final_message)"},
      {"chat_template_kwargs", FieldType::any,
       "object: what the template sees by these names, such as enable_thinking"},
      {"documents", FieldType::any, "list of objects for templates that read documents"}};
  add_generation(fields);
  add(fields,
      {fixed_field("tools", "[[]]"), fixed_field("tool_choice", R"(["none", "auto"])"),
       fixed_field("functions", "[[]]"), fixed_field("function_call", R"(["none", "auto"])"),
       ignored_field("parallel_tool_calls"), fixed_field("modalities", R"([["text"]])"),
       fixed_field("reasoning_effort", R"(["none"])"), fixed_field("verbosity", R"(["medium"])"),
       // vLLM
       fixed_field("echo", "[false]"), fixed_field("best_of", "[1]"),
       fixed_field("add_special_tokens", "[false]")});
  add_neutral(fields);
  return fields;
}

std::vector<RouteField> embedding_fields() {
  return {{"input", FieldType::any, "text, list of texts, or ids of tokens", true},
          {"model", FieldType::text, "name of an embedding model; default: the first"},
          {"dimensions", FieldType::whole,
           "keep this many values of each vector, and scale it to length 1; 0: all"},
          {"encoding_format", FieldType::text,
           "float, or base64: the bytes of 32-bit floats, little-endian"},
          fixed_field("add_special_tokens", "[true]"),
          fixed_field("priority", "[0]"),
          ignored_field("user"),
          ignored_field("request_id"),
          ignored_field("api-version")};
}

}  // namespace attend
