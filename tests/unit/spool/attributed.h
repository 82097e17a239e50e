// What reading a spool made by hand attributes its operations to.
#pragma once

#include "ompdm/finish.h"
#include "spool/spool_builder.h"

namespace ompdm::test {

/// The model of a spool of these thread buffers.
inline Trace read(const std::vector<BufferBuilder>& buffers) {
  return read_spool(write_file("attribution", spool_bytes(plain_header(), buffers)));
}

/// What the operation's variable is called, "(none)" if it has none.
inline const std::string& variable_of(const Trace& trace, std::size_t op) {
  static const std::string kNone = "(none)";
  const Index<Variable> variable = trace.ops[op].variable;
  return variable ? trace.variables.at(variable.value).name : kNone;
}

}  // namespace ompdm::test
