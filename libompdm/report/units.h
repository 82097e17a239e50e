// Sizes, times and counts as text, and text that fits a width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ompdm/trace.h"

namespace ompdm::report {

/// "992ns", "5.7510us", "97.765ms"; from a second on six digits: "4.58953s".
std::string time_text(Nanoseconds duration);

/// "8B", "32.000KB", "20.480GB"; 1 KB is 1000 B.
std::string size_text(std::uint64_t bytes);

/// "42.793MB/s"; "-" if it took no time.
std::string throughput_text(std::uint64_t bytes, Nanoseconds duration);

/// "35.04%".
std::string percent_text(double percent);

/// For sentences, three digits and a space: "20.5 GB", "8 B".
std::string spoken_size(std::uint64_t bytes);

/// For sentences: "4.59 s", "12 ns".
std::string spoken_time(Nanoseconds duration);

/// For sentences: "98 %", "0.4 %", "less than 0.1 %".
std::string spoken_share(Nanoseconds part, Nanoseconds whole);

/// AFTER over BEFORE: "0.33x", "12.5x", "<0.001x".
std::string ratio_text(double ratio);

/// For sentences: "31x", "1.9x"; a ratio of at least 1.
std::string spoken_ratio(double ratio);

/// "1 iteration", "12 iterations"; `many` is `one` with an s if there is none.
std::string counted(std::uint64_t count, const std::string& one, const std::string& many = {});

/// "a", "a and b", "a, b and c".
std::string spoken_list(const std::vector<std::string>& items, const char* before_last = "and");

/// Columns on a terminal that UTF-8 text takes (one a code point).
std::size_t display_width(const std::string& text);

/// Text shortened to `width` columns by leaving out its middle.
std::string shortened(const std::string& text, std::size_t width);

}  // namespace ompdm::report
