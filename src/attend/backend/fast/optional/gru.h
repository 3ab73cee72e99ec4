#pragma once

namespace attend {

// The operands of the GRU's backward pass: one row of each.
struct GruGradientRow {
  const float *gates, *s, *h, *dy;
  float *dx, *ds, *dh;
};

}  // namespace attend
