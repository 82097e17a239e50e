// What the reader of a program knows, and a finding does not.
#pragma once

#include <map>
#include <string>

namespace ompdm::e2e {

/// What a reader adds to a finding whose edits are in words.
struct Reading {
  std::string variable;  ///< of the finding
  /// A part of the line where the statement begins that the data stays for; empty: that is the
  /// finding's own place.
  std::string around = {};
  std::string until = {};  ///< and of the last such statement, if they are several
  /// What is called so in a pragma of the finding ("o[0:n] /* in blur */", if need be), as it is
  /// called there; else the names are those of there.
  std::map<std::string, std::string> names = {};
};

}  // namespace ompdm::e2e
