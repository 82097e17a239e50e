// How the program came to its directives: calls, and the loops of the code around them. Part of the
// trace model (ompdm/trace.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ompdm/definitions.h"
#include "ompdm/index.h"

namespace ompdm {

/// A directive of which it is not known what it does.
struct UnreachedDirective {
  Directive directive = Directive::kTarget;
  Frame place;
  /// A target region that its if() may run on the host, which nothing tells: never or at times.
  bool on_host = false;
  auto operator<=>(const UnreachedDirective&) const = default;
};

/// Whether code makes arrays on the host: by malloc, operator new[], omp_alloc or the like.
enum class MakesMemory : std::uint8_t {
  kUnknown,  ///< some of what it calls could not be read
  kNo,       ///< nor single objects, which strings and containers keep their content in
  kBelow,    ///< functions that it calls may; or single objects are made
  kItself,
};

/// A loop of a function as the compiler left it, that some call of a path lies in: a natural loop
/// of its machine code.
struct CodeLoop {
  std::string function;  ///< demangled; where it was inlined, the one that was
  std::string file;
  int line = 0;  ///< of the branch that leads back, which compilers give the `for`'s; 0 if unknown
  int column = 0;
  Index<CodeLoop> parent;  ///< the loop around it in the same function
  /// Its passes can be counted by what is recorded: none is without, and no two look like one.
  bool counts_all = false;
  /// It may be left and entered anew without anything being recorded in between: in one call of its
  /// function, or in two that follow one another.
  bool entered_unseen = false;
  bool called_unseen = false;
  /// No loop of the code any more: copies of the same calls, one behind the other, which is what
  /// the compiler makes of a loop that it unrolls, or of a function that is called again and again.
  /// The place is that of the call which each repetition begins with.
  bool unrolled = false;
  /// The first few directives that its passes may come to, in its own code and in functions that
  /// this calls, and none of them did: another input may. By their places; those without one, and
  /// those behind calls by a pointer that was never followed, are not known.
  std::vector<UnreachedDirective> unreached = {};
  MakesMemory makes_memory = MakesMemory::kUnknown;
  /// The line is one in the loop, and it begins in another: code of it lies before that, as it
  /// does where the branch is that of a condition at the end (`do`), or of a `break`.
  bool begin_unknown = false;
  bool operator==(const CodeLoop&) const = default;
};

/// Rows [first, last] of Trace::call_places. Those of one function follow one another there, in the
/// order of their addresses.
struct CallRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  bool operator==(const CallRange&) const = default;
};

/// An instruction that calls: a directive's own call of the runtime, or one above it.
struct CallPlace {
  Index<Module> module;
  std::uint64_t address = 0;  ///< return address minus the module's bias
  std::vector<Frame> frames;  ///< its place in the source, innermost first where calls were inlined
  /// Address where its function begins, or the part of it that the call is in; 0: not known.
  std::uint64_t function = 0;
  std::uint64_t called =
      0;                   ///< address of the function that it calls; 0: not known, as of a pointer
  bool code_read = false;  ///< false: of loops around it nothing is known
  Index<CodeLoop> loop;    ///< the innermost around it
  /// Which calls may follow within one pass of the innermost loop that both lie in, or in one call
  /// of the function if they share none: of the same function alone.
  std::vector<CallRange> onward;
  /// Which calls may follow as the begin of the next repetition, where `loop` is unrolled.
  std::vector<CallRange> repeats;
  /// Addresses of functions that may go on in its function's place after it (tail calls).
  std::vector<std::uint64_t> tail_calls;
  bool operator==(const CallPlace&) const = default;
};

/// A call, and how its function was called: a node of the calling context tree (Ammons, Ball,
/// Larus, Exploiting Hardware Performance Counters with Flow and Context Sensitive Profiling,
/// 1997).
struct CallPath {
  Index<CallPath> caller;  ///< none: the program or a thread begins there, or more is not known
  Index<CallPlace> place;
  /// Where on the thread's stack its return address lay: tells apart levels of a recursion. The
  /// frame of the function that calls lies above it, up to `frame_end`.
  std::uint64_t stack = 0;
  std::uint64_t frame_end = 0;  ///< where that function's own return address lay; 0: not known
  bool operator==(const CallPath&) const = default;
};

}  // namespace ompdm
