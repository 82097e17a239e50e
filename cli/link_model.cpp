#include "link_model.h"

#include <CLI/CLI.hpp>

namespace ompdm::cli {

void add_link_options(CLI::App& verb, LinkModel& model) {
  CLI::Option* link = verb.add_option("--link", model.link,
                                      "Show what transfers would take on this link (a model; see "
                                      "below)")
                          ->type_name("LINK");
  verb.add_option("--kernels", model.kernels,
                  "With --link: kernels FACTOR times as fast as they were recorded")
      ->type_name("FACTOR")
      ->needs(link);
}

std::optional<analysis::Link> link_of(const LinkModel& model) {
  if (model.link.empty()) return std::nullopt;
  analysis::Link link = analysis::parse_link(model.link);
  if (!model.kernels.empty()) link.kernels = analysis::parse_kernel_factor(model.kernels);
  return link;
}

}  // namespace ompdm::cli
