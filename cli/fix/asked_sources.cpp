#include "fix/asked_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <ranges>
#include <utility>

#include "fix/facts_file.h"
#include "fix/patches.h"
#include "fix/source_facts.h"
#include "ompdm/error.h"
#include "output.h"

namespace ompdm::cli {

namespace {

std::size_t count_of(const Trace& trace) {
  return trace.source_facts.size() + trace.host_facts.size() + trace.patches.size();
}

/// Whether all answers are known.
bool is_complete(const Trace& trace) {
  const auto is_known = [](const HostFact& fact) {
    return std::ranges::none_of(
        std::initializer_list<const HostUse*>{&fact.read, &fact.written, &fact.renewed},
        [](const HostUse* use) { return use->answer == HostUse::Answer::kUnknown; });
  };
  return std::ranges::all_of(
             trace.source_facts,
             [](const SourceFact& fact) { return fact.use != SourceUse::kUnknown; }) &&
         std::ranges::all_of(trace.host_facts, is_known);
}

void tell(const std::set<std::string>& sentences, bool tells_all) {
  const std::size_t few = tells_all ? sentences.size() : 1;
  for (const std::string& one : sentences | std::views::take(few)) {
    fmt::print(stderr, "ompdm: {}\n", one);
  }
  if (sentences.size() > few) {
    fmt::print(stderr, "ompdm: and {} more: --source auto shows them\n", sentences.size() - few);
  }
}

}  // namespace

AskedSources::AskedSources(Trace& trace, SourceSearch search, EditProcess& process)
    : trace_(trace), search_(std::move(search)), process_(process), file_(facts_path(trace.file)) {}

/// Whether the sources are unchanged since they answered.
bool AskedSources::is_of(const FactsOrigin& origin) const try {
  return !origin.digest.empty() && origin.digest == sources_digest(trace_, search_, origin.files);
} catch (const Error&) {
  return false;  // ompdm-edit is not installed
}

void AskedSources::add_facts(bool tells_all) {
  std::vector<SourceFact> regions;
  std::vector<HostFact> host;
  std::vector<KeptPatch> patches;
  const bool is_kept = !file_.empty() && read_facts(file_, trace_, origin_);
  const bool is_same = is_kept && is_of(origin_);
  if (!is_same) origin_ = {};
  if (is_kept && !is_same && !(is_complete(trace_) && search_.commands.empty())) {
    // The sources are asked again, as they may answer more questions now.
    regions = std::exchange(trace_.source_facts, {});
    host = std::exchange(trace_.host_facts, {});
    patches = std::exchange(trace_.patches, {});
  }
  known_ = count_of(trace_);
  try {
    const Progress progress("reading the sources of " + trace_.file);
    SourcesAsked asked = add_source_facts(trace_, search_, process_);
    if (!asked.files.empty()) {
      origin_.files.merge(asked.files);
      origin_.digest = asked.is_whole ? sources_digest(trace_, search_, origin_.files) : "";
    }
    origin_.sentences.merge(asked.sentences);
    tell(origin_.sentences, tells_all);
  } catch (const Error& error) {
    is_asked_ = false;
    fmt::print(stderr, "ompdm: the sources are not asked: {}\n", error.what());
  }
  if (trace_.source_facts.empty() && trace_.host_facts.empty()) {
    trace_.source_facts = std::move(regions);
    trace_.host_facts = std::move(host);
    trace_.patches = std::move(patches);
    known_ = count_of(trace_);
  }
}

void AskedSources::add_patches(analysis::Analysis& analysis) {
  if (!is_asked_) return;
  try {
    const Progress progress("planning edits for " + trace_.file);
    cli::add_patches(trace_, search_, process_, analysis);
  } catch (const Error& error) {
    is_asked_ = false;
    fmt::print(stderr, "ompdm: edits are in words: {}\n", error.what());
  }
}

void AskedSources::keep() {
  if (count_of(trace_) <= known_ || file_.empty()) return;
  try {
    write_facts(file_, trace_, origin_);
  } catch (const Error& error) {
    fmt::print(stderr, "ompdm: the sources are read again next time: {}\n", error.what());
  }
}

}  // namespace ompdm::cli
