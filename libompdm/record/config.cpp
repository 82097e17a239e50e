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

struct Word {
  const char* text;
  std::uint64_t value;
};

// A setting: one of some words, or of what `parse(value, number)` understands. The default if it is
// unset, or wrong, which `complaint` reports.
template <std::size_t Count, class Parse>
std::uint64_t setting(const char* name, std::uint64_t otherwise, const Word (&words)[Count],
                      const char* complaint, Parse parse) noexcept {
  const char* value = getenv(name);
  if (value == nullptr || value[0] == '\0') {
    return otherwise;
  }
  for (const Word& word : words) {
    if (strcmp(value, word.text) == 0) {
      return word.value;
    }
  }
  std::uint64_t number = 0;
  if (parse(value, number)) {
    return number;
  }
  say("%s=%s: %s", name, value, complaint);
  return otherwise;
}

template <std::size_t Count>
bool choice(const char* name, bool otherwise, const Word (&words)[Count],
            const char* complaint) noexcept {
  const auto no_number = [](const char* /*text*/, std::uint64_t& /*number*/) { return false; };
  return setting(name, otherwise ? 1 : 0, words, complaint, no_number) != 0;
}

bool switch_of(const char* name, bool otherwise) noexcept {
  static constexpr Word kWords[] = {{"on", 1},  {"1", 1}, {"yes", 1}, {"true", 1},
                                    {"off", 0}, {"0", 0}, {"no", 0},  {"false", 0}};
  return choice(
      name, otherwise, kWords,
      otherwise ? "neither on nor off: 'on' is used" : "neither on nor off: 'off' is used");
}

// Digits and at most one point, "3", "0.5", "12.5%": up to 100. The C library's functions
// depend on the program's locale.
bool parse_percent(const char* text, std::uint64_t& millionths) noexcept {
  std::uint64_t value = 0;
  std::uint64_t unit = 10'000;
  bool digits = false;
  constexpr std::uint64_t kWhole = 1'000'000;  // 100 % in millionths
  bool point = false;
  for (; *text != '\0' && strcmp(text, "%") != 0; ++text) {
    if (*text == '.' && !point) {
      point = true;
      continue;
    }
    if (*text < '0' || *text > '9' || value > kWhole) {
      return false;
    }
    const auto digit = static_cast<std::uint64_t>(*text - '0');
    if (point) {
      unit /= 10;
      value += digit * unit;
    } else {
      value = value * 10 + digit * unit;
    }
    digits = true;
  }
  millionths = value;
  return digits && value <= kWhole;
}

// A positive number followed by the name of a unit, in the smallest unit.
template <std::size_t Count>
bool parse_amount(const char* text, const Word (&units)[Count], std::uint64_t& amount) noexcept {
  constexpr std::uint64_t kMost = ~std::uint64_t{0} / 2;
  std::uint64_t value = 0;
  const char* at = text;
  for (; *at >= '0' && *at <= '9'; ++at) {
    const auto digit = static_cast<std::uint64_t>(*at - '0');
    value = value > (kMost - digit) / 10 ? kMost : 10 * value + digit;
  }
  for (const Word& unit : units) {
    if (strcmp(at, unit.text) == 0 && value <= kMost / unit.value) {
      amount = value * unit.value;
    }
  }
  return amount != 0;
}

std::uint64_t time_of(const char* name) noexcept {
  static constexpr Word kUnits[] = {{"", 1'000'000'000},        {"s", 1'000'000'000},
                                    {"ms", 1'000'000},          {"us", 1'000},
                                    {"min", 60'000'000'000ULL}, {"m", 60'000'000'000ULL},
                                    {"h", 3'600'000'000'000ULL}};
  static constexpr Word kWords[] = {{"0", 0}};
  return setting(
      name, 0, kWords, "no time as 30s, 500ms or 2min: all of the run is told",
      [](const char* text, std::uint64_t& time) { return parse_amount(text, kUnits, time); });
}

std::uint64_t size_of(const char* name) noexcept {
  static constexpr Word kUnits[] = {{"", 1},
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
  static constexpr Word kWords[] = {{"none", ~std::uint64_t{0}}};
  return setting(
      name, 0, kWords, "neither none nor a size as 500M or 2G: a tenth of the free space is used",
      [](const char* text, std::uint64_t& size) { return parse_amount(text, kUnits, size); });
}

// FILE:LINE
void take_until(Config& config) noexcept {
  const char* value = kept("OMPDM_UNTIL");
  if (value == nullptr) {
    return;
  }
  static constexpr Word kLines[] = {{"", 1}};
  const char* colon = strrchr(value, ':');
  constexpr std::uint64_t kMostLine = 2'147'483'647;
  if (colon == nullptr || colon == value || !parse_amount(colon + 1, kLines, config.until_line) ||
      config.until_line > kMostLine) {
    say("OMPDM_UNTIL=%s: not FILE:LINE: all of the run is told", value);
    return;
  }
  const_cast<char*>(value)[colon - value] = '\0';
  config.until_file = value;
}

// The fill as two hexadecimal digits, a colon, and "behind" or "before": "5a:behind".
void take_check(Config& config) noexcept {
  const char* value = getenv("OMPDM_CHECK");
  if (value == nullptr || value[0] == '\0') {
    return;
  }
  int fill = 0;
  int digits = 0;
  for (; digits < 2; ++digits) {
    const char digit = value[digits];
    const int number = digit >= '0' && digit <= '9'   ? digit - '0'
                       : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                                                      : -1;
    if (number < 0) {
      break;
    }
    fill = 16 * fill + number;
  }
  const bool ends = digits == 2 && strcmp(value + 2, ":behind") == 0;
  if (!ends && (digits < 2 || strcmp(value + 2, ":before") != 0)) {
    say("OMPDM_CHECK=%s: no byte and place as 5a:behind or a5:before: nothing is checked", value);
    return;
  }
  config.fill = fill;
  config.fences_behind = ends;
}

}  // namespace

Config read_config() noexcept {
  Config config;
  config.names = switch_of("OMPDM_NAMES", true);
  config.finish = switch_of("OMPDM_FINISH", true);
  config.cupti = choice("OMPDM_CUPTI", true, {{"auto", 1}, {"off", 0}},
                        "neither auto nor off: 'auto' is used");
  config.verbose = switch_of("OMPDM_VERBOSE", false);
  config.hashing = static_cast<std::uint32_t>(
      setting("OMPDM_HASH", kHashDefault, {{"off", kHashNothing}, {"full", kHashEverything}},
              "neither off, full nor a percentage of the bytes: 3 is used", parse_percent));
  config.events = choice("OMPDM_DETAIL", true, {{"events", 1}, {"tallies", 0}},
                         "not 'events' or 'tallies': 'events' is used");
  config.after = time_of("OMPDM_AFTER");
  config.duration = time_of("OMPDM_DURATION");
  config.max_spool = size_of("OMPDM_MAX_SPOOL");
  take_until(config);
  take_check(config);
  if (const char* output = kept("OMPDM_OUTPUT")) {
    config.output = output;
  }
  config.spool_dir = kept("OMPDM_SPOOL_DIR");
  config.cupti_library = kept("OMPDM_CUPTI_LIBRARY");
  config.session = kept("OMPDM_SESSION");
  config.command = kept("OMPDM_COMMAND");
  return config;
}

}  // namespace ompdm::record
