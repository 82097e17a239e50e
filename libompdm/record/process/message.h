// One-line messages on standard error. Never on standard output, never into a file that took
// descriptor 2 over.
#pragma once

namespace ompdm::record {

/// Remembers what descriptor 2 is now; later messages are dropped when the program has put
/// something else there.
void remember_stderr() noexcept;

/// Whether descriptor 2 is still what it was at attach.
bool stderr_is_ours() noexcept;

/// Writes "ompdm: <text>\n". Of printf's formats it knows %s and %u. Safe in signal handlers and on
/// small stacks.
[[gnu::format(printf, 1, 2)]] void say(const char* format, ...) noexcept;

}  // namespace ompdm::record
