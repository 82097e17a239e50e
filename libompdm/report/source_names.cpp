#include "report/source_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/units.h"

namespace ompdm::report {
namespace {

/// The last `parts` names of a path.
std::string_view suffix(std::string_view path, int parts) {
  std::size_t from = path.size();
  for (int i = 0; i < parts && from != 0; ++i) {
    const std::size_t slash = path.rfind('/', from - 1);
    if (slash == std::string_view::npos || slash == 0) return path;
    from = slash;
  }
  return path.substr(from == path.size() ? 0 : from + 1);
}

}  // namespace

std::string without_parameters(const std::string& function) {
  std::size_t end = function.rfind(')');
  if (end == std::string::npos) return function;
  // What may follow a parameter list is only a qualifier.
  if (end + 1 != function.size() && function[end + 1] != ' ') return function;
  int depth = 0;
  for (std::size_t at = end + 1; at-- > 0;) {
    if (function[at] == ')') ++depth;
    if (function[at] == '(' && --depth == 0) {
      const std::string name = function.substr(0, at);
      return name.empty() || name.ends_with("operator") ? function : name;
    }
  }
  return function;
}

SourceNames::SourceNames(std::span<const analysis::Analysis> analyses) {
  std::vector<std::string> files;
  for (const analysis::Analysis& analysis : analyses) {
    for (const auto& row : analysis.directives) {
      files.push_back(row.file);
      for (const auto& path : row.paths) {
        for (const Frame& frame : path.frames) files.push_back(frame.file);
      }
    }
    for (const auto& row : analysis.loops) files.push_back(row.file);
    for (const auto& row : analysis.activities) files.push_back(row.file);
    for (const auto& row : analysis.variables) files.push_back(row.file);
  }
  learn(files);
}

SourceNames::SourceNames(std::span<const Trace> traces) {
  std::vector<std::string> files;
  for (const Trace& trace : traces) {
    for (const Site& site : trace.sites) files.push_back(site.file);
    for (const Kernel& kernel : trace.kernels) files.push_back(kernel.file);
  }
  learn(files);
}

void SourceNames::learn(const std::vector<std::string>& files) {
  const std::set<std::string> distinct(files.begin(), files.end());
  std::map<std::string_view, int> last_names;
  for (const std::string& file : distinct) ++last_names[suffix(file, 1)];
  for (const std::string& file : distinct) {
    int parts = 1;
    const auto is_ambiguous = [&] {
      return std::ranges::count_if(distinct, [&](const std::string& other) {
               return suffix(other, parts) == suffix(file, parts);
             }) > 1;
    };
    if (last_names[suffix(file, 1)] > 1) {
      while (suffix(file, parts) != file && is_ambiguous()) ++parts;
    }
    shown_.emplace(file, suffix(file, parts));
  }
}

std::string SourceNames::place(const std::string& file, int line) const {
  if (file.empty()) return {};
  const auto known = shown_.find(file);
  const std::string& shown = known != shown_.end() ? known->second : file;
  return line > 0 ? fmt::format("{}:{}", shown, line) : shown;
}

std::string SourceNames::place(const analysis::DirectiveRow& row) const {
  if (!row.file.empty() && row.line > 0) return place(row.file, row.line);
  if (!row.function.empty() && row.line > 0) {
    return fmt::format("{} line {}", without_parameters(row.function), row.line);
  }
  if (!row.function.empty()) {
    return fmt::format("{} (+{:#x})", without_parameters(row.function), row.address);
  }
  if (row.address == 0) return "-";
  return row.module.empty() ? fmt::format("{:#x}", row.address)
                            : fmt::format("{}+{:#x}", suffix(row.module, 1), row.address);
}

std::string SourceNames::places(const analysis::Analysis& of,
                                const std::vector<std::size_t>& directives) const {
  std::string text;
  for (const std::size_t row : directives) {
    text += (text.empty() ? "" : ", ") + place(of.directives[row]);
  }
  return text;
}

std::string SourceNames::place(const analysis::LoopRow& row) const {
  if (!row.from_code) return {};
  const std::string text = row.line > 0     ? place(row.file, row.line)
                           : row.inside > 0 ? "around " + place(row.file, row.inside)
                                            : std::string("(no line)");
  if (row.unrolled) return text + " repeated";
  std::string function = without_parameters(row.function);
  constexpr std::string_view kNameless = "(anonymous namespace)::";
  if (function.starts_with(kNameless)) function.erase(0, kNameless.size());
  return function.empty() ? text : fmt::format("{} in {}", text, function);
}

std::string SourceNames::directive(const analysis::DirectiveRow& row) {
  if (row.directive == Directive::kRuntime) return "(outside any)";
  // The runtime makes tasks of these: without its arguments (OMPDM_NAMES=off) their lines are lost.
  const bool in_runtime = suffix(row.module, 1).starts_with("libomp");
  if (row.directive == Directive::kApi && row.api.empty() && in_runtime)
    return "omp_target_*_async";
  return std::string(row.api.empty() ? analysis::directive_name(row.directive) : row.api);
}

std::string SourceNames::activity(const analysis::Activity& row) const {
  using Type = analysis::ActivityType;
  if (row.type != Type::kKernel) {
    const bool copies =
        row.type == Type::kHtoD || row.type == Type::kDtoH || row.type == Type::kDtoD;
    const bool is_cuda = row.clock == Clock::kDevice && (copies || row.type == Type::kMemset);
    return fmt::format("[{}{}{}]", is_cuda ? "CUDA " : "", copies ? "memcpy " : "",
                       analysis::activity_type_name(row.type));
  }
  const std::string where = place(row.file, row.line);
  if (row.function.empty()) return where.empty() ? "(unknown kernel)" : where;
  const std::string function = without_parameters(row.function);
  // Without -g the kernel's entry name still knows the line, but not the file.
  if (where.empty() && row.line > 0) return fmt::format("{} line {}", function, row.line);
  return where.empty() ? function : function + ' ' + where;
}

std::string place_text(const analysis::SourcePlace& place) {
  if (!place.file.empty() && place.line > 0) {
    return fmt::format("{}:{}", place.file.substr(place.file.rfind('/') + 1), place.line);
  }
  if (place.function.empty()) return fmt::format("{:#x} in the program", place.address);
  return place.line > 0 ? fmt::format("{} line {}", place.function, place.line) : place.function;
}

std::string place_text(const analysis::SourcePlace& place, const SourceNames& names) {
  const std::string text = names.place(place.file, place.line);
  return text.empty() ? place_text(place) : text;
}

std::string places_text(const std::vector<analysis::SourcePlace>& places) {
  std::vector<std::string> texts;
  std::set<std::string> known;
  for (const analysis::SourcePlace& place : places) {
    std::string text = place_text(place);
    if (known.insert(text).second) texts.push_back(std::move(text));
  }
  return spoken_list(texts);
}

std::string devices_text(const std::vector<std::int32_t>& devices) {
  std::vector<std::string> texts;
  for (const std::int32_t device : devices) texts.push_back(std::to_string(device));
  return (texts.size() == 1 ? "device " : "devices ") + spoken_list(texts);
}

std::string loop_text(const analysis::facts::LoopPlace& loop) {
  if (loop.place.file.empty()) return {};
  const std::string& function = loop.place.function;
  return fmt::format("{} {}{}", loop.is_calls ? "the calls repeated at" : "the loop at",
                     place_text(loop.place), function.empty() ? "" : " in " + function);
}

std::string loop_text(const analysis::UnplacedLoop& loop) {
  const std::string name = loop.innermost ? "the innermost loop" : "the loop";
  const std::string places = places_text(loop.runs);
  const std::string runs = fmt::format("{} that runs {}", name, places);
  const std::string& function = loop.in.function;
  if (function.empty()) return runs + " (it may be in a calling function)";
  const std::string called = spoken_list(loop.called);
  const analysis::SourcePlace& caller = loop.caller;
  if (loop.recurses) {
    return fmt::format("the call of {}{}, which calls itself", function,
                       caller.function.empty() || caller.line == 0
                           ? std::string()
                           : fmt::format(" at {} in {}", place_text(caller), caller.function));
  }
  if (loop.is_there) {
    const std::string& path = loop.in.file;
    const std::string where =
        path.empty() ? function
                     : fmt::format("{} ({})", function, path.substr(path.rfind('/') + 1));
    if (called.empty()) return fmt::format("{} in {} that runs {}", name, where, places);
    return fmt::format("{} in {} that calls {}, which {} {}", name, where, called,
                       loop.called.size() == 1 ? "runs" : "run", places);
  }
  const std::string inside =
      called.empty() ? function : fmt::format("{}, which calls {}", function, called);
  if (caller.function.empty()) return fmt::format("{} (in {}, or in its caller)", runs, inside);
  return fmt::format("{} (in {}, or in {}, which calls {}{})", runs, inside, caller.function,
                     function,
                     !caller.file.empty() && caller.line > 0 ? " at " + place_text(caller) : "");
}

}  // namespace ompdm::report
