#include "report/loop_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/advice.h"

namespace ompdm::report {

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
  if (loop.recurses) {
    const analysis::SourcePlace& from = loop.caller;
    return fmt::format("the call of {}{}, which calls itself", function,
                       from.function.empty() || from.line == 0
                           ? std::string()
                           : fmt::format(" at {} in {}", place_text(from), from.function));
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
  const analysis::SourcePlace& caller = loop.caller;
  if (caller.function.empty()) return fmt::format("{} (in {}, or in what calls it)", runs, inside);
  return fmt::format("{} (in {}, or in {}, which calls {}{})", runs, inside, caller.function,
                     function,
                     !caller.file.empty() && caller.line > 0 ? " at " + place_text(caller) : "");
}

std::vector<std::string> by_order_sentences(Analyses analyses) {
  using Why = analysis::ByOrder::Why;
  std::vector<std::string> lines;
  for (const analysis::Analysis& one : analyses) {
    for (const analysis::Iteration& row : one.iterations) {
      const analysis::ByOrder& by_order = row.by_order;
      if (by_order.why == Why::kNot) continue;
      const std::string why =
          by_order.why == Why::kNoCalls ? "it is not known which calls led to some directives"
          : by_order.function.empty()
              ? "code that led to directives cannot be followed"
              : fmt::format("the code of {} cannot be followed", by_order.function);
      const std::string line = "(by order): " + why;
      if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
    }
  }
  return lines;
}

}  // namespace ompdm::report
