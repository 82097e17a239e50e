# Every library that the command and the analysis library are made of. Found here, at the top, because an
# imported target is known in the folder that found it and below; the recorder needs none of them.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(simdjson REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(libdw REQUIRED IMPORTED_TARGET libdw)
pkg_check_modules(capstone REQUIRED IMPORTED_TARGET capstone)
pkg_check_modules(libelf REQUIRED IMPORTED_TARGET libelf)
find_package(CLI11 REQUIRED)
