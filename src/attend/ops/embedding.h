#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "attend/autograd/variable.h"
#include "attend/backend/backend.h"

namespace attend {

// Encodings added to the scaled embeddings: row position[n] of table [P, D] for token n. A learned
// table receives gradients.
struct Positions {
  Variable table;
  Ids position;
};

// dropout(scale * table[ids[n]] + positions.table[positions.position[n]]): sections 3.4 and 3.5 of
// Vaswani et al. 2017. table [V, D], N ids, N positions -> [N, D]. Throws ShapeError, also for an
// id outside the table; ConfigError for a probability outside [0, 1).
Variable embedding(const Variable& table, const Ids& ids, float scale,
                   const Positions& positions = {}, const Dropout& dropout = {});

// x[rows[i]] -> [rows, D].
Variable gather_rows(const Variable& x, const Ids& rows);

// The reverse, sums in the order of i: y[rows[i]] += x[i] -> [count, D], from zeros. Throws
// ShapeError, also for a row outside 0 .. count - 1.
Variable scatter_rows(const Variable& x, const Ids& rows, std::int64_t count);

}  // namespace attend
