// Where CUPTI's library may lie.
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include <cstddef>

namespace ompdm::spool {

/// The supported major versions of CUPTI.
inline constexpr int kOldestCuptiMajor = 11;
inline constexpr int kNewestCuptiMajor = 13;

/// The newest major version of CUPTI that works with a driver of this CUDA version (12040 is 12.4;
/// 0: unknown).
constexpr int newest_cupti_for(int driver_version) noexcept {
  const int major = driver_version / 1000;
  return major >= kOldestCuptiMajor ? major : kNewestCuptiMajor;
}

/// Calls `look` with each path that CUPTI of this major version may have in a folder, until it
/// returns true. An empty folder gives names for the loader. Returns whether `look` did.
template <class Look>
bool look_for_cupti_in(const char* folder, int major, Look look) noexcept {
  char path[1024];
  const char* slash = folder[0] != '\0' ? "/" : "";
  snprintf(path, sizeof(path), "%s%slibcupti.so.%d", folder, slash, major);
  if (look(path)) {
    return true;
  }
  // CUDA 11 named its CUPTI by the minor version too.
  constexpr int kLastMinorOf11 = 8;
  for (int minor = kLastMinorOf11; major == kOldestCuptiMajor && minor >= 0; --minor) {
    snprintf(path, sizeof(path), "%s%slibcupti.so.%d.%d", folder, slash, major, minor);
    if (look(path)) {
      return true;
    }
  }
  return false;
}

/// The same in all places: beside CUDA's libraries (the absolute folders `beside`), where the
/// loader looks, where CUDA's installer puts it.
template <class Beside, class Look>
bool look_for_cupti(const Beside& beside, std::size_t beside_count, int major, Look look) noexcept {
  char folder[960];
  for (std::size_t i = 0; i < beside_count; ++i) {
    if (look_for_cupti_in(beside[i], major, look)) {
      return true;
    }
    snprintf(folder, sizeof(folder), "%s/../extras/CUPTI/lib64", beside[i]);
    if (look_for_cupti_in(folder, major, look)) {
      return true;
    }
  }
  if (look_for_cupti_in("", major, look)) {
    return true;
  }
  char versioned[64];
  snprintf(versioned, sizeof(versioned), "/usr/local/cuda-%d", major);
  const char* roots[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda", versioned};
  static constexpr const char* kPlaces[] = {"extras/CUPTI/lib64", "targets/x86_64-linux/lib",
                                            "targets/sbsa-linux/lib", "lib64"};
  for (const char* root : roots) {
    for (const char* place : kPlaces) {
      if (root == nullptr || root[0] != '/') {
        continue;
      }
      snprintf(folder, sizeof(folder), "%s/%s", root, place);
      if (look_for_cupti_in(folder, major, look)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace ompdm::spool
