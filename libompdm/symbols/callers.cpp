#include "symbols/callers.h"

#include <algorithm>

#include "symbols/symbol_names.h"

namespace ompdm::trace {

namespace {

bool is_named(const std::string& path, std::initializer_list<const char*> beginnings) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return std::ranges::any_of(beginnings,
                             [&](const char* beginning) { return name.starts_with(beginning); });
}

bool is_system_library(const std::string& path) {
  return is_named(path, {"libc.so", "libc-", "libpthread", "ld-linux"});
}

bool starts_programs(const std::string& function) {
  return function.starts_with("__libc_start_") || function == "_start";
}

/// "f(int) [clone .cold]" is part of f.
bool is_same_function(const std::string& one, const std::string& other) {
  const auto whole = [](const std::string& name) { return name.substr(0, name.find(" [")); };
  return plain_function(whole(one)) == plain_function(whole(other));
}

}  // namespace

bool is_runtime_library(const std::string& path) {
  return is_named(path, {"libomp.so", "libomp5", "libomp-", "libomptarget", "libiomp5"});
}

bool is_foreign_library(const std::string& path) {
  return is_runtime_library(path) || is_system_library(path);
}

std::vector<Frame> inlined_at(const Site& site, const CodePlace& place) {
  if (site.function.empty() || place.functions.empty()) return place.inlined;
  const Frame own = {site.function, site.file, site.line, site.column};
  if (!place.inlined.empty()) {
    const Frame& told = place.inlined.front();
    if (told.file == own.file && told.line == own.line) return place.inlined;
    const auto at = std::ranges::find_if(place.inlined, [&](const Frame& frame) {
      return is_same_function(frame.function, own.function);
    });
    if (at == place.inlined.begin()) return place.inlined;
    if (at + 1 == place.inlined.end()) return {};
    if (at != place.inlined.end()) {
      std::vector<Frame> chain(at, place.inlined.end());
      chain.front() = own;
      return chain;
    }
  }
  const auto is_own = [&](const std::string& name) { return is_same_function(name, own.function); };
  if (std::ranges::any_of(place.functions, is_own)) return {};
  const std::string& file = place.inlined.empty() ? place.file : place.inlined.back().file;
  return {own, {place.functions.back(), file, 0, 0}};
}

std::vector<Frame> callers_of(const SiteExtra& extra, const std::vector<Module>& modules,
                              Symbols& symbols) {
  std::vector<Frame> frames;
  std::size_t kept = 0;  // without the outermost frames, of the C library, which starts threads
  for (const DecodedFrame& caller : extra.callers) {
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
    if (!is_system) kept = frames.size();
    if (place.functions.empty()) continue;
    if (place.functions.back() == "main" || place.functions.back() == kMainProgram) break;
  }
  frames.resize(kept);
  return frames;
}

}  // namespace ompdm::trace
