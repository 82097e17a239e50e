// `ompdm finish`: turns the spool of a finished or killed process into a trace.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "ompdm/error.h"
#include "ompdm/finish.h"
#include "shell_words.h"
#include "verb_help.h"
#include "verbs.h"

namespace ompdm::cli {
namespace {

struct FinishVerbOptions {
  std::string spool;
  std::string output;
  bool attached = false;
};

