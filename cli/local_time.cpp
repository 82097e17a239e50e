#include "local_time.h"

#include <array>

namespace ompdm::cli {

std::string local_time(std::time_t seconds) {
  std::tm broken_down = {};
  ::localtime_r(&seconds, &broken_down);
  std::array<char, 40> text;
  const std::size_t size = std::strftime(text.data(), text.size(), "%F %T %z", &broken_down);
  return std::string(text.data(), size);
}

}  // namespace ompdm::cli
