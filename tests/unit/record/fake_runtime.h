// An OpenMP runtime played by hand. It starts the recorder as libomp does, and calls callbacks in
// any order that a test wants. It has LLVM's habits (one target_data slot a thread, ids that
// persist).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/ompt.h"
#include "record/ompt_callbacks.h"

namespace ompdm::test {

inline constexpr int kHost = 4;  ///< the fake's initial device

class FakeRuntime {
 public:
  /// `answer` is what set_callback says to every registration (5: always).
  explicit FakeRuntime(int answer = 5);

  /// ompt_start_tool and initialize, then device_initialize for devices 0 and 1.
  void attach();
  /// The end of a process: atexit handlers have begun, then finalize.
  void finish();
  /// omp_pause_resource_all: finalize while the process goes on.
  static void pause();

  /// Another device_initialize.
  static void device(int number, const char* type);
  static void begin(int kind, int device, const void* codeptr);
  static void end(int kind, int device, const void* codeptr);
  /// A data operation, both endpoints, in the region that runs on this thread or in none.
  static void op(int optype, const void* src, int src_device, const void* dst, int dst_device,
                 std::size_t bytes, const void* codeptr);
  static void op_endpoint(ompt_scope_endpoint_t endpoint, int optype, const void* src,
                          int src_device, const void* dst, int dst_device, std::size_t bytes,
                          const void* codeptr);
  static void submit(unsigned teams);
  /// A submit that has not returned yet.
  static void submit_begin(unsigned teams);
  static void submit_end(unsigned teams);
};

/// An address that can stand for code or data; `n` tells them apart.
inline const void* address(std::uint64_t n) { return reinterpret_cast<const void*>(n); }

}  // namespace ompdm::test
