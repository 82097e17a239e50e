#include "machine_code/runtime_calls.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

namespace ompdm::trace {

namespace {

// Words, separated by spaces.
using Words = std::string_view;

bool any_word(Words words, auto is_it) {
  return std::ranges::any_of(std::views::split(words, ' '), [&](auto word) {
    return is_it(std::string_view(word.begin(), word.end()));
  });
}

bool is_one_of(std::string_view name, Words words) {
  return any_word(words, [&](std::string_view word) { return name == word; });
}

bool begins_as_one_of(std::string_view name, Words words) {
  return any_word(words, [&](std::string_view word) { return name.starts_with(word); });
}

// Functions of double; those of float have an f behind the name, those of long double an l.
constexpr Words kMath =
    "sin cos tan asin acos atan atan2 sinh cosh tanh exp exp2 expm1 log log2 log10 log1p pow sqrt "
    "cbrt hypot fabs fmod floor ceil fmin round trunc erf erfc fmax sincos rint ldexp";
// Other functions that allocate no host memory, and prefixes of such.
constexpr Words kHarmless =
    "free memcpy memmove memset memcmp strlen strcmp strncmp strcpy strncpy printf fprintf "
    "snprintf sprintf puts fputs putchar fputc putc fwrite fflush time clock exit abort "
    "clock_gettime gettimeofday rand srand random drand48 usleep nanosleep atoi atof perror "
    "getrusage omp_free rand_r __stack_chk_fail";
constexpr Words kHarmlessPrefixes =
    "__tgt_ __kmpc_ omp_get_ omp_set_ omp_is_ omp_target_memcpy omp_target_free omp_in_ _Zdl _Zda "
    "_ZNSt6chrono _ZNSo _ZStls _ZSt4endl _ZSt16__ostream __assert MPI_Send MPI_Recv MPI_Isend "
    "MPI_Irecv MPI_Wait MPI_Allreduce MPI_Reduce MPI_Bcast MPI_Barrier MPI_Sendrecv MPI_Wtime";
// Functions that allocate arrays: of C, POSIX, OpenMP 5.2 section 18.13, the runtimes, CUDA and the
// Itanium C++ ABI 5.1.5.
constexpr Words kArrays =
    "malloc calloc realloc reallocarray aligned_alloc memalign posix_memalign valloc pvalloc mmap "
    "mmap64 omp_alloc omp_calloc omp_realloc omp_aligned_alloc omp_aligned_calloc __kmpc_alloc "
    "__kmpc_aligned_alloc __kmpc_calloc __kmpc_realloc kmp_malloc kmp_calloc "
    "llvm_omp_target_alloc_host llvm_omp_target_alloc_shared hbw_malloc numa_alloc";
constexpr Words kArrayPrefixes =
    "_Zna cudaMallocHost cudaMallocManaged cudaHostAlloc cuMemAllocHost cuMemAllocManaged "
    "cuMemHostAlloc";

bool is_of_math(std::string_view import) {
  const bool has_suffix = import.ends_with('f') || import.ends_with('l');
  return is_one_of(import, kMath) ||
         (has_suffix && is_one_of(import.substr(0, import.size() - 1), kMath));
}

}  // namespace

HostMemory made_by(std::string_view import) {
  if (is_one_of(import, kArrays) || begins_as_one_of(import, kArrayPrefixes)) {
    return HostMemory::kArray;
  }
  if (import.starts_with("_Znw")) return HostMemory::kObject;
  const bool is_harmless = is_one_of(import, kHarmless) || is_of_math(import) ||
                           begins_as_one_of(import, kHarmlessPrefixes);
  return is_harmless ? HostMemory::kNone : HostMemory::kUnknown;
}

std::optional<Outlined> outlined_by(std::string_view import) {
  // LLVM's openmp/runtime/src/kmp.h, GCC's libgomp_g.h, POSIX. The first that the name begins with.
  static constexpr auto kKnown = std::to_array<std::pair<std::string_view, Outlined>>({
      {"__kmpc_omp_target_task_alloc", {6, true}},
      {"__kmpc_omp_task_alloc", {6, false}},
      {"__kmpc_omp_task", {}},
      {"__kmpc_fork_call", {3, false}},
      {"GOMP_parallel", {1, false}},
      {"GOMP_task", {1, false}},
      {"pthread_create", {3, false}},
      {"_ZNSt6thread15_M_start_thread", {}},
  });
  for (const auto& [name, outlined] : kKnown) {
    if (import.starts_with(name)) return outlined;
  }
  return std::nullopt;
}

namespace {

using Blocks = std::vector<bool>;

/// Whether a block ends with a branch on what its last call returned.
bool asks_for_result(const ModuleCode& code, const FlowGraph& flow, std::uint32_t block,
                     std::uint64_t call) {
  const std::uint64_t branch = flow.lasts[block];
  const auto next = flow.calls.upper_bound(call);
  if (branch < call || (next != flow.calls.end() && next->first <= branch)) return false;
  const auto ends_with = [&](const std::vector<unsigned>& wanted) {
    const auto bytes = code.bytes(branch - wanted.size(), wanted.size());
    return std::ranges::equal(bytes, wanted, {}, [](std::byte one) { return unsigned(one); });
  };
  return flow.successors[block].size() == 2 &&
         (ends_with({0x85, 0xc0}) || ends_with({0x83, 0xf8, 0x00}));  // test eax, cmp eax with 0
}

/// Where a block that does nothing but jump leads in the end.
std::uint32_t behind_jumps(const FlowGraph& flow, std::uint32_t block) {
  for (std::size_t steps = 0; steps < flow.begins.size(); ++steps) {
    const bool only_jumps =
        flow.begins[block] == flow.lasts[block] && flow.successors[block].size() == 1;
    if (!only_jumps) break;
    block = flow.successors[block].front();
  }
  return block;
}

/// The first call of a function in a block; null if there is none.
const CodeCall* first_call(const FlowGraph& flow, std::uint32_t block) {
  const auto call = flow.calls.upper_bound(flow.begins[block]);
  const bool is_there = call != flow.calls.end() && flow.block_at(call->first - 1) == block;
  return is_there && call->second.function != 0 ? &call->second : nullptr;
}

/// Whether some way leads around the launch, by its return address, to the kernel's host version.
/// False where that was inlined twice and calls nobody.
bool may_run_on_host(const ModuleCode& code, const FlowGraph& flow, std::uint64_t launch) {
  const std::uint32_t block = flow.block_at(launch - 1);
  if (!asks_for_result(code, flow, block, launch)) return false;
  // Copies of one launch are one.
  const CodeCall& own = flow.calls.at(launch);
  Blocks closed(flow.begins.size());
  closed[block] = true;
  for (const auto& [address, call] : flow.calls) {
    const bool is_copy = call.arguments[0] != 0 && call.arguments[0] == own.arguments[0] &&
                         call.function == own.function && call.pointer == own.pointer;
    if (is_copy) closed[flow.block_at(address - 1)] = true;
  }
  const Blocks around = reached_without(flow.successors, closed);
  const std::uint32_t one = behind_jumps(flow, flow.successors[block].front());
  const std::uint32_t other = behind_jumps(flow, flow.successors[block].back());
  if (around[one] && around[other]) return true;
  if (!around[one] && !around[other]) return false;
  // What only a launch leads to is the host version: does a copy of it lie elsewhere?
  const CodeCall* host = first_call(flow, around[one] ? other : one);
  if (host == nullptr) return false;
  const bool is_own =
      code.function_at(host->function).value_or(CodeRange()).begin == host->function;
  return std::ranges::any_of(flow.calls, [&](const auto& entry) {
    const auto& [address, call] = entry;
    return call.function == host->function && call.arguments[0] == host->arguments[0] &&
           (is_own || call.arguments[0] != 0) && around[flow.block_at(address - 1)];
  });
}

/// Entry points that only allocate or free device memory do nothing to data that clauses map.
bool maps_or_moves(std::string_view entry) {
  constexpr Words kPrefixes =
      "__tgt_target omp_target_mem omp_target_associate_ptr omp_target_disassociate_ptr";
  return begins_as_one_of(entry, kPrefixes);
}

/// A call at that address of an import, or of a function of the module itself.
void take_call(std::uint64_t at, const Import* import, std::uint64_t function, CodeCalls& found) {
  if (import != nullptr) {
    const HostMemory made = made_by(import->name);
    const bool is_elsewhere = made != HostMemory::kUnknown || import->address == 0;
    if (made != HostMemory::kNone && is_elsewhere) found.memory[at] = made;
    // What runs functions that it is handed may run others, too.
    if (outlined_by(import->name)) found.is_whole = false;
    function = import->address;
  } else if (function == 0) {
    found.is_whole = false;
  }
  if (function != 0) found.functions[at] = function;
}

}  // namespace

std::string_view RuntimeCalls::source_at(std::uint64_t ident) const {
  constexpr std::uint64_t kSource = 16;  // of ident_t, behind four ints
  const std::uint64_t text = ident == 0 ? 0 : imports_.target_of(ident + kSource);
  if (text == 0) return {};
  constexpr std::size_t kLongest = 8192;
  std::size_t size = 0;
  for (;; ++size) {
    const auto letter = code_.bytes(text + size, 1);
    if (letter.empty() || size == kLongest) return {};
    if (letter.front() == std::byte{0}) break;
  }
  const std::string_view source(reinterpret_cast<const char*>(code_.bytes(text, 1).data()), size);
  return source.starts_with(';') ? source : std::string_view();
}

CodeCalls RuntimeCalls::of(const FlowGraph& flow) const {
  CodeCalls found;
  for (const auto& [address, call] : flow.calls) {
    const Import* import =
        call.pointer != 0 ? imports_.at(call.pointer) : imports_.behind(call.function);
    if (import != nullptr && maps_or_moves(import->name)) {
      const bool launches = import->name == "__tgt_target_kernel";
      found.runtime[address] = {import->name, source_at(call.arguments[0]),
                                launches && may_run_on_host(code_, flow, address)};
      continue;
    }
    take_call(address, import, call.function, found);
    const auto outlined = import == nullptr ? std::nullopt : outlined_by(import->name);
    if (!outlined || outlined->argument == 0) continue;
    const std::uint64_t body = call.arguments[outlined->argument - 1];
    if (body != 0) (outlined->is_own ? found.functions : found.handed_over)[address] = body;
  }
  for (std::size_t block = 0; block < flow.tail_calls.size(); ++block) {
    const std::uint64_t next = flow.tail_calls[block];
    if (next != 0) take_call(flow.lasts[block], imports_.behind(next), next, found);
  }
  return found;
}

const CodeCalls& RuntimeCalls::in(std::uint64_t function) {
  const auto [at, is_new] = functions_.try_emplace(function);
  constexpr std::uint64_t kMost = 2 << 20;  // bytes, which take some tenths of a second
  if (!is_new) return at->second;
  at->second.is_whole = false;
  const auto range = code_.function_at(function);
  if (!range || range->begin != function) return at->second;
  bytes_ += range->end - range->begin;
  was_cut_ = was_cut_ || bytes_ >= kMost;
  const auto flow = bytes_ < kMost ? read_flow(code_, *range) : std::nullopt;
  if (!flow) return at->second;
  CodeCalls& found = at->second = of(*flow);
  // Exceptions are no way from the entry.
  const Blocks reached = reached_without(flow->successors, Blocks(flow->begins.size()));
  const auto by_exceptions = [&](const auto& call) {
    return !reached[flow->block_at(call.first - 1)];
  };
  std::erase_if(found.runtime, by_exceptions);
  std::erase_if(found.functions, by_exceptions);
  std::erase_if(found.handed_over, by_exceptions);
  std::erase_if(found.memory, by_exceptions);
  return found;
}

}  // namespace ompdm::trace
