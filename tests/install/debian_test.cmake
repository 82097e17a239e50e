# The Debian packages: what they hold and need, and what lintian says of them.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}")
foreach(program dpkg-deb dpkg-shlibdeps lintian)
  find_program(found_${program} ${program})
  if(NOT found_${program})
    message("SKIPPED: no ${program}: install dpkg-dev and lintian")
    return()
  endif()
endforeach()

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output
    WORKING_DIRECTORY "${SCRATCH}")
  if(NOT status EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}: ${status}\n${output}")
  endif()
  message("${output}")
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CPACK} --config "${BUILD}/CPackConfig.cmake" -G DEB -B "${SCRATCH}")
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
run("${SCRATCH}/root/usr/bin/ompdm" doctor)
if(NOT output MATCHES "/usr/lib/ompdm/libompdm\\.so")
  message(FATAL_ERROR "the recorder is not found where the package has it")
endif()
if(PROGRAM)
  run(${CMAKE_COMMAND} -E env "LD_PRELOAD=${SCRATCH}/root/usr/lib/ompdm/libompdm.so" OMPDM_OUTPUT=trace.json
    "${PROGRAM}")
  run("${SCRATCH}/root/usr/bin/ompdm" report trace.json)
endif()
