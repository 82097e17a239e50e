// The model that a recording's transfers, and its kernels, are timed on: --link and --kernels.
#pragma once

#include <optional>
#include <string>

#include "ompdm/link.h"

namespace CLI {
class App;
}  // namespace CLI

namespace ompdm::cli {

/// How they are explained in a help text.
inline constexpr const char* kLinkNotes =
    "LINK is pcie3x16, pcie4x16, pcie5x16, nvlink4 or BANDWIDTH,LATENCY as in 25GB/s,10us:\n"
    "transfers of a trace taken on host devices are re-timed, all else takes what it took.\n"
    "Shares of the time say something only if kernels are as fast as on a device: FACTOR times\n"
    "as fast as on this machine, a figure of your own.";

struct LinkModel {
  std::string link;     ///< empty: as measured
  std::string kernels;  ///< a factor; empty: as measured
};

/// Adds --link and --kernels; `model` must live as long as `verb`.
void add_link_options(CLI::App& verb, LinkModel& model);

/// Nothing if none is asked for. Throws Error (kUsage) if it is none.
std::optional<analysis::Link> link_of(const LinkModel& model);

}  // namespace ompdm::cli
