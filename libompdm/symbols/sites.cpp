// The place in the source of each directive and API call, and the functions that led there.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "machine_code/flow_graph.h"
#include "spool_reader/passes.h"
#include "symbols/symbol_names.h"

namespace ompdm::trace {

namespace {

bool starts_programs(const std::string& function) {
  return function.starts_with("__libc_start_") || function == "_start";
}

/// "f(int) [clone .cold]" is part of f.
bool is_same_function(const std::string& one, const std::string& other) {
  const auto whole = [](const std::string& name) { return name.substr(0, name.find(" [")); };
  return plain_function(whole(one)) == plain_function(whole(other));
}

/// The chain of inlined calls that a directive is in; empty if there is none. A directive's own
/// call may have no place in the line table: then the debug information knows only what it was
/// inlined into (line 0), or takes it for part of what stands before it. The runtime's arguments,
/// or the kernel's name, which `site` has, know better.
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

/// The program's functions of a chain of return addresses, up to main.
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
      frames.push_back(place);
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

/// The calls that the site's function was inlined by, where the host version of its kernel stands
/// at an address; empty if it does not.
std::vector<Frame> chain_at(const Site& site, const CodePlace& place) {
  // What the compiler outlined counts as a function, and is no frame of its own.
  if (place.inlined.empty() || place.functions.size() == place.inlined.size()) return {};
  const Frame& own = place.inlined.front();
  if (own.line != site.line || plain_function(own.function) != plain_function(site.function))
    return {};
  std::vector<Frame> chain = place.inlined;
  chain.front() = {site.function, site.file, site.line, site.column};
  return chain;
}

/// Gives a kernel's site the chain of inlined calls that it is in, where some of that is not known.
void learn_inlined_calls(Site& site, Symbols& symbols) {
  const bool has_gap = std::ranges::any_of(
      site.inlined, [](const Frame& frame) { return frame.line <= 0 && !frame.file.empty(); });
  if (!has_gap) return;
  constexpr std::uint64_t kMostBytes = 64;  // of a block that are looked at
  const ModuleCode* code = symbols.code(site.module);
  const auto function = code == nullptr ? std::nullopt : code->function_at(site.address - 1);
  if (!function || site.address >= function->end) return;
  const auto flow = read_flow(*code, *function);
  if (!flow) return;
  for (const std::uint32_t next : flow->successors[flow->block_at(site.address)]) {
    const std::uint64_t begin = flow->begins[next];
    const std::uint64_t end = std::min(flow->lasts[next] + 1, begin + kMostBytes);
    for (std::uint64_t address = begin; address < end; ++address) {
      std::vector<Frame> chain = chain_at(site, symbols.at(site.module, address));
      if (chain.empty()) continue;
      site.inlined = std::move(chain);
      return;
    }
  }
}

enum Kind : std::uint8_t { kTarget = 1, kEnter = 2, kExit = 3, kUpdate = 4 };

// Kernel entries by the address that a launch names, and by their module: another one may have lain
// there before.
using KernelNames = std::map<std::pair<std::uint64_t, std::uint32_t>, const OffloadSymbol*>;

KernelNames kernel_names(const DecodedTrace& decoded) {
  KernelNames names;
  for (const OffloadSymbol& symbol : decoded.symbols) {
    if (symbol.size == 0) names[{symbol.address, symbol.module.value}] = &symbol;
  }
  return names;
}

// The entry of the module that launches it, else of any that has one there.
const OffloadSymbol* entry_at(const KernelNames& names, Index<Module> module,
                              std::uint64_t address) {
  if (address == 0) return nullptr;
  auto at = names.find({address, module.value});
  if (at == names.end()) at = names.lower_bound({address, 0});
  return at != names.end() && at->first.first == address ? at->second : nullptr;
}

// A construct that ran before its library was patched has no names; a later execution of the same
// call may have them.
void lend_names(DecodedTrace& decoded) {
  std::map<std::tuple<std::uint32_t, std::uint64_t>, std::size_t> named;
  for (std::size_t i = 0; i < decoded.site_extras.size(); ++i) {
    const SiteExtra& extra = decoded.site_extras[i];
    if (!extra.psource.empty()) named[{decoded.trace.sites[i].module.value, extra.codeptr}] = i;
  }
  for (std::size_t i = 0; i < decoded.site_extras.size(); ++i) {
    SiteExtra& extra = decoded.site_extras[i];
    if (!extra.psource.empty()) continue;
    const auto at = named.find({decoded.trace.sites[i].module.value, extra.codeptr});
    if (at == named.end()) continue;
    const SiteExtra& lender = decoded.site_extras[at->second];
    extra.psource = lender.psource;
    if (extra.entry == spool::Entry::kNone) extra.entry = lender.entry;
    if (extra.names.empty()) extra.names = lender.names;
    if (extra.kernel == 0) extra.kernel = lender.kernel;
  }
}

const char* api_name(spool::Entry entry) {
  using spool::Entry;
  static const std::map<Entry, const char*> kNames = {
      {Entry::kMemcpy, "omp_target_memcpy"},
      {Entry::kMemcpyRect, "omp_target_memcpy_rect"},
      {Entry::kMemset, "omp_target_memset"},
      {Entry::kMemcpyAsync, "omp_target_memcpy_async"},
      {Entry::kMemcpyRectAsync, "omp_target_memcpy_rect_async"},
      {Entry::kMemsetAsync, "omp_target_memset_async"}};
  const auto at = kNames.find(entry);
  return at == kNames.end() ? "" : at->second;
}

// The routine that makes an operation outside of regions; "" where several do.
const char* api_name(OpKind kind) {
  if (kind == OpKind::kAlloc) return "omp_target_alloc";
  if (kind == OpKind::kDelete) return "omp_target_free";
  if (kind == OpKind::kAssociate) return "omp_target_associate_ptr";
  return kind == OpKind::kDisassociate ? "omp_target_disassociate_ptr" : "";
}

bool is_nowait(spool::Entry entry) {
  using spool::Entry;
  return entry == Entry::kDataBeginNowait || entry == Entry::kDataEndNowait ||
         entry == Entry::kDataUpdateNowait || entry == Entry::kKernelNowait;
}

// By the region's kind; of a site without regions by the entry point.
Directive directive_of(std::uint8_t kind, spool::Entry entry) {
  using spool::Entry;
  if (kind == kTarget) return Directive::kTarget;
  if (kind == kEnter) return Directive::kTargetEnterData;
  if (kind == kExit) return Directive::kTargetExitData;
  if (kind == kUpdate) return Directive::kTargetUpdate;
  const auto is_either = [entry](Entry own, Entry nowait) {
    return entry == own || entry == nowait;
  };
  if (is_either(Entry::kDataBegin, Entry::kDataBeginNowait)) return Directive::kTargetEnterData;
  if (is_either(Entry::kDataEnd, Entry::kDataEndNowait)) return Directive::kTargetExitData;
  if (is_either(Entry::kDataUpdate, Entry::kDataUpdateNowait)) return Directive::kTargetUpdate;
  if (is_either(Entry::kKernel, Entry::kKernelNowait)) return Directive::kTarget;
  return Directive::kApi;
}

void name_directives(DecodedTrace& decoded) {
  Trace& trace = decoded.trace;
  std::vector<std::uint8_t> kinds(trace.sites.size(), kNoKind);
  for (std::size_t i = 0; i < trace.regions.size(); ++i) {
    const Index<Site> site = trace.regions.common(i).site;
    if (site) kinds[site.value] = decoded.region_extras[i].kind;
  }
  // A begin and an end that stand at one place in the source are a `target data`.
  std::set<std::string_view> begins;
  std::set<std::string_view> ends;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const SiteExtra& extra = decoded.site_extras[i];
    if (!parse_source(extra.psource)) continue;
    if (kinds[i] == kEnter && extra.entry == spool::Entry::kDataBegin) begins.insert(extra.psource);
    if (kinds[i] == kExit && extra.entry == spool::Entry::kDataEnd) ends.insert(extra.psource);
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const std::string& psource = decoded.site_extras[i].psource;
    Site& site = trace.sites[i];
    site.directive = directive_of(kinds[i], decoded.site_extras[i].entry);
    const bool is_data = kinds[i] == kEnter || kinds[i] == kExit;
    if (is_data && begins.contains(psource) && ends.contains(psource)) {
      site.directive = Directive::kTargetData;
    }
    if (site.directive == Directive::kApi) site.api = api_name(decoded.site_extras[i].entry);
  }
  const auto kind_of = [&](std::size_t region) { return decoded.region_extras[region].kind; };
  trace.regions.change_by(kind_of, [&](Region& region, std::uint8_t kind) {
    region.ends_data = kind == kExit && region.site &&
                       trace.sites[region.site.value].directive == Directive::kTargetData;
    // OMPT's own kinds for these never come (LLVM 14 to 22).
    region.nowait =
        region.nowait || (region.site && is_nowait(decoded.site_extras[region.site.value].entry));
  });
  for (std::size_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& op = trace.ops.common(i);
    if (trace.ops.region_of(i) || !op.site || decoded.site_extras[op.site.value].in_runtime)
      continue;
    Site& site = trace.sites[op.site.value];
    if (site.directive == Directive::kApi && site.api.empty()) site.api = api_name(op.kind);
  }
}

// The fullest name of the function `plain`: the compiler's has the least ("run"), the linker's the
// most ("V<int>::run(double*)").
std::string fullest(const std::string& plain, const std::vector<std::string>& candidates) {
  for (const std::string& candidate : candidates) {
    if (plain.empty() || plain_function(candidate) == plain_function(plain)) return candidate;
  }
  return plain;
}

void locate(Site& site, const SiteExtra& extra, const OffloadSymbol* entry, Symbols& symbols) {
  if (extra.in_runtime) return;  // the caller is not known
  const auto kernel = entry == nullptr ? std::nullopt : parse_kernel(entry->name);
  const CodePlace& place = symbols.at(site.module, site.address - 1);
  const auto source = parse_source(extra.psource);
  std::vector<std::string> functions = place.functions;
  if (kernel) functions.insert(functions.begin(), demangle(kernel->function));
  site.file = place.file;
  if (source) {
    if (!source->file.empty()) site.file = source->file;
    site.line = source->line;
    site.column = source->column;
    site.source = LineSource::kRuntime;
  } else if (kernel) {
    site.line = kernel->line;
    site.source = LineSource::kKernelName;
  } else if (place.line > 0) {
    site.line = place.line;
    site.column = place.column;
    site.source = LineSource::kDwarf;
  }
  site.function = fullest(source ? source->function : std::string(), functions);
  site.inlined = inlined_at(site, place);
  if (kernel) learn_inlined_calls(site, symbols);
}

// Where a directive was inlined, debug information may have the plain name of its function alone.
// Its other sites have the full name, but for the template arguments.
void lend_functions(DecodedTrace& decoded) {
  std::map<std::string_view, std::set<std::string>> full;
  const auto is_plain = [](const std::string& name) { return name == plain_function(name); };
  for (std::size_t i = 0; i < decoded.site_extras.size(); ++i) {
    const Site& site = decoded.trace.sites[i];
    if (site.source != LineSource::kRuntime || is_plain(site.function)) continue;
    full[decoded.site_extras[i].psource].insert(site.function);
  }
  for (std::size_t i = 0; i < decoded.site_extras.size(); ++i) {
    Site& site = decoded.trace.sites[i];
    if (site.source != LineSource::kRuntime || !is_plain(site.function)) continue;
    const auto names = full.find(decoded.site_extras[i].psource);
    if (names == full.end() || names->second.size() > 1) continue;
    const std::string& name = *names->second.begin();
    if (name.find('<') == std::string::npos) site.function = name;
  }
}

/// The only module that lay at an address; none if several did, one after the other.
Index<Module> module_of(const DecodedTrace& decoded, std::uint64_t address) {
  Index<Module> found;
  for (std::uint32_t i = 0; i < decoded.module_ranges.size(); ++i) {
    const ModuleRange& range = decoded.module_ranges[i];
    if (address < range.begin || address >= range.end) continue;
    if (found) return {};
    found = Index<Module>{i};
  }
  return found;
}

}  // namespace

void resolve_sites(DecodedTrace& decoded, Symbols& symbols) {
  Trace& trace = decoded.trace;
  for (std::size_t i = 0; i < trace.sites.size(); ++i) {
    const Index<Module> module = trace.sites[i].module;
    decoded.site_extras[i].in_runtime =
        module && is_runtime_library(trace.modules[module.value].path);
  }
  lend_names(decoded);
  name_directives(decoded);
  const KernelNames kernels = kernel_names(decoded);
  for (std::size_t i = 0; i < trace.sites.size(); ++i) {
    const SiteExtra& extra = decoded.site_extras[i];
    locate(trace.sites[i], extra, entry_at(kernels, trace.sites[i].module, extra.kernel), symbols);
  }
  // Once the modules of all sites are loaded: callers may need less of a module.
  for (std::size_t i = 0; i < trace.sites.size(); ++i) {
    const SiteExtra& extra = decoded.site_extras[i];
    if (!extra.in_runtime) trace.sites[i].callers = callers_of(extra, trace.modules, symbols);
  }
  lend_functions(decoded);
}

void resolve_kernels(DecodedTrace& decoded) {
  Trace& trace = decoded.trace;
  const KernelNames names = kernel_names(decoded);
  // By host_ptr and the entry's module; without names by the site that launched it.
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> rows;
  const auto address_at = [&](std::size_t i) { return decoded.launch_kernels[i]; };
  trace.launches.change_by(address_at, [&](Launch& launch, std::uint64_t address) {
    if (address == 0 && launch.site) address = decoded.site_extras[launch.site.value].kernel;
    if (address == 0 && !launch.site) return;
    const Index<Module> module =
        launch.site ? trace.sites[launch.site.value].module : Index<Module>{};
    const OffloadSymbol* symbol = entry_at(names, module, address);
    const std::uint32_t apart = address == 0        ? launch.site.value
                                : symbol == nullptr ? 0
                                                    : symbol->module.value;
    const auto [at, is_new] =
        rows.emplace(std::pair(address, apart), static_cast<std::uint32_t>(trace.kernels.size()));
    launch.kernel = {at->second};
    if (!is_new) return;
    Kernel kernel;
    if (launch.site) {
      const Site& site = trace.sites[launch.site.value];
      kernel.function = site.function;
      kernel.file = site.file;
      kernel.line = site.line;
    }
    if (symbol != nullptr) {
      kernel.name = symbol->name;
      if (const auto parsed = parse_kernel(kernel.name)) {
        kernel.function = demangle(parsed->function);
        kernel.line = parsed->line;
      }
    }
    trace.kernels.push_back(std::move(kernel));
  });
}

void name_globals(DecodedTrace& decoded, Symbols& symbols) {
  Trace& trace = decoded.trace;
  for (Variable& variable : trace.variables) {
    if (!variable.name.empty()) continue;
    const Index<Module> module = module_of(decoded, variable.address);
    if (!module) continue;
    const std::uint64_t address = variable.address - trace.modules[module.value].bias;
    const GlobalVariable* global = symbols.global_at(module, address);
    if (global == nullptr) continue;
    variable.name = variable.expression = global->name;
    variable.file = global->declared.file;
    variable.line = global->declared.line;
  }
}

}  // namespace ompdm::trace
