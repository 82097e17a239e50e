#include "record/config.h"

#include <stdlib.h>
#include <string.h>

#include "record/recorder.h"

namespace ompdm::record {

namespace {

// A copy of a variable for the life of the process; null if it is unset or empty.
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

// Whether a variable holds the first of two words, which is the default.
bool is_first_of(const char* name, const char* first, const char* second) noexcept {
  const char* value = getenv(name);
  if (value == nullptr || value[0] == '\0' || strcmp(value, first) == 0) {
    return true;
  }
  if (strcmp(value, second) == 0) {
    return false;
  }
  say("%s=%s: neither %s nor %s: '%s' is used", name, value, first, second, first);
  return true;
}

// Digits and at most one point, "3", "0.5", "12.5%": up to 100. The C library's functions
// depend on the program's locale.
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

// A number followed by the name of a unit, in the smallest unit. 0 if the text is neither.
struct Unit {
  const char* name;
  std::uint64_t size;
};
template <std::size_t Count>
std::uint64_t parse_amount(const char* text, const Unit (&units)[Count]) noexcept {
  std::uint64_t value = 0;
  const char* at = text;
  constexpr std::uint64_t kMost = ~std::uint64_t{0} / 2;
  for (; *at >= '0' && *at <= '9'; ++at) {
    const auto digit = static_cast<std::uint64_t>(*at - '0');
    value = value > (kMost - digit) / 10 ? kMost : 10 * value + digit;
  }
  for (const Unit& unit : units) {
    if (at != text && strcmp(at, unit.name) == 0 && value <= kMost / unit.size) {
      return value * unit.size;
    }
  }
  return 0;
}

std::uint64_t time_of(const char* name) noexcept {
  static constexpr Unit kUnits[] = {{"", 1'000'000'000},        {"s", 1'000'000'000},
                                    {"ms", 1'000'000},          {"us", 1'000},
                                    {"min", 60'000'000'000ULL}, {"m", 60'000'000'000ULL},
                                    {"h", 3'600'000'000'000ULL}};
  const char* value = getenv(name);
  if (value == nullptr || value[0] == '\0' || strcmp(value, "0") == 0) {
    return 0;
  }
  const std::uint64_t time = parse_amount(value, kUnits);
  if (time == 0) {
    say("%s=%s: no time as 30s, 500ms or 2min: all of the run is told", name, value);
  }
  return time;
}

std::uint64_t size_of(const char* name) noexcept {
  static constexpr Unit kUnits[] = {{"", 1},
                                    {"K", 1'000},
                                    {"M", 1'000'000},
                                    {"G", 1'000'000'000},
                                    {"T", 1'000'000'000'000ULL},
                                    {"KB", 1'000},
                                    {"MB", 1'000'000},
                                    {"GB", 1'000'000'000},
                                    {"TB", 1'000'000'000'000ULL},
                                    {"KiB", std::uint64_t{1} << 10U},
                                    {"MiB", std::uint64_t{1} << 20U},
                                    {"GiB", std::uint64_t{1} << 30U}};
  const char* value = getenv(name);
  if (value == nullptr || value[0] == '\0') {
    return 0;
  }
  if (strcmp(value, "none") == 0) {
    return ~std::uint64_t{0};
  }
  const std::uint64_t size = parse_amount(value, kUnits);
  if (size == 0) {
    say("%s=%s: neither none nor a size as 500M or 2G: a tenth of the free space is used", name,
        value);
  }
  return size;
}

// FILE:LINE
void take_until(Config& config) noexcept {
  const char* value = kept("OMPDM_UNTIL");
  if (value == nullptr) {
    return;
  }
  static constexpr Unit kLines[] = {{"", 1}};
  const char* colon = strrchr(value, ':');
  config.until_line = colon != nullptr ? parse_amount(colon + 1, kLines) : 0;
  constexpr std::uint64_t kMostLine = 2'147'483'647;
  if (colon == value || config.until_line == 0 || config.until_line > kMostLine) {
    say("OMPDM_UNTIL=%s: not FILE:LINE: all of the run is told", value);
    return;
  }
  const_cast<char*>(value)[colon - value] = '\0';
  config.until_file = value;
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
  config.cupti = is_first_of("OMPDM_CUPTI", "auto", "off");
  config.verbose = switch_of("OMPDM_VERBOSE", false);
  config.hashing = hashing_of("OMPDM_HASH");
  config.events = is_first_of("OMPDM_DETAIL", "events", "tallies");
  config.after = time_of("OMPDM_AFTER");
  config.duration = time_of("OMPDM_DURATION");
  config.max_spool = size_of("OMPDM_MAX_SPOOL");
  take_until(config);
  config.output = kept("OMPDM_OUTPUT");
  if (config.output == nullptr) {
    config.output = "";  // trace.json, here
  }
  config.spool_dir = kept("OMPDM_SPOOL_DIR");
  config.cupti_library = kept("OMPDM_CUPTI_LIBRARY");
  config.session = kept("OMPDM_SESSION");
  config.command = kept("OMPDM_COMMAND");
  return config;
}

}  // namespace ompdm::record
