// What `ompdm fix` leaves: the patch, with what it rests on at its head.
#pragma once

#include <string>
#include <vector>

#include "fix/patch.h"
#include "fix/trial.h"

namespace ompdm::cli {

/// The lines before the diff of what was verified with the target's commands; `released` are names
/// of what is not brought back any more.
std::string verified_head(const Target& target, const Measured& measured,
                          const std::vector<std::string>& released);

/// To standard output where no file is named. Throws Error.
void write_patch(const std::string& text, const std::string& file);

/// Where nothing is written to FILE: what lies there is of another time.
void tell_of_older_patch(const std::string& file);

/// Into the user's own tree. Throws Error.
void apply(const ChangedFiles& files);

/// Before anything is run. Throws Error where the file's folder is not there.
void expect_folder_of(const std::string& file);

}  // namespace ompdm::cli
