// Text that a shell reads back as it was meant.
#pragma once

#include <string>
#include <vector>

namespace ompdm::cli {

/// The word as a POSIX shell takes it literally; quoted only where it must be.
std::string shell_word(const std::string& word);

/// A command as a shell takes it literally, word by word.
std::string typed_command(const std::vector<std::string>& command);

/// A path as a person would type it here: relative to the working directory if it lies below it.
std::string typed_path(const std::string& path);

}  // namespace ompdm::cli
