#include <algorithm>
#include <cmath>

#include "ompdm/aggregates.h"
#include "spool_format/aggregates.h"

namespace ompdm {

namespace {

static_assert(Distribution::kBins == spool::kBins);

__extension__ using Wide = unsigned __int128;

Wide squares_of(const Distribution& of) { return Wide{of.squares_high} << 64U | of.squares_low; }

void set_squares(Distribution& of, Wide squares) {
  of.squares_low = static_cast<std::uint64_t>(squares);
  of.squares_high = static_cast<std::uint64_t>(squares >> 64U);
}

}  // namespace

void Distribution::add(std::uint64_t value, std::uint64_t times) {
  if (times == 0) return;
  count += times;
  sum += value * times;
  set_squares(*this, squares_of(*this) + Wide{value} * value * times);
  least = std::min(least, value);
  most = std::max(most, value);
  bins[spool::bin_of(value)] += times;
}

void Distribution::add(const Distribution& other) {
  count += other.count;
  sum += other.sum;
  set_squares(*this, squares_of(*this) + squares_of(other));
  least = std::min(least, other.least);
  most = std::max(most, other.most);
  for (std::size_t i = 0; i < kBins; ++i) bins[i] += other.bins[i];
}

double Distribution::mean() const {
  return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
}

// The difference is taken of whole numbers: of quantities that are nearly alike, doubles would have
// nothing left of it.
double Distribution::deviation() const {
  if (count == 0) return 0;
  const Wide mean_floor = sum / count;
  const Wide rest = sum % count;
  // n * squares - sum^2 = n * (squares - floor * (sum + rest)) - rest^2
  const Wide around = squares_of(*this) - mean_floor * (Wide{sum} + rest);
  const auto n = static_cast<double>(count);
  const double part = static_cast<double>(rest) / n;
  return std::sqrt(std::max(0.0, static_cast<double>(around) / n - part * part));
}

std::uint64_t Distribution::quantile(double part) const {
  if (count == 0) return 0;
  const double wanted = std::clamp(part, 0.0, 1.0) * static_cast<double>(count);
  double before = 0;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    const auto here = static_cast<double>(bins[bin]);
    if (here == 0 || before + here < wanted) {
      before += here;
      continue;
    }
    const auto begin = static_cast<double>(std::max(bin_begin(bin), least));
    const auto end =
        static_cast<double>(bin + 1 < kBins ? std::min(bin_begin(bin + 1) - 1, most) : most);
    const double at = begin + (end - begin) * (wanted - before) / here;
    if (at >= static_cast<double>(most)) return most;
    return std::max(static_cast<std::uint64_t>(std::round(at)), least);
  }
  return most;
}

std::uint64_t bin_begin(std::size_t bin) { return spool::bin_begin(bin); }

}  // namespace ompdm
