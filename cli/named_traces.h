// The traces that a verb is given, opened, analyzed and put in their order: ranks of one run, or
// runs on several inputs that are held against each other.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "link_model.h"
#include "ompdm/analysis.h"
#include "ompdm/picture.h"
#include "ompdm/trace.h"

namespace CLI {
class App;
}  // namespace CLI

namespace ompdm::cli {

struct NamedTraces {
  std::vector<std::string> names;  ///< as the user gave them
  std::string as;                  ///< what several are: kAsJob, kAsInputs; empty: as they seem
  LinkModel model;                 ///< that transfers are timed on
};

/// Adds TRACE..., --as and --link; `named` must live as long as `verb`.
void add_trace_options(CLI::App& verb, NamedTraces& named);

/// Where no trace is named, names the newest one of the current folder, and says so on stderr; of a
/// job's ranks the folder itself. Throws Error (kUsage) where there is none.
void take_newest_if_none(NamedTraces& named);

struct OpenedTraces {
  std::vector<analysis::Analysis> analyses;
  std::vector<Trace> traces;                ///< where they are asked for
  std::vector<analysis::Picture> pictures;  ///< for a page, where they are asked for
  bool complete = true;                     ///< none was left out
};

/// What of the traces is wanted.
struct Wanted {
  bool analyses = true;
  bool traces = false;
  bool pictures = false;
  bool rest_of_ranks = false;  ///< of several ranks one that cannot be read is said and left out
};

/// Throws Error where a trace cannot be read, or what is named cannot be taken together.
OpenedTraces open_named(const NamedTraces& named, const Wanted& wanted = {});

/// The same, for many or long traces: each is handed to `take` and forgotten before the next is
/// opened. They come in the order of the ranks that their names tell; `order` is that of the ranks
/// that they are: its n-th is the n-th by the position in which it came. Analyses are in that
/// order.
struct TakenTraces {
  std::vector<analysis::Analysis> analyses;
  std::vector<std::size_t> order;
};
TakenTraces take_named(const NamedTraces& named, const std::function<void(const Trace&)>& take);

/// The traces as the next command has to name them; empty where they are many.
std::string spoken_names(const NamedTraces& named);

}  // namespace ompdm::cli
