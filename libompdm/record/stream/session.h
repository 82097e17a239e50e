// What a process tells the `ompdm record` that started it: files in the session's folder, named
// PID.N after the process and its images.
#pragma once

#include <initializer_list>

#include "record/stream/output_name.h"

namespace ompdm::record {

/// Writes these texts into the process's file with this ending, each with a zero at its end, and a
/// line end behind them. Nothing happens without a session,
/// or where its folder cannot be written.
void tell_session(const char* ending, std::initializer_list<const char*> texts) noexcept;

/// Whether nobody of this session has asked for that name of a trace before (the ranks of a job ask
/// for different ones). True without a session.
bool first_of_session(const Path& trace) noexcept;

}  // namespace ompdm::record
