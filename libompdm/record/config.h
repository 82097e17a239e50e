// The recorder's settings, from environment variables. Read once at attach; a bad value is
// reported and the default is used.
#pragma once

#include <cstdint>

namespace ompdm::record {

/// Shares of the transferred bytes that are hashed, in millionths.
inline constexpr std::uint32_t kHashNothing = 0;
inline constexpr std::uint32_t kHashEverything = ~std::uint32_t{0};
inline constexpr std::uint32_t kHashDefault = 30'000;

/// The settings, with their defaults.
struct Config {
  bool names = true;     ///< OMPDM_NAMES: patch `__tgt_*`: names, lines, call paths
  bool finish = true;    ///< OMPDM_FINISH: start `ompdm finish` at the end
  bool cupti = true;     ///< OMPDM_CUPTI: `auto` or `off`
  bool verbose = false;  ///< OMPDM_VERBOSE
  /// OMPDM_HASH: share of the bytes to hash, in millionths; `off` is kHashNothing, `full`
  /// kHashEverything
  std::uint32_t hashing = kHashDefault;
  /// OMPDM_CHECK: the byte that device memory is filled with, 0 to 255; -1: it is not set
  int fill = -1;
  bool fences_behind =
      true;            ///< OMPDM_CHECK: blocks end at a fence (behind), else begin at one (before)
  bool events = true;  ///< OMPDM_DETAIL: `events`, or `tallies` to aggregate all
  std::uint64_t after = 0;      ///< OMPDM_AFTER: nanoseconds until events are recorded
  std::uint64_t duration = 0;   ///< OMPDM_DURATION: nanoseconds of events; 0: to the end
  std::uint64_t max_spool = 0;  ///< OMPDM_MAX_SPOOL: bytes; 0: a tenth of the free space
  /// OMPDM_UNTIL, FILE:LINE: events are recorded until this directive is first reached.
  const char* until_file = nullptr;
  std::uint64_t until_line = 0;
  const char* output = "";  ///< OMPDM_OUTPUT, placeholders not yet replaced; "": trace.json, here
  const char* spool_dir = nullptr;      ///< OMPDM_SPOOL_DIR, null if unset
  const char* cupti_library = nullptr;  ///< OMPDM_CUPTI_LIBRARY, null if unset
  const char* session = nullptr;        ///< OMPDM_SESSION: where processes report to `ompdm record`
  const char* command = nullptr;  ///< OMPDM_COMMAND: the `ompdm` to start; null: beside the library
};

/// Reads the environment. Texts are copied, since programs may change their environment.
Config read_config() noexcept;

}  // namespace ompdm::record
