#include "attend/ops/losses/alignment_loss.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "attend/ops/check.h"

namespace attend {

Variable alignment_loss(const Variable& weights, std::span<const std::int64_t> places,
                        float factor) {
  // The logarithm of a weight that underflowed to 0 would be infinite.
  constexpr float kLeast = 1e-30f;
  const std::int64_t count = weights.value().size();
  for (const std::int64_t place : places)
    detail::expect(place >= 0 && place < count, "alignment_loss", "a place among the weights",
                   weights.shape(), Shape{place});
  const Tensor host = weights.value().to_host();
  const std::span<const float> values = host.span<float>();
  std::vector<float> chosen;
  double loss = 0;
  for (const std::int64_t place : places) {
    chosen.push_back(std::max(values[static_cast<std::size_t>(place)], kLeast));
    loss -= std::log(double{chosen.back()});
  }
  const Tensor value = Tensor::full({1}, static_cast<float>(factor * loss));

  // dw[p] = -factor / w[p] dy for each place
  return record(value, {&weights},
                [=, places = std::vector<std::int64_t>(places.begin(), places.end()),
                 dweights = weights.sink()](const Tensor& dy) {
                  std::vector<float> gradient(static_cast<std::size_t>(count), 0.0f);
                  for (std::size_t i = 0; i < places.size(); ++i)
                    gradient[static_cast<std::size_t>(places[i])] -= factor * dy.item() / chosen[i];
                  dweights.add(Tensor::from(gradient, {count}));
                });
}

Variable beside_loss(const Variable& y, const Variable& loss) {
  detail::expect(loss.shape() == Shape{1}, "beside_loss", "a loss [1]", y.shape(), loss.shape());
  return record(y.value(), {&y, &loss}, [dy = y.sink(), dloss = loss.sink()](const Tensor& got) {
    if (dy.needed()) dy.add(got);
    if (dloss.needed()) dloss.add(Tensor::full({1}, 1.0f));
  });
}

}  // namespace attend
