// The verbs of the `ompdm` command, one file each: an options struct, a setup that adds the
// subcommand to the application, and a run. Nothing else of a verb is visible to another.
#pragma once

namespace CLI {
class App;
}  // namespace CLI

namespace ompdm::cli {

/// Each adds its subcommand. When that is chosen its callback runs the verb and leaves the exit
/// status in `exit_status`, which must live as long as `app`; failures are thrown as ompdm::Error.
void setup_record(CLI::App& app, int& exit_status);
void setup_report(CLI::App& app, int& exit_status);
void setup_explain(CLI::App& app, int& exit_status);
void setup_fix(CLI::App& app, int& exit_status);
void setup_compare(CLI::App& app, int& exit_status);
void setup_export(CLI::App& app, int& exit_status);
void setup_merge(CLI::App& app, int& exit_status);
void setup_finish(CLI::App& app, int& exit_status);
void setup_info(CLI::App& app, int& exit_status);
void setup_doctor(CLI::App& app, int& exit_status);
void setup_env(CLI::App& app, int& exit_status);
void setup_help(CLI::App& app, int& exit_status);
void setup_completion(CLI::App& app, int& exit_status);
void setup_man(CLI::App& app, int& exit_status);

}  // namespace ompdm::cli
