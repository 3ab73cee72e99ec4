#include "own_layer/squared_relu.h"

#include "attend/backend/backend.h"

namespace attend {

Variable squared_relu(const Variable& x) {
  const Tensor relu = Tensor::empty(x.shape()), y = Tensor::empty(x.shape());
  backend()->activate(Activation::relu, x.value(), relu);
  backend()->multiply(relu, relu, y);
  // dx = 2 relu(x) dy
  return record(y, {&x}, [relu, dx = x.sink()](const Tensor& dy) {
    const Tensor product = Tensor::empty(dy.shape());
    backend()->multiply(relu, dy, product);
    const auto [buffer, beta] = dx.target();
    backend()->axpby(2.0f, product, beta, buffer);
  });
}

SquaredFeedForward::SquaredFeedForward(ParameterSet& parameters, const std::string& path,
                                       std::int64_t d_model, std::int64_t d_ff)
    : linear1_(parameters, path + ".linear1", d_model, d_ff),
      linear2_(parameters, path + ".linear2", d_ff, d_model) {}

Variable SquaredFeedForward::forward(const Variable& x, const Pass& pass) const {
  return linear2_.forward(squared_relu(linear1_.forward(x, pass)), pass);
}

}  // namespace attend
