// The verbs, their options, their help and their completion in a shell.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ompdm/error.h"
#include "ompdm/link.h"

namespace CLI {

class App;
class Option;
class ParseError;

}  // namespace CLI

namespace ompdm::cli {

struct SourceSearch;

/// Each function adds a subcommand to `app`. The subcommand's callback runs the verb and writes its
/// exit status to `exit_status`, which must live as long as `app`. Failures are thrown as Error.
void setup_record(CLI::App& app, int& exit_status);
void setup_check(CLI::App& app, int& exit_status);
void setup_report(CLI::App& app, int& exit_status);
void setup_explain(CLI::App& app, int& exit_status);
void setup_fix(CLI::App& app, int& exit_status);

/// Does what `ompdm fix TRACE -o OUTPUT` does, with sources and commands of `search`. Returns its
/// exit status. Throws Error.
int write_planned_patch(const std::string& trace, const SourceSearch& search,
                        const std::string& output);
void setup_compare(CLI::App& app, int& exit_status);
void setup_export(CLI::App& app, int& exit_status);
void setup_merge(CLI::App& app, int& exit_status);
void setup_finish(CLI::App& app, int& exit_status);
void setup_info(CLI::App& app, int& exit_status);
void setup_doctor(CLI::App& app, int& exit_status);
void setup_lesson(CLI::App& app, int& exit_status);
void setup_env(CLI::App& app, int& exit_status);
void setup_help(CLI::App& app, int& exit_status);
void setup_completion(CLI::App& app, int& exit_status);
void setup_verbs(CLI::App& app, int& exit_status);  ///< all of them, in the order of the help

/// The verb of that name, or null.
const CLI::App* find_verb(const CLI::App& app, const std::string& name);

/// The kind of value that the help shows: "off|full|PERCENT", "FILE". Empty if there is none.
std::string value_kind(const CLI::Option& option);

/// The words of value_kind() that a user can type: "off" and "full". Kinds in capitals are no such
/// words.
std::vector<std::string> choices_of(const CLI::Option& option);

/// The explanation of --link and --kernels in a help text.
inline constexpr const char* kLinkNotes =
    "LINK is pcie3x16, pcie4x16, pcie5x16, nvlink4 or BANDWIDTH,LATENCY as in 25GB/s,10us.\n"
    "Transfers of a trace of host devices are re-timed. All other times stay as measured.\n"
    "FACTOR is a figure of your own: how many times as fast as this machine a device runs\n"
    "kernels. Shares of time are told only with it.";

struct LinkModel {
  std::string link;     ///< empty: as measured
  std::string kernels;  ///< a factor; empty: as measured
};

/// Adds --link and --kernels; `model` must live as long as `verb`.
void add_link_options(CLI::App& verb, LinkModel& model);

/// The link of the options. Nullopt without --link. Throws Error (kUsage) where the text is no
/// link.
std::optional<analysis::Link> link_of(const LinkModel& model);

/// Lays out the help of `app` and of the verbs added to it afterwards.
void set_layout(CLI::App& app);

/// Gives `verb` this usage ("ompdm finish [SPOOL] [-o FILE]"), and a footer of example commands,
/// one a line, below `notes` (which may be empty).
void set_help(CLI::App& verb, const std::string& usage, const std::string& notes,
              const std::string& examples);

/// The error for words behind `ompdm` whose first is no verb. It suggests a similar verb, `record`
/// for a program, or `report` for a trace.
Error no_such_verb(const CLI::App& app, const std::vector<std::string>& words);

/// Throws Error where the first of the words of a verb that runs a program is an unknown option.
void check_program_words(const CLI::App& verb, const std::vector<std::string>& words);

/// The error for words that `app` could not parse. An unknown option takes precedence over other
/// causes.
Error cannot_parse(const CLI::App& app, const CLI::ParseError& error);

}  // namespace ompdm::cli
