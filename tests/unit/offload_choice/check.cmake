# Configures one build folder again and again, with compilers that compile nothing. SCRATCH, SOURCE, OFFLOAD_PROGRAM, and
# the GENERATOR that this build has: a machine need not have another.
file(REMOVE_RECURSE ${SCRATCH})
foreach(version 19 22)
  foreach(name clang++-${version} clang-${version})
    set(compiler ${SCRATCH}/bin/${name})
    file(WRITE ${compiler} "#!/bin/sh\n[ \"$1\" != -dumpversion ] || echo ${version}.1\n")
    file(CHMOD ${compiler} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  endforeach()
endforeach()
file(COPY_FILE ${SCRATCH}/bin/clang-22 ${SCRATCH}/bin/other)

function(expect choice wanted)
  execute_process(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE} -B ${SCRATCH}/build
      -DOFFLOAD_PROGRAM=${OFFLOAD_PROGRAM} ${choice}
    WORKING_DIRECTORY ${SCRATCH} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE failure)
  if(failure)
    message(FATAL_ERROR "${output}")
  endif()
  file(READ ${SCRATCH}/build/chosen chosen)
  string(REPLACE "${SCRATCH}/bin/" "" chosen "${chosen}")
  if(NOT chosen STREQUAL wanted)
    message(SEND_ERROR "${choice}: chosen was ${chosen}, wanted ${wanted}\n${output}")
  endif()
endfunction()

expect(-DOMPDM_OFFLOAD_CXX=${SCRATCH}/bin/clang++-19 "clang++-19 clang-19 19.1")
# What worked is kept, and another C++ compiler brings its own C compiler.
expect("" "clang++-19 clang-19 19.1")
expect(-DOMPDM_OFFLOAD_CXX=${SCRATCH}/bin/clang++-22 "clang++-22 clang-22 22.1")
# Unless one was chosen too, which stays for as long as the C++ compiler does.
expect("-DOMPDM_OFFLOAD_CXX=${SCRATCH}/bin/clang++-19;-DOMPDM_OFFLOAD_C=${SCRATCH}/bin/other" "clang++-19 other 19.1")
expect("" "clang++-19 other 19.1")
# By name.
set(ENV{PATH} "${SCRATCH}/bin:$ENV{PATH}")
expect(-DOMPDM_OFFLOAD_CXX=clang++-22 "clang++-22 clang-22 22.1")
