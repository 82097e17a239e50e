// `ompdm fix`: edits of findings as a patch; with a build command one that was built, run and
// compared.
#include <CLI/CLI.hpp>
#include <memory>

#include "fix/fixing.h"
#include "output.h"
#include "verb_help.h"

namespace ompdm::cli {

void setup_fix(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<FixOptions>();
  CLI::App* verb =
      app.add_subcommand("fix", "Make a patch of the findings: built, run and compared");
  verb->group("Look");
  verb->add_option("TRACE", options->trace, "A trace or a spool")->required()->type_name("");
  CLI::Option* build =
      verb->add_option("--build", options->build,
                       "How the program is built, in a copy of its tree, from the folder you are "
                       "in; auto: by its Makefile or CMake folder")
          ->type_name("CMD");
  verb->add_option("--run", options->runs,
                   "What is run and compared instead of the recorded command, one word for the "
                   "shell; once for each input")
      ->type_name("CMD")
      ->allow_extra_args(false)
      ->needs(build);
  verb->add_option(
          "-p", options->commands,
          "The folder of compile_commands.json; else --build shows how each source is compiled")
      ->type_name("DIR");
  verb->add_option("--tree", options->tree, "What is copied: the folder that holds all of it")
      ->type_name("DIR");
  verb->add_option("--only", options->only, "These findings, by their numbers in the report")
      ->delimiter(',')
      ->type_name("N");
  verb->add_option("--ignore", options->ignored, "Lines of the output that may differ")
      ->type_name("REGEX")
      ->allow_extra_args(false)
      ->needs(build);
  verb->add_option("--same", options->same, "A command that compares two outputs, given as files")
      ->type_name("CMD")
      ->needs(build);
  verb->add_option("--timed-runs", options->timed_runs,
                   "Time N runs of each version instead of 3 to 15; with 1 or 2 the times are\n"
                   "printed and decide nothing, with 0 no times are compared")
      ->type_name("N")
      ->needs(build);
  verb->add_flag(
          "--release", options->release,
          "Leave on the device what nothing printed depends on: it is spoiled on the host, and\n"
          "the output is compared")
      ->needs(build);
  verb->add_flag("--apply", options->apply, "Make what was verified in your own tree, too")
      ->needs(build);
  add_output_option(*verb, options->output, "Write the patch to FILE");
  set_help(
      *verb, "ompdm fix TRACE [--build CMD] [options]",
      "Without --build nothing is built or run, and the patch is not verified. With it, each\n"
      "finding's edits are made in a copy, built, run and recorded: accepted is what prints the\n"
      "same, moves less, as much less as a firm promise says, and takes no longer. Each finding\n"
      "takes a recorded run and the timed ones, all of several together as many again: --run\n"
      "names a smaller input, and one of standard input ('./app < small'), --timed-runs fewer\n"
      "runs. Your own tree is not touched without --apply; outside of the copy the build can\n"
      "change no file, and fix names the one that it wanted to.\n"
      "Exit status: 0 verified, 4 nothing could be, 1 failure.",
      "ompdm fix trace.json\n"
      "ompdm fix trace.json --build make -o fix.patch\n"
      "ompdm fix trace.json --build auto --ignore 'time|GB/s'\n"
      "ompdm fix trace.json --build 'cmake --build build' --run './app small' --run './app large'");
  verb->callback([options, &exit_status] { exit_status = Fixing(*options).run(); });
}

}  // namespace ompdm::cli
