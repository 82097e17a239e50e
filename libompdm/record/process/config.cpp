#include "record/process/config.h"

#include <stdlib.h>
#include <string.h>

#include "record/process/message.h"

namespace ompdm::record {
namespace {

// Kept for the life of the process; taken once, before any callback can run.
const char* kept(const char* name) noexcept {
  const char* value = getenv(name);
  return value != nullptr && value[0] != '\0' ? strdup(value) : nullptr;
}

bool one_of(const char* value, const char* const* words) noexcept {
  for (; *words != nullptr; ++words) {
    if (strcmp(value, *words) == 0) {
      return true;
    }
  }
  return false;
}

bool switch_of(const char* name, bool otherwise) noexcept {
  static constexpr const char* kOn[] = {"on", "1", "yes", "true", nullptr};
  static constexpr const char* kOff[] = {"off", "0", "no", "false", nullptr};
  const char* value = getenv(name);
  if (value == nullptr || value[0] == '\0') {
    return otherwise;
  }
  if (one_of(value, kOn)) {
    return true;
  }
  if (one_of(value, kOff)) {
    return false;
  }
  say("%s=%s: neither on nor off: '%s' is used", name, value, otherwise ? "on" : "off");
  return otherwise;
}

bool cupti_of_environment() noexcept {
  const char* value = getenv("OMPDM_CUPTI");
  if (value == nullptr || value[0] == '\0' || strcmp(value, "auto") == 0) {
    return true;
  }
  if (strcmp(value, "off") == 0) {
    return false;
  }
  say("OMPDM_CUPTI=%s: neither auto nor off: 'auto' is used", value);
  return true;
}

// Digits and at most one point, "3", "0.5", "12.5%": up to 100. The C library's functions would
// follow the program's locale.
bool parse_percent(const char* text, std::uint32_t& millionths) noexcept {
  std::uint32_t value = 0;
  std::uint32_t unit = 10'000;
  bool digits = false;
  bool point = false;
  for (; *text != '\0' && strcmp(text, "%") != 0; ++text) {
    if (*text == '.' && !point) {
      point = true;
      continue;
    }
    if (*text < '0' || *text > '9' || value > 100 * 10'000) {
      return false;
    }
    const auto digit = static_cast<std::uint32_t>(*text - '0');
    if (point) {
      unit /= 10;
      value += digit * unit;
    } else {
      value = value * 10 + digit * unit;
    }
    digits = true;
  }
  millionths = value;
  return digits && value <= 100 * 10'000;
}

std::uint32_t hashing_of(const char* name) noexcept {
  const char* value = getenv(name);
  if (value == nullptr || value[0] == '\0') {
    return kHashDefault;
  }
  if (strcmp(value, "off") == 0) {
    return kHashNothing;
  }
  if (strcmp(value, "full") == 0) {
    return kHashEverything;
  }
  std::uint32_t share = 0;
  if (parse_percent(value, share)) {
    return share;
  }
  say("%s=%s: neither off, full nor a percentage of the bytes: 3 is used", name, value);
  return kHashDefault;
}

}  // namespace

Config read_config() noexcept {
  Config config;
  config.names = switch_of("OMPDM_NAMES", true);
  config.finish = switch_of("OMPDM_FINISH", true);
  config.cupti = cupti_of_environment();
  config.verbose = switch_of("OMPDM_VERBOSE", false);
  config.hashing = hashing_of("OMPDM_HASH");
  config.output = kept("OMPDM_OUTPUT");
  if (config.output == nullptr) {
    config.output = "trace.json";
  }
  config.spool_dir = kept("OMPDM_SPOOL_DIR");
  config.cupti_library = kept("OMPDM_CUPTI_LIBRARY");
  config.session = kept("OMPDM_SESSION");
  config.command = kept("OMPDM_COMMAND");
  return config;
}

}  // namespace ompdm::record
