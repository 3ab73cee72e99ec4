#include "attend/server/completions/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "attend/core/json/json.h"
#include "attend/core/json/json_text.h"
#include "attend/error.h"
#include "attend/server/completions/token_logprobs.h"
#include "attend/server/service.h"
#include "attend/server/work/gathering.h"

namespace attend {
namespace {

using Json = nlohmann::ordered_json;

// A request in progress. Outcomes arrive on threads of the jobs.
class Completion : public std::enable_shared_from_this<Completion> {
 public:
  Completion(std::shared_ptr<Call> call, CompletionRequest request)
      : call_(std::move(call)),
        request_(std::move(request)),
        spend_(call_->spend()),
        created_(std::chrono::duration_cast<std::chrono::seconds>(
                     std::chrono::system_clock::now().time_since_epoch())
                     .count()),
        id_(fmt::format("{}-{:x}-{:x}", is_chat() ? "chatcmpl" : "cmpl", created_, next_id())) {}

  void start() {
    for (std::size_t i = 0; i < prompts(); ++i)
      for (int k = 0; k < request_.choices; ++k)
        choices_.push_back({StoppedText(request_.stops), TokenLogprobs(request_.model->tokenizer),
                            is_chat() ? nullptr : &request_.prompts[i]});
    missing_ = choices_.size();
    require_room();
    if (request_.echo && request_.logprobs)
      score_prompts();
    else
      generate();
  }

 private:
  // What can never wait together is refused with the name of the option. A prompt that is too long
  // by itself has its own error.
  void require_room() const {
    const std::int64_t all = call_->service.options().max_tokens_in_queue,
                       most = spend_.client().empty() ? all : (3 * all + 3) / 4;
    std::int64_t longest = std::ssize(request_.conversation);
    for (const CompletionPrompt& prompt : request_.prompts)
      longest = std::max(longest, std::ssize(prompt.ids));
    const std::int64_t written = std::ssize(choices_) * request_.options.max_tokens,
                       tokens = prompt_tokens() * request_.choices + written;
    if (longest <= most && tokens > most)
      throw HttpError{413, fmt::format("the prompts and continuations of all choices may have {} "
                                       "tokens, more than {}max-tokens-in-queue {}",
                                       tokens, most < all ? "three quarters of " : "", all)};
  }

  static std::uint64_t next_id() {
    static std::atomic<std::uint64_t> next{0};
    return ++next;
  }
  bool is_chat() const { return !request_.conversation.empty(); }
  std::size_t prompts() const { return is_chat() ? 1 : request_.prompts.size(); }
  std::int64_t prompt_tokens() const {
    std::int64_t tokens = std::ssize(request_.conversation);
    for (const CompletionPrompt& prompt : request_.prompts) tokens += std::ssize(prompt.ids);
    return tokens;
  }

  struct Choice {
    StoppedText text;
    TokenLogprobs logprobs;                    // those that have not been sent
    const CompletionPrompt* prompt = nullptr;  // of a completion
    std::int64_t tokens = 0;             // written, up to the one that completes a stop string
    std::vector<std::int32_t> ids = {};  // of those, the ones that have not been sent
    bool begun = false;                  // something has been sent
    std::string finish_reason = {};
  };

  // How likely the prompts are is known before anything is written. Their tokens are paid for once.
  void score_prompts() {
    using Tokens = std::vector<GeneratedToken>;
    TokenScoringRequest job{{}, request_.options.likeliest, spend_.client()};
    for (const CompletionPrompt& prompt : request_.prompts) job.prompts.push_back(prompt.ids);
    const auto done = [self = shared_from_this()](const std::vector<Tokens>& scored) {
      self->add_prompts(scored);
      self->generate();
    };
    const auto fail = [call = call_](std::exception_ptr error) { call->fail(error); };
    const std::lock_guard lock(mutex_);  // the outcome waits for what a hang-up cancels
    const Ticket ticket = call_->service.engine().submit(
        *request_.model->as<Generator>(), std::move(job), gather<Tokens>(prompts(), done, fail));
    if (request_.options.max_tokens == 0) spend_(ticket.tokens());
    call_->on_hang_up([ticket] { ticket.cancel(); });
  }
  void add_prompts(const std::vector<std::vector<GeneratedToken>>& scored) {
    const std::lock_guard lock(mutex_);
    for (std::size_t number = 0; number < choices_.size(); ++number)
      choices_[number].logprobs.add_prompt(
          scored[number / static_cast<std::size_t>(request_.choices)],
          choices_[number].prompt->text);
  }

  void generate() {
    if (request_.options.max_tokens == 0) {
      const std::lock_guard lock(mutex_);
      for (std::size_t number = 0; number < choices_.size(); ++number) settle(number, "length");
      return;
    }
    std::vector<GenerationRequest> jobs;
    for (std::size_t number = 0; number < choices_.size(); ++number) jobs.push_back(job_of(number));
    Receiver<Generation> receiver{
        .accept = [self = shared_from_this()](std::size_t number,
                                              Generation result) { self->end(number, result); },
        .fail = [self = shared_from_this()](
                    std::size_t number, std::exception_ptr error) { self->fail(number, error); }};
    const Ticket ticket = submit(std::move(jobs), std::move(receiver));
    call_->on_hang_up([ticket] { ticket.cancel(); });
  }

  // Outcomes wait until the ticket is known.
  Ticket submit(std::vector<GenerationRequest> jobs, Receiver<Generation> receiver) {
    const std::lock_guard lock(mutex_);
    ticket_ = call_->service.engine().submit(*request_.model->as<Generator>(), std::move(jobs),
                                             std::move(receiver));
    spend_(ticket_.tokens());
    return ticket_;
  }

  GenerationRequest job_of(std::size_t number) {
    GenerationRequest job{.options = request_.options,
                          .sample = number % static_cast<std::size_t>(request_.choices),
                          .grow = [self = shared_from_this(), number](
                                      const GeneratedToken& token) { self->grow(number, token); },
                          .conversation = request_.conversation,
                          .in_message = request_.in_message,
                          .client = spend_.client()};
    if (!is_chat()) job.ids = choices_[number].prompt->ids;
    return job;
  }

  // Tokens after a stop string were written only because others are written at the same time: they
  // are neither counted nor paid.
  void grow(std::size_t number, const GeneratedToken& token) {
    const std::lock_guard lock(mutex_);
    Choice& choice = choices_[number];
    if (choice.text.is_stopped()) return;
    ++choice.tokens;
    spend_(1);
    if (request_.stream) begin_stream();  // roles and prompts before all that follows them
    if (request_.logprobs) choice.logprobs.add(token);
    if (request_.token_ids) choice.ids.push_back(token.id);
    send(number, choice.text.add(token.text));
    if (choice.text.is_stopped()) ticket_.cancel(number);
  }
  void end(std::size_t number, const Generation& generation) {
    const std::lock_guard lock(mutex_);
    Choice& choice = choices_[number];
    // The last characters.
    const std::size_t seen = choice.text.text().size() + choice.text.held().size();
    if (!choice.text.is_stopped() && generation.text.size() > seen)
      send(number, choice.text.add(std::string_view(generation.text).substr(seen)));
    settle(number, choice.text.is_stopped() || generation.complete ? "stop" : "length");
  }
  // Cancelled by a stop string, or as it took too long, which ends what has begun.
  void fail(std::size_t number, const std::exception_ptr& error) {
    const std::lock_guard lock(mutex_);
    const bool begun = std::any_of(choices_.begin(), choices_.end(),
                                   [](const Choice& choice) { return choice.tokens > 0; });
    const bool ended = call_->exchange->is_expired() && begun;
    if (!choices_[number].text.is_stopped() && !ended && !error_) error_ = error;
    settle(number, ended && !choices_[number].text.is_stopped() ? "length" : "stop");
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
      if (request_.echo) send_piece(i, {}, choices_[i].prompt->text, nullptr);
    }
  }
  // `delta`: of a chat; `text`: of a completion.
  void send_piece(std::size_t number, Json delta, const std::string& text,
                  const Json& finish_reason) {
    Json piece = is_chat() ? choice_json(number, "delta", std::move(delta), finish_reason)
                           : choice_json(number, "text", text, finish_reason);
    Json json = choices_json(Json::array({std::move(piece)}));
    if (request_.stream_usage) json["usage"] = nullptr;
    send_event(json);
  }
  void send_event(const Json& json) {
    call_->exchange->write(fmt::format("data: {}\n\n", json_text(json)));
  }

  void settle(std::size_t number, const char* finish_reason) {
    Choice& choice = choices_[number];
    if (!choice.text.is_stopped() && !error_) send(number, choice.text.finish());
    choice.finish_reason = finish_reason;
    if (request_.stream && !error_) {
      begin_stream();
      send_piece(number, Json::object(), "", choice.finish_reason);
    }
    if (--missing_ == 0) finish();
  }
  void finish() {
    if (!request_.stream || (error_ && !streaming_))
      return error_ ? call_->fail(error_) : respond();
    if (error_) {
      send_event(
          parse_json(error_response(call_->error_of(error_), Dialect::openai).body, "error"));
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
      const std::string text = (request_.echo ? choice.prompt->text : "") + choice.text.text();
      const Json message{{"role", "assistant"}, {"content", text}, {"refusal", nullptr}};
      list.push_back(is_chat() ? choice_json(i, "message", message, choice.finish_reason)
                               : choice_json(i, "text", text, choice.finish_reason));
    }
    Json json = choices_json(std::move(list));
    json["usage"] = usage_json();
    call_->respond(json);
  }

  // With the log-probabilities and ids that have not been sent.
  Json choice_json(std::size_t number, const char* what, Json content, const Json& finish_reason) {
    Choice& choice = choices_[number];
    Json own;
    if (!choice.logprobs.empty())
      own = is_chat() ? choice.logprobs.take_chat() : choice.logprobs.take_completion();
    Json json{{"index", number},
              {what, std::move(content)},
              {"logprobs", std::move(own)},
              {"finish_reason", finish_reason}};
    if (!request_.token_ids) return json;
    if (!is_chat() && !choice.begun) json["prompt_token_ids"] = choice.prompt->ids;
    choice.begun = true;
    json["token_ids"] = std::exchange(choice.ids, {});
    return json;
  }
  Json choices_json(Json list) const {
    Json json{{"id", id_},
              {"object", !is_chat()        ? "text_completion"
                         : request_.stream ? "chat.completion.chunk"
                                           : "chat.completion"},
              {"created", created_},
              {"model", request_.model->name},
              {"choices", std::move(list)}};
    if (request_.token_ids && is_chat()) json["prompt_token_ids"] = request_.conversation;
    return json;
  }
  Json usage_json() const {
    std::int64_t written = 0;
    for (const Choice& choice : choices_) written += choice.tokens;
    return {{"prompt_tokens", prompt_tokens()},
            {"completion_tokens", written},
            {"total_tokens", prompt_tokens() + written}};
  }

  const std::shared_ptr<Call> call_;
  const CompletionRequest request_;
  const Spend spend_;
  const std::int64_t created_;
  const std::string id_;
  std::mutex mutex_;
  std::vector<Choice> choices_;
  Ticket ticket_;
  std::size_t missing_ = 0;
  bool streaming_ = false;
  std::exception_ptr error_;
};

}  // namespace

void complete(const std::shared_ptr<Call>& call, CompletionRequest request) {
  std::make_shared<Completion>(call, std::move(request))->start();
}

}  // namespace attend
