#include "trace/event_labels.h"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

#include "trace/json_text.h"
#include "trace/trace_schema.h"

namespace ompdm {
namespace {

std::string place_of(std::string_view file, int line) {
  if (file.empty()) return {};
  const std::size_t slash = file.rfind('/');
  return fmt::format(" {}:{}", slash == file.npos ? file : file.substr(slash + 1), line);
}

// Every event repeats its label: one of a template's instances can be as long as a page.
std::string shortened(std::string text) {
  constexpr std::size_t kLongest = 256;
  if (text.size() <= kLongest) return text;
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

std::string label(const Site& site) {
  const std::string_view what =
      site.api.empty() ? trace_schema::name_of(trace_schema::kDirectives, site.directive)
                       : std::string_view(site.api);
  return fmt::format("{}{}", what, place_of(site.file, site.line));
}

std::string label(const Kernel& kernel) {
  const std::string_view what = kernel.function.empty() ? kernel.name : kernel.function;
  return fmt::format("{}{}", what.empty() ? "kernel" : what, place_of(kernel.file, kernel.line));
}

}  // namespace

EventLabels::EventLabels(const Trace& trace)
    : trace_(trace), region_(json_string("region")), launch_(json_string("kernel")) {
  for (std::size_t i = 0; i < activities_.size(); ++i) {
    activities_[i] = json_string(trace_schema::kActivityCategories[i]);
  }
  for (std::size_t i = 0; i < waits_.size(); ++i) {
    waits_[i] = json_string(trace_schema::kSynchronizationCategories[i]);
  }
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    ops_[i] = json_string(trace_schema::kOpCategories[i]);
  }
  for (const Site& site : trace.sites) {
    const std::string name = shortened(label(site));
    sites_.push_back(json_string(name));
    site_ends_.push_back(json_string("end " + name));
  }
  for (const Variable& variable : trace.variables) {
    variables_.push_back(variable.name.empty() ? std::string()
                                               : json_string(shortened(variable.name)));
  }
  for (const Kernel& kernel : trace.kernels)
    kernels_.push_back(json_string(shortened(label(kernel))));
}

const std::string& EventLabels::of(const Region& region) const {
  if (!region.site) return region_;
  return region.ends_data ? site_ends_[region.site.value] : sites_[region.site.value];
}

const std::string& EventLabels::of(const DataOp& op) const {
  if (op.variable && !variables_[op.variable.value].empty()) return variables_[op.variable.value];
  return ops_[static_cast<std::size_t>(op.kind) % ops_.size()];
}

const std::string& EventLabels::of(const Launch& launch) const {
  return launch.kernel ? kernels_[launch.kernel.value] : launch_;
}

const std::string& EventLabels::of(const DeviceActivity& activity) const {
  if (activity.op) return of(trace_.ops[activity.op.value]);
  if (activity.kind == ActivityKind::kKernel) {
    return activity.kernel ? kernels_[activity.kernel.value] : launch_;
  }
  return activities_[static_cast<std::size_t>(activity.kind) % activities_.size()];
}

const std::string& EventLabels::of(const Synchronization& wait) const {
  return waits_[static_cast<std::size_t>(wait.kind) % waits_.size()];
}

}  // namespace ompdm
