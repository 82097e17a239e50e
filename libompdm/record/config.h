// The recorder's settings, from environment variables. Read once at attach; a bad value is
// reported and the default is used.
#pragma once

#include <cstdint>

namespace ompdm::record {

/// Shares are in millionths of the bytes that cross.
inline constexpr std::uint32_t kHashNothing = 0;
inline constexpr std::uint32_t kHashEverything = ~std::uint32_t{0};
inline constexpr std::uint32_t kHashDefault = 30'000;

struct Config {
  bool names = true;     ///< OMPDM_NAMES: patch `__tgt_*` to get names and lines, note call chains
  bool finish = true;    ///< OMPDM_FINISH: start `ompdm finish` at the end
  bool cupti = true;     ///< OMPDM_CUPTI: `auto` or `off`
  bool verbose = false;  ///< OMPDM_VERBOSE
  /// OMPDM_HASH: share of the bytes that may be hashed, in millionths; kHashNothing for `off`,
  /// kHashEverything for `full`
  std::uint32_t hashing = kHashDefault;
  bool events = true;           ///< OMPDM_DETAIL: `events`, or `tallies` to count them only
  std::uint64_t after = 0;      ///< OMPDM_AFTER: nanoseconds of the run that are counted only
  std::uint64_t duration = 0;   ///< OMPDM_DURATION: nanoseconds that are told then; 0: all
  std::uint64_t max_spool = 0;  ///< OMPDM_MAX_SPOOL: bytes; 0: a tenth of what is free
  const char* until_file =
      nullptr;                   ///< OMPDM_UNTIL: FILE:LINE of the directive that is told no more,
  std::uint64_t until_line = 0;  ///< nor what comes after it was first reached
  const char* output =
      nullptr;  ///< OMPDM_OUTPUT, placeholders not yet replaced; never null once read
  const char* spool_dir = nullptr;      ///< OMPDM_SPOOL_DIR, null if unset
  const char* cupti_library = nullptr;  ///< OMPDM_CUPTI_LIBRARY, null: found
  const char* session =
      nullptr;  ///< OMPDM_SESSION: the folder by which `ompdm record` follows processes
  const char* command =
      nullptr;  ///< OMPDM_COMMAND: the `ompdm` to start, null: found beside the library
};

/// Reads the environment; the texts are copied, since programs may change theirs.
Config read_config() noexcept;

}  // namespace ompdm::record
