#include "trace/callers.h"

#include "trace/flang_names.h"
#include "trace/offload_names.h"

namespace ompdm::trace {
namespace {

bool is_system_library(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return name.starts_with("libc.so") || name.starts_with("libc-") ||
         name.starts_with("libpthread") || name.starts_with("ld-linux");
}

bool starts_programs(const std::string& function) {
  return function.starts_with("__libc_start_") || function == "_start";
}

}  // namespace

bool is_runtime_library(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  for (const char* library : {"libomp.so", "libomp5", "libomp-", "libomptarget", "libiomp5"}) {
    if (name.starts_with(library)) return true;
  }
  return false;
}

bool is_foreign_library(const std::string& path) {
  return is_runtime_library(path) || is_system_library(path);
}

std::vector<Frame> inlined_into(const Site& site, const CodePlace& place) {
  if (site.function.empty() || place.functions.empty()) return {};
  for (const std::string& function : place.functions) {
    // "f(int) [clone .cold]" is part of f.
    const std::string whole = function.substr(0, function.find(" ["));
    if (plain_function(whole) == plain_function(site.function)) return {};
  }
  std::vector<Frame> chain = {{site.function, site.file, site.line, site.column}};
  chain.push_back({place.functions.back(), place.file, 0, 0});
  return chain;
}

std::vector<Frame> callers_of(const SiteNote& note, const std::vector<Module>& modules,
                              Symbols& symbols) {
  std::vector<Frame> frames;
  std::size_t programs =
      0;  // up to the outermost that is not the C library's, which starts threads
  for (const CallerNote& caller : note.callers) {
    if (!caller.module || is_runtime_library(modules[caller.module.value].path)) continue;
    const bool is_system = is_system_library(modules[caller.module.value].path);
    const CodePlace& place = symbols.caller_at(caller.module, caller.address - 1);
    // main itself is not among these where all that it called was inlined into it.
    if (starts_programs(place.function)) break;
    // What the C library does not export has no name.
    if (is_system && place.functions.empty()) continue;
    if (place.inlined.empty()) {
      frames.push_back({place.function, place.file, place.line, place.column});
    } else {
      frames.insert(frames.end(), place.inlined.begin(), place.inlined.end());
    }
    if (!is_system) programs = frames.size();
    if (place.functions.empty()) continue;
    if (place.functions.back() == "main" || place.functions.back() == kMainProgram) break;
  }
  frames.resize(programs);
  return frames;
}

}  // namespace ompdm::trace
