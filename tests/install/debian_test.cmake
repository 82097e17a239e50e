# The Debian packages: what they hold and need, and what lintian says of them.
foreach(program dpkg-deb dpkg-shlibdeps lintian help2man)
  find_program(found_${program} ${program})
  if(NOT found_${program})
    message("SKIPPED: no ${program}: install dpkg-dev, lintian and help2man")
    return()
  endif()
endforeach()
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)

# xz takes half of the time that packages take; what is in them is the same.
run(${CPACK} --config "${BUILD}/CPackConfig.cmake" -G DEB -B "${SCRATCH}" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip)
file(GLOB packages "${SCRATCH}/*.deb")
file(GLOB command "${SCRATCH}/ompdm_*.deb")
file(GLOB library "${SCRATCH}/libompdm-dev_*.deb")
if(NOT command OR NOT library)
  message(FATAL_ERROR "a package is missing: ${packages}")
endif()
run(dpkg-deb -f "${command}" Depends Recommends)
if(NOT output MATCHES "libc6 " OR NOT output MATCHES "libdw1" OR output MATCHES "Depends:[^\n]*(LLVM|llvm|libomp)")
  message(FATAL_ERROR "the command's dependencies are not what it needs")
endif()
# Errors and warnings alike, of binaries that are built by hand: no bug of Debian's is closed by them.
run(lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs ${packages})

# Put where no root is needed, it records.
run(dpkg-deb -x "${command}" "${SCRATCH}/root")
file(GLOB recorder "${SCRATCH}/root/usr/lib/*/ompdm/libompdm.so")
if(NOT recorder)
  message(FATAL_ERROR "the recorder is not where packages have it")
endif()
require_recorder("${SCRATCH}/root/usr/bin/ompdm" "${recorder}")
require_files("${SCRATCH}/root/usr/share/ompdm" lesson/heat.toml python/lesson/ladder.py)
