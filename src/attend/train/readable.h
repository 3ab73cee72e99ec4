// Formats numbers and durations for people.
#pragma once

#include <string>

#include "attend/core/strings/counted.h"

namespace attend {

std::string readable_quantity(double quantity);  // 950, 12.3k, 4.56M: three digits
std::string readable_duration(
    double seconds);  // 0:59, 12:03, 3:04:05, 2d 03h; "-:--" if unknown (negative, NaN, infinite)
std::string readable_measure(double value);       // loss, perplexity: 0.0123, 2.314, 41.20, 9897
std::string readable_rate(double learning_rate);  // 1.20e-03

}  // namespace attend
