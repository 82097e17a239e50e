# What the tests of installed trees share: a folder of their own, SCRATCH, and steps that fail loudly.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}")

# Runs a command in SCRATCH; `output` is what it printed.
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

# Of what the last command printed.
function(require text)
  string(FIND "${output}" "${text}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "'${text}' is not in what was printed:\n${output}")
  endif()
endfunction()

function(require_files root)
  foreach(file IN LISTS ARGN)
    if(NOT EXISTS "${root}/${file}")
      message(FATAL_ERROR "${file} is not in ${root}")
    endif()
  endforeach()
endfunction()

function(require_stripped)
  run(readelf -SW ${ARGV})
  if(output MATCHES "\\.debug_info")
    message(FATAL_ERROR "not stripped: one of ${ARGV}")
  endif()
endfunction()

# The command finds this recorder, which records by the variable alone (PROGRAM, if there is one).
function(require_recorder command recorder)
  run("${command}" doctor)
  require("${recorder}")
  if(PROGRAM)
    run(${CMAKE_COMMAND} -E env "LD_PRELOAD=${recorder}" OMPDM_OUTPUT=preloaded.json "${PROGRAM}")
    run("${command}" report preloaded.json)
    require("vadd.cpp")
  endif()
endfunction()
