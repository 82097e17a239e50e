// What libompdm.so needs of the system that loads it. Clusters have glibc 2.28 (Enterprise Linux 8)
// for years to come, wherever the library was built.
#include <fcntl.h>
#include <gelf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ompdm::library_test {
namespace {

using Version = std::pair<int, int>;

/// The dynamic section's and the version needs' texts of a shared library.
class Needs {
 public:
  explicit Needs(const char* path) : file_(open(path, O_RDONLY | O_CLOEXEC)) {
    elf_version(EV_CURRENT);
    elf_ = elf_begin(file_, ELF_C_READ, nullptr);
    for (Elf_Scn* scan = nullptr; (scan = elf_nextscn(elf_, scan)) != nullptr;) {
      GElf_Shdr header = {};
      gelf_getshdr(scan, &header);
      Elf_Data* data = elf_getdata(scan, nullptr);
      if (header.sh_type == SHT_GNU_verneed) read_versions(header, data);
      if (header.sh_type == SHT_DYNAMIC) read_libraries(header, data);
      if (header.sh_type == SHT_DYNSYM) read_symbols(header, data);
    }
  }
  Needs(const Needs&) = delete;
  Needs& operator=(const Needs&) = delete;
  ~Needs() {
    elf_end(elf_);
    close(file_);
  }

  std::set<std::string> libraries = {};
  std::set<std::string> versions = {};
  std::set<std::string> symbols = {};  ///< that others must define, weak ones left out

 private:
  void read_versions(const GElf_Shdr& header, Elf_Data* data) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < header.sh_info; ++i) {
      GElf_Verneed need = {};
      gelf_getverneed(data, static_cast<int>(at), &need);
      std::size_t entry = at + need.vn_aux;
      for (int j = 0; j < need.vn_cnt; ++j) {
        GElf_Vernaux version = {};
        gelf_getvernaux(data, static_cast<int>(entry), &version);
        versions.insert(elf_strptr(elf_, header.sh_link, version.vna_name));
        entry += version.vna_next;
      }
      at += need.vn_next;
    }
  }

  void read_libraries(const GElf_Shdr& header, Elf_Data* data) {
    GElf_Dyn entry = {};
    for (int i = 0; gelf_getdyn(data, i, &entry) != nullptr && entry.d_tag != DT_NULL; ++i) {
      if (entry.d_tag == DT_NEEDED) {
        libraries.insert(elf_strptr(elf_, header.sh_link, entry.d_un.d_val));
      }
    }
  }

  void read_symbols(const GElf_Shdr& header, Elf_Data* data) {
    GElf_Sym symbol = {};
    for (int i = 1; gelf_getsym(data, i, &symbol) != nullptr; ++i) {
      if (symbol.st_shndx == SHN_UNDEF && GELF_ST_BIND(symbol.st_info) != STB_WEAK) {
        symbols.insert(elf_strptr(elf_, header.sh_link, symbol.st_name));
      }
    }
  }

  int file_;
  Elf* elf_ = nullptr;
};

/// 2.34 of "GLIBC_2.34"; none for names without a number.
Version number_of(const std::string& version) {
  int major = 99;
  int minor = 0;
  std::sscanf(version.c_str(), "GLIBC_%d.%d", &major, &minor);
  return {major, minor};
}

TEST(Library, LoadsWhereGlibcIs228) {
  const Needs needs(OMPDM_RECORDER);
  ASSERT_FALSE(needs.versions.empty());
  for (const std::string& version : needs.versions) {
    EXPECT_LE(number_of(version), Version(2, 28))
        << version << ": objdump -T tells which function; give it its old name in old_glibc.h";
  }
}

// What 2.28 has in libpthread and libdl must come along: a program without threads has neither.
TEST(Library, NeedsGlibcAlone) {
  const Needs needs(OMPDM_RECORDER);
  EXPECT_EQ(needs.libraries, (std::set<std::string>{"libc.so.6", "libdl.so.2", "libpthread.so.0"}));
  EXPECT_TRUE(needs.symbols.contains("dlopen"));
  EXPECT_FALSE(needs.symbols.contains("fstat")) << "2.28 has no such function";
}

}  // namespace
}  // namespace ompdm::library_test
