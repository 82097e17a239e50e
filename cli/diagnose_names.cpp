#include "diagnosis.h"

namespace ompdm::cli {
namespace {

using Level = Finding::Level;

}  // namespace

Finding examine_names(const ElfFile& code) {
  if (code.has_debug_info) return {Level::kOk, "debug information: lines and variable names", ""};
  if (code.tells_names) {
    return {Level::kOk,
            "no debug information is left, but the code itself tells lines and variable names", ""};
  }
  return {Level::kWarn,
          code.has_symbols
              ? "no debug information: functions and lines, but no files and no variable names"
              : "stripped, and built without -g: no files and no variable names",
          "build it with -g (any optimisation level) to get them"};
}

}  // namespace ompdm::cli
