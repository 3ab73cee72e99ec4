#include "attend/server/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "attend/core/json.h"
#include "attend/core/json_text.h"
#include "attend/error.h"
#include "attend/server/service.h"

namespace attend {
namespace {

using Json = nlohmann::ordered_json;

// The bytes at the end of `text` that are the beginning of `stop`.
std::size_t beginning_at_end(std::string_view text, std::string_view stop) {
  for (std::size_t count = std::min(text.size(), stop.size() - 1); count > 0; --count)
    if (text.ends_with(stop.substr(0, count))) return count;
  return 0;
}

// A request in progress. Outcomes arrive on threads of the jobs.
class Completion : public std::enable_shared_from_this<Completion> {
 public:
  Completion(std::shared_ptr<Call> call, CompletionRequest request)
      : call_(std::move(call)),
        request_(std::move(request)),
        created_(std::chrono::duration_cast<std::chrono::seconds>(
                     std::chrono::system_clock::now().time_since_epoch())
                     .count()),
        id_(fmt::format("{}-{:x}-{:x}", is_chat() ? "chatcmpl" : "cmpl", created_, next_id())) {}

  void start() {
    const Generator& generator = *request_.model->as<Generator>();
    std::int64_t longest = 0;
    for (const std::string& prompt : request_.prompts) {
      const std::int64_t tokens = std::ssize(generator.tokenizer().encode(prompt));
      longest = std::max(longest, tokens);
      prompt_tokens_ += tokens;
      for (int k = 0; k < request_.choices; ++k)
        choices_.emplace_back(StoppedText(request_.stops)).prompt = &prompt;
    }
    if (is_chat()) {
      prompt_tokens_ = longest = std::ssize(request_.conversation);
      choices_.resize(static_cast<std::size_t>(request_.choices),
                      Choice(StoppedText(request_.stops)));
    }
    require_room(longest);
    missing_ = choices_.size();
    cancels_.resize(choices_.size());
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      try {
        submit(i);
      } catch (...) {
        if (i == 0) throw;
        give_up(i, std::current_exception());
        break;
      }
    }
    call_->on_hang_up([self = shared_from_this()] { self->cancel_all(); });
  }

 private:
  // What can never wait together is refused before some of it has been computed. A prompt that is
  // too long by itself has its own error.
  void require_room(std::int64_t longest) const {
    const std::int64_t most = call_->service.options().max_tokens_in_queue;
    const std::int64_t tokens = prompt_tokens_ * request_.choices;
    if (longest <= most && tokens > most)
      throw HttpError{413, fmt::format("the prompts of all choices have {} tokens, more than "
                                       "max-tokens-in-queue {}",
                                       tokens, most)};
  }

  static std::uint64_t next_id() {
    static std::atomic<std::uint64_t> next{0};
    return ++next;
  }
  bool is_chat() const { return !request_.conversation.empty(); }

  struct Choice {
    explicit Choice(StoppedText empty) : text(std::move(empty)) {}
    StoppedText text;
    const std::string* prompt = nullptr;
    Generation generation;  // empty if it was stopped early
    std::string finish_reason;
    std::int64_t grown = 0;  // pieces received
  };

  void submit(std::size_t number) {
    GenerationRequest job{.prompt = is_chat() ? "" : *choices_[number].prompt,
                          .options = request_.options,
                          .sample = number % static_cast<std::size_t>(request_.choices),
                          .conversation = request_.conversation};
    job.grow = [self = shared_from_this(), number](const GeneratedToken& token) {
      self->grow(number, token.text);
    };
    Receiver<Generation> receiver{
        .accept = [self = shared_from_this(), number](
                      std::size_t, Generation result) { self->end(number, std::move(result)); },
        .fail = [self = shared_from_this(), number](
                    std::size_t, std::exception_ptr error) { self->fail(number, error); }};
    Jobs::Cancel cancel = call_->service.jobs().submit(
        *request_.model->as<Generator>(), std::move(job), std::move(receiver), call_->spend());
    const std::lock_guard lock(mutex_);
    cancels_[number] = std::move(cancel);
    if (choices_[number].text.is_stopped()) cancels_[number]();
  }
  // The choices from `number` on cannot be submitted; those before are cancelled. The response may
  // have begun.
  void give_up(std::size_t number, const std::exception_ptr& error) {
    {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = error;  // before those of the cancelled ones
    }
    cancel_all();
    const std::lock_guard lock(mutex_);
    missing_ -= choices_.size() - number;
    if (missing_ == 0) finish();
  }
  void cancel_all() {
    const std::lock_guard lock(mutex_);
    for (const Jobs::Cancel& cancel : cancels_)
      if (cancel) cancel();
  }

  void grow(std::size_t number, std::string_view more) {
    const std::lock_guard lock(mutex_);
    Choice& choice = choices_[number];
    ++choice.grown;
    send(number, choice.text.add(more));
    if (choice.text.is_stopped() && cancels_[number]) cancels_[number]();
  }
  void end(std::size_t number, Generation generation) {
    const std::lock_guard lock(mutex_);
    Choice& choice = choices_[number];
    // The last characters, and all of them if nothing has grown: after a search.
    const std::size_t seen = choice.text.text().size() + choice.text.held().size();
    if (!choice.text.is_stopped() && generation.text.size() > seen)
      send(number, choice.text.add(std::string_view(generation.text).substr(seen)));
    if (!choice.text.is_stopped()) send(number, choice.text.finish());
    choice.finish_reason = choice.text.is_stopped() || generation.complete ? "stop" : "length";
    choice.generation = std::move(generation);
    settle(number);
  }
  void fail(std::size_t number, const std::exception_ptr& error) {
    const std::lock_guard lock(mutex_);
    Choice& choice = choices_[number];
    if (choice.text.is_stopped()) {  // cancelled by us
      choice.finish_reason = "stop";
    } else if (!error_) {
      error_ = error;
    }
    settle(number);
  }
  // The functions below are called with the mutex locked.

  void send(std::size_t number, const std::string& more) {
    if (!request_.stream || more.empty()) return;
    begin_stream();
    send_piece(number, {{"content", more}}, more, nullptr);
  }
  void begin_stream() {
    if (streaming_) return;
    streaming_ = true;
    HttpResponse head{.type = "text/event-stream; charset=utf-8"};
    head.headers.add("Cache-Control", "no-cache");
    call_->exchange->begin(std::move(head));
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      if (is_chat()) send_piece(i, {{"role", "assistant"}, {"content", ""}}, "", nullptr);
      if (request_.echo) send_piece(i, {}, *choices_[i].prompt, nullptr);
    }
  }
  // `delta`: of a chat; `text`: of a completion.
  void send_piece(std::size_t number, Json delta, const std::string& text,
                  const Json& finish_reason) {
    Json piece = choice_json(number, "text", text, finish_reason);
    if (is_chat()) piece = choice_json(number, "delta", std::move(delta), finish_reason);
    send_event(choices_json(Json::array({std::move(piece)})));
  }
  void send_event(const Json& json) {
    call_->exchange->write(fmt::format("data: {}\n\n", json_text(json)));
  }

  void settle(std::size_t number) {
    if (request_.stream && !error_) {
      begin_stream();
      send_piece(number, Json::object(), "", choices_[number].finish_reason);
    }
    if (--missing_ == 0) finish();
  }
  void finish() {
    if (!request_.stream || (error_ && !streaming_))
      return error_ ? call_->fail(error_) : respond();
    if (error_) {
      send_event(parse_json(error_response(http_error_of(error_), Dialect::openai).body, "error"));
    } else if (request_.stream_usage) {
      Json json = choices_json(Json::array());
      json["usage"] = usage_json();
      send_event(json);
    }
    call_->exchange->write("data: [DONE]\n\n");
    call_->exchange->end();
  }
  void respond() {
    Json list = Json::array();
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      const Choice& choice = choices_[i];
      const std::string text = (request_.echo ? *choice.prompt : "") + choice.text.text();
      const Json message{{"role", "assistant"}, {"content", text}};
      list.push_back(is_chat() ? choice_json(i, "message", message, choice.finish_reason)
                               : choice_json(i, "text", text, choice.finish_reason));
      if (request_.logprobs) list.back()["logprobs"] = logprobs_json(choice);
    }
    Json json = choices_json(std::move(list));
    json["usage"] = usage_json();
    call_->respond(json);
  }

  static Json choice_json(std::size_t number, const char* what, Json content,
                          const Json& finish_reason) {
    return {{"index", number},
            {what, std::move(content)},
            {"logprobs", nullptr},
            {"finish_reason", finish_reason}};
  }
  Json choices_json(Json list) const {
    return {{"id", id_},
            {"object", !is_chat()        ? "text_completion"
                       : request_.stream ? "chat.completion.chunk"
                                         : "chat.completion"},
            {"created", created_},
            {"model", request_.model->name},
            {"choices", std::move(list)}};
  }
  // The tokens of a continuation, each with its log-probability. Of the others at its place nothing
  // is known.
  Json logprobs_json(const Choice& choice) const {
    const Tokenizer& tokenizer = request_.model->tokenizer;
    Json tokens = Json::array(), values = Json::array(), tops = Json::array();
    for (std::size_t i = 0; i < choice.generation.ids.size(); ++i) {
      const std::string& piece = tokenizer.piece(choice.generation.ids[i]);
      const double value = json_number(choice.generation.token_scores.at(i));
      tokens.push_back(piece);
      values.push_back(value);
      tops.push_back({{piece, value}});
    }
    return {{"tokens", tokens}, {"token_logprobs", values}, {"top_logprobs", tops}};
  }
  Json usage_json() const {
    std::int64_t written = 0;
    for (const Choice& choice : choices_)
      written += choice.generation.ids.empty() ? choice.grown : std::ssize(choice.generation.ids);
    return {{"prompt_tokens", prompt_tokens_},
            {"completion_tokens", written},
            {"total_tokens", prompt_tokens_ + written}};
  }

  const std::shared_ptr<Call> call_;
  const CompletionRequest request_;
  const std::int64_t created_;
  const std::string id_;
  std::mutex mutex_;
  std::vector<Choice> choices_;
  std::vector<Jobs::Cancel> cancels_;
  std::size_t missing_ = 0;
  std::int64_t prompt_tokens_ = 0;
  bool streaming_ = false;
  std::exception_ptr error_;
};

}  // namespace

StoppedText::StoppedText(std::vector<std::string> stops) : stops_(std::move(stops)) {}

std::string StoppedText::add(std::string_view more) {
  if (stopped_) return {};
  held_ += more;
  std::size_t end = std::string::npos, keep = 0;
  for (const std::string& stop : stops_) {
    end = std::min(end, held_.find(stop));
    keep = std::max(keep, beginning_at_end(held_, stop));
  }
  stopped_ = end != std::string::npos;
  std::string certain = held_.substr(0, stopped_ ? end : held_.size() - keep);
  held_.erase(0, certain.size());
  text_ += certain;
  return certain;
}

std::string StoppedText::finish() {
  text_ += held_;
  return std::exchange(held_, {});
}

void complete(const std::shared_ptr<Call>& call, CompletionRequest request) {
  std::make_shared<Completion>(call, std::move(request))->start();
}

}  // namespace attend
