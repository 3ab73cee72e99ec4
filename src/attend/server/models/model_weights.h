// A model in memory, which may leave it and come back from its file.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <variant>

#include "attend/base_model.h"
#include "attend/inspect/explorer.h"

namespace attend {

struct ModelInMemory {
  BaseModel base;
  std::shared_ptr<const Explorer> explorer;                                 // of the same
  std::variant<Translator, Generator, Classifier, Tagger, Embedder> model;  // the same, as its kind
};

// Member functions may be called from any number of threads at once.
class ModelWeights {
 public:
  using Clock = std::chrono::steady_clock;
  using Load = std::function<ModelInMemory()>;

  // `load` loads it again; without one it stays in memory.
  ModelWeights(ModelInMemory loaded, Load load);

  // Returns the model, loaded again if it has left. Throws what `load` does. The reference holds
  // until unload().
  const ModelInMemory& get();
  // Calls `prepare`, without a lock, before the model is loaded again. To be set before get().
  void before_loading(std::function<void()> prepare) { prepare_ = std::move(prepare); }

  // Whether it is in memory, or on the way there.
  bool is_loaded() const { return is_loaded_; }
  bool can_leave() const { return load_ != nullptr; }
  // When get() was called, or touch().
  Clock::time_point last_use() const { return Clock::time_point(Clock::duration(last_use_)); }
  void touch() { last_use_ = Clock::now().time_since_epoch().count(); }
  // The model leaves. Nobody may have a reference to it.
  void unload();

 private:
  const Load load_;
  std::function<void()> prepare_;
  std::mutex mutex_;
  std::optional<ModelInMemory> loaded_;
  std::atomic<bool> is_loaded_ = true;
  std::atomic<Clock::rep> last_use_;
};

}  // namespace attend
