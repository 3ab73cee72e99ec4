// Conversations as tokens of a language model that was trained on them.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/text/chat_template/chat_template.h"
#include "attend/text/tokenizer.h"

namespace attend {

// What a model file says about conversations.
struct ChatFormat {
  std::string source;          // the template
  std::string bos_token = {};  // as the template knows them; empty: none
  std::string eos_token = {};
  std::vector<std::string> marks = {};  // special tokens that are written in the text
  // What else a template sees by its name: "unk_token" and such.
  std::map<std::string, std::string> other_tokens = {};

  std::string to_json() const;
  // Throws DataError.
  static ChatFormat from_json(std::string_view json, const std::string& where);
};

// The metadata of a model file with a chat format.
inline constexpr const char* kChatKey = "attend.chat";

// How a conversation is written.
struct ChatOptions {
  // What the template sees by its names beside the messages, before all others.
  nlohmann::ordered_json values = nlohmann::ordered_json::object();
  bool add_generation_prompt = true;    // the beginning of an answer follows
  bool continue_final_message = false;  // the text ends within the last message
};

class Chat {
 public:
  // Throws DataError for a template that cannot be read and for marks that are no tokens.
  Chat(const ChatFormat& format, Tokenizer tokenizer);

  // The tokens of a conversation. messages: objects with "role" and "content", and perhaps others,
  // strings. A mark in them, or in the values, is text: nobody can pretend to be another role.
  // Throws DataError for messages that the template refuses, or whose last one it does not write as
  // it is, if that is to be continued.
  std::vector<std::int32_t> tokens(nlohmann::ordered_json messages,
                                   const ChatOptions& options = {}) const;
  // Whether the template goes through the parts of a content. For others, it has to be one text.
  bool reads_parts() const { return reads_parts_; }
  // What the template writes for them.
  std::string text(nlohmann::ordered_json messages, const ChatOptions& options = {}) const;

 private:
  // Appends the tokens of a text with dividers. None is a mark, also where the tokenizer finds one.
  // Empty if a mark that the template has not written would be among them.
  std::vector<std::int32_t> tokens_of_whole(std::string_view text) const;
  void append_text(std::string_view text, std::vector<std::int32_t>& tokens) const;
  // Appends nothing and returns false if the tokenizer finds a mark.
  bool append_unmarked(std::string_view text, std::vector<std::int32_t>& tokens) const;

  ChatTemplate template_;
  ChatFormat format_;
  Tokenizer tokenizer_;
  bool reads_parts_ = false;
  bool marks_are_tokens_ = true;  // each mark alone is one token
  struct Sides {
    bool left = false, right = false;
  };
  std::map<std::string, Sides, std::less<>> spaces_;  // white space that each mark takes
  std::vector<bool> is_mark_;                         // by id
};

// Throws DataError for a format that Chat refuses, or whose template does not write a question of a
// user.
void require_usable(const ChatFormat& format, const Tokenizer& tokenizer);
// Why it is not usable; empty if it is.
std::string chat_problem(const ChatFormat& format, const Tokenizer& tokenizer);

}  // namespace attend
