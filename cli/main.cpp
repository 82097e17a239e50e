// The `ompdm` command: its verbs, and what becomes of an error.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "ompdm/error.h"
#include "verbs.h"

namespace {

int run(int argc, char** argv) {
  CLI::App app{"ompdm shows where data movement dominates in OpenMP-offload programs."};
  app.name("ompdm");
  app.set_version_flag("--version", "ompdm " OMPDM_VERSION);
  app.require_subcommand(1);
  int exit_status = 0;
#ifdef OMPDM_HAVE_RECORD
  ompdm::cli::setup_record(app, exit_status);
#endif
#ifdef OMPDM_HAVE_REPORT
  ompdm::cli::setup_report(app, exit_status);
#endif
#ifdef OMPDM_HAVE_FINISH
  ompdm::cli::setup_finish(app, exit_status);
#endif
#ifdef OMPDM_HAVE_INFO
  ompdm::cli::setup_info(app, exit_status);
#endif
#ifdef OMPDM_HAVE_DOCTOR
  ompdm::cli::setup_doctor(app, exit_status);
#endif
#ifdef OMPDM_HAVE_ENV
  ompdm::cli::setup_env(app, exit_status);
#endif
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return exit_status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const ompdm::Error& error) {
    std::fprintf(stderr, "ompdm: %s\n", error.what());
    return static_cast<int>(error.kind());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ompdm: %s\n", error.what());
    return 1;
  }
}
