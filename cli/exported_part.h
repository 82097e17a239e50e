// What of a run `ompdm export --from --to` takes.
#pragma once

#include <optional>
#include <string>

#include "ompdm/index.h"
#include "ompdm/trace.h"

namespace ompdm::cli {

/// As it is asked for: what is absent is not limited.
struct AskedPart {
  std::optional<Nanoseconds> from;
  std::optional<Nanoseconds> to;
  [[nodiscard]] bool is_whole() const { return !from && !to; }
};

/// Of what is asked for as --from and --to; empty texts are absent. Throws Error.
AskedPart parse_part(const std::string& from, const std::string& to);

struct Span {
  Nanoseconds from = 0;
  Nanoseconds to = 0;
};

/// The part that is asked for as far as it is there; one that reaches beyond is told of on stderr.
/// `whose` begins the sentence, as "trace.json: its events are told". Throws Error if nothing of it
/// is there.
Span part_of(const AskedPart& asked, const Span& there, const std::string& whose);

/// When the events of a recording are told. Throws Error where none is.
Span told_span(const Trace& trace);

}  // namespace ompdm::cli
