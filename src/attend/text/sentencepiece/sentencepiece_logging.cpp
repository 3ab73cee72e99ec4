#include "attend/text/sentencepiece/sentencepiece_logging.h"

#ifdef __EMSCRIPTEN__  // compiled from its sources, where this is a function of its own
namespace sentencepiece::logging {
void SetMinLogLevel(int level);
}

namespace attend::detail {

// Training would bring the trainer into pages that only load models.
void silence_sentencepiece() { sentencepiece::logging::SetMinLogLevel(3); }

}  // namespace attend::detail
#else
#include <sentencepiece_trainer.h>

#include <string>
#include <unordered_map>

namespace attend::detail {
namespace {

class NoSentences final : public sentencepiece::SentenceIterator {
 public:
  bool done() const override { return true; }
  void Next() override {}
  const std::string& value() const override { return value_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  std::string value_;
};

}  // namespace

void silence_sentencepiece() {
  static const bool done = [] {
    // The only public way to set the logging threshold is to train; this training has no sentences
    // and ends at once.
    NoSentences none;
    std::string bytes;
    const std::unordered_map<std::string, std::string> arguments{{"minloglevel", "3"}};
    sentencepiece::SentencePieceTrainer::Train(arguments, &none, &bytes).IgnoreError();
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace attend::detail
#endif
