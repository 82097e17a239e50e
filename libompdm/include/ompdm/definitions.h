// What the events of a trace refer to: where in the program, which data, by which kernels, on which
// devices. Part of the trace model (ompdm/trace.h).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ompdm/index.h"

namespace ompdm {

/// One source position of a call chain, innermost first.
struct Frame {
  std::string function;
  std::string file;
  int line = 0;
  int column = 0;
  auto operator<=>(const Frame&) const = default;
};

/// OpenMP's directives as the report names them. `target data` has two sites (begin and end) with
/// one source.
enum class Directive : std::uint8_t {
  kTarget,
  kTargetData,
  kTargetEnterData,
  kTargetExitData,
  kTargetUpdate,
  kApi,      ///< omp_target_memcpy and its like: no directive, but a line
  kRuntime,  ///< nothing in the program asked for it
};

/// A loaded object.
struct Module {
  std::string path;
  std::string build_id;  ///< lower-case hexadecimal, empty if it has none
  std::uint64_t bias = 0;
  bool operator==(const Module&) const = default;
};

/// The content of a source file, as the compiler read it.
struct SourceFile {
  std::string file;  ///< as other rows name it
  std::string md5;   ///< of all its bytes, lower-case hexadecimal
  bool operator==(const SourceFile&) const = default;
};

/// How a site's line came to be known.
enum class LineSource : std::uint8_t { kNone, kRuntime, kDwarf, kKernelName };

/// A place in the program that moved data or launched kernels. Sites with equal source are one row.
struct Site {
  Directive directive = Directive::kRuntime;
  std::string file;  ///< as the compiler was given it; empty if unknown
  int line = 0;      ///< of the #pragma; 0 if unknown
  int column = 0;
  std::string function;  ///< demangled, without parameters where the compiler gives none
  LineSource source = LineSource::kNone;
  std::string api;  ///< the API routine ("omp_target_memcpy"), empty otherwise or if unknown
  Index<Module> module;
  std::uint64_t address = 0;  ///< codeptr_ra minus the module's bias
  std::vector<Frame>
      inlined;  ///< call chain by inlining at `address`, innermost first; may be empty
  /// Who called `function` when the site was first met, innermost first, inlined calls included:
  /// the first is the caller of the function that `address` lies in. Other calls of it may have
  /// come from elsewhere. Empty if unknown.
  std::vector<Frame> callers;
  bool operator==(const Site&) const = default;
};

/// A piece of host storage, or pieces that were first mapped by one clause.
struct Variable {
  std::string name;        ///< base name as first mapped: "u", "s.p", "*p"; "" if unknown
  std::string expression;  ///< as the clause has it: "u[0:n*n]"
  std::string file;        ///< where the variable's map clause (or declaration) is, as clang tells
  int line = 0;
  std::uint64_t address = 0;         ///< of the first piece
  std::uint64_t bytes = 0;           ///< largest extent that was mapped
  std::uint32_t pieces = 1;          ///< distinct pieces of storage under this name
  std::vector<std::string> aliases;  ///< other names by which the same storage was mapped
  std::uint64_t least_bytes = 0;     ///< smallest extent that was mapped; 0: all were alike
  /// Its elements are pointers, as far as debug information tells: a kernel that writes them may
  /// leave there where other data lies.
  bool holds_pointers = false;
  bool operator==(const Variable&) const = default;
};

/// A `declare target` variable, which any kernel of its module may name.
struct DeviceVariable {
  Index<Module> module;
  std::string name;
  std::uint64_t address = 0;  ///< on the host, minus the module's bias
  std::uint64_t bytes = 0;
  bool holds_pointers = false;  ///< or may: its type is not known
  bool operator==(const DeviceVariable&) const = default;
};

/// As many items are told of a directive's list; what it has besides is lost (records_too_large).
inline constexpr std::size_t kMostMapItems = 1400;

/// One mapped item of a directive's instance.
struct MapItem {
  Index<Variable> variable;
  std::string name;  ///< as the clause has it
  std::uint64_t base = 0;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;  ///< of a non-contiguous section those that it names; 0: not known
  std::uint64_t type = 0;   ///< libomptarget's map type bits (OMP_TGT_MAPTYPE_*)
  /// Line of the local variable that the name begins with, by debug information; 0: it begins with
  /// a parameter, with what is static or global, or that is not known.
  int local_line = 0;
  /// Line from which on the directive's function knows all names in it; 0: not known.
  int scope_line = 0;
  bool by_mapper = false;  ///< a `declare mapper` made components of it
  bool aggregate = false;  ///< an array, struct or class as a whole, by debug information
  /// Its value may be the address of device memory in which pointers lie (`is_device_ptr(table)`).
  bool hands_table = false;
  bool operator==(const MapItem&) const = default;
};

/// A target region's code.
struct Kernel {
  std::string name;      ///< entry name: "__omp_offloading_fd00_1234__Z4heatv_l41"
  std::string function;  ///< demangled function that holds it
  std::string file;
  int line = 0;
  bool operator==(const Kernel&) const = default;
};

/// A device, or the host.
struct Device {
  std::int32_t number = 0;
  std::string type;  ///< as the runtime tells: "generic-64bit", "sm_90"
  std::string name;
  bool is_host = false;   ///< the initial device (its number is omp_get_num_devices())
  bool emulated = false;  ///< a host process or thread that plays a device
  // Of CUDA devices, as the driver tells; 0: unknown.
  std::uint32_t multiprocessors = 0;
  std::uint32_t threads_per_multiprocessor = 0;
  std::uint32_t blocks_per_multiprocessor = 0;
  std::uint32_t registers_per_multiprocessor = 0;
  std::uint32_t shared_per_multiprocessor = 0;  ///< bytes
  bool operator==(const Device&) const = default;
};

/// A thread of the host that offloaded.
struct Thread {
  std::uint32_t tid = 0;  ///< kernel thread id
  bool operator==(const Thread&) const = default;
};

}  // namespace ompdm
