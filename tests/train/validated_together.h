// Validation by several processes.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "attend/train/objective.h"
#include "collective/thread_processes.h"

namespace attend {

// Every process of any number has the bits of one, whatever part of the batches is its own.
inline void expect_equal_validations(const std::function<std::unique_ptr<Objective>()>& make) {
  const Validation alone = make()->validate();
  for (const int size : {1, 2, 4, 16})
    in_processes(size, [&](const auto& process) {
      const Validation together = make()->validate_together(*process);
      EXPECT_EQ(together.loss, alone.loss) << process->rank() << " of " << size;
      EXPECT_EQ(together.nll, alone.nll);
      EXPECT_EQ(together.score, alone.score);
      EXPECT_EQ(together.metrics, alone.metrics);
    });
}

}  // namespace attend
