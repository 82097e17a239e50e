#include "export/write_sqlite.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include "export/database.h"
#include "export/tables.h"
#include "ompdm/error.h"

namespace ompdm {
namespace {

namespace fs = std::filesystem;

/// A new file, removed in the end.
class NewFile {
 public:
  explicit NewFile(const fs::path& folder) {
    std::string name = (folder / "ompdm-XXXXXX.sqlite").string();
    const int file = mkstemps(name.data(), static_cast<int>(std::strlen(".sqlite")));
    if (file < 0) throw Error(fmt::format("{}: {}", folder.string(), std::strerror(errno)));
    close(file);
    path_ = name;
  }
  ~NewFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

fs::path local_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

/// What a new file may be read by is the umask's to say.
void open_to_others(const fs::path& path) {
  const mode_t mask = umask(0);
  umask(mask);
  std::error_code ignored;
  fs::permissions(path, static_cast<fs::perms>(0666U & ~mask), ignored);
}

}  // namespace

void write_sqlite(std::span<const Trace> traces, std::span<const analysis::Analysis> analyses,
                  const fs::path& path) {
  const NewFile made(local_folder());
  sqlite::Database database(made.path());
  database.run("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)");
  database.run("INSERT INTO meta VALUES ('schema', 'ompdm.sqlite/1')");
  for (std::size_t i = 0; i < traces.size(); ++i) {
    database.begin_trace(i, traces[i].process.rank);
    sqlite::add_definitions(database, traces[i]);
    sqlite::add_events(database, traces[i]);
    sqlite::add_report(database, analyses[i]);
  }
  database.close();
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  try {
    const NewFile beside(folder);
    fs::copy_file(made.path(), beside.path(), fs::copy_options::overwrite_existing);
    open_to_others(beside.path());
    fs::rename(beside.path(), path);
  } catch (const fs::filesystem_error& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.code().message()));
  }
}

}  // namespace ompdm
