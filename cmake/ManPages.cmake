# Man pages, which help2man makes of what a command's --help says. Included it gives ompdm_man_pages(); run as a script
# (-P) it makes the pages of PROGRAM, and of its subcommands, in FOLDER.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  find_program(OMPDM_HELP2MAN help2man DOC "Makes the man pages")
  if(NOT OMPDM_HELP2MAN)
    message(STATUS "man pages: left out: no help2man")
  endif()

  # Makes and installs the man pages of TARGET with COMPONENT.
  function(ompdm_man_pages target component)
    add_custom_target(${target}_man ALL)
    if(NOT OMPDM_HELP2MAN)
      return()
    endif()
    set(pages ${CMAKE_CURRENT_BINARY_DIR}/man)
    add_custom_command(OUTPUT ${pages}/${target}.1
      COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${target}> -DFOLDER=${pages} -DHELP2MAN=${OMPDM_HELP2MAN}
        -DVERSION=${PROJECT_VERSION} -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
      DEPENDS ${target} ${CMAKE_CURRENT_FUNCTION_LIST_FILE} VERBATIM)
    add_custom_target(${target}_pages DEPENDS ${pages}/${target}.1)
    add_dependencies(${target}_man ${target}_pages)
    install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${component} OPTIONAL)
  endfunction()
  return()
endif()

cmake_minimum_required(VERSION 3.25)

# Makes the page NAME of the command with these words behind it. The first line of its help is its purpose.
function(make_page name see_also sections)
  execute_process(COMMAND "${PROGRAM}" ${ARGN} --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "^[^\n]*" purpose "${help}")
  string(REGEX REPLACE "^${name} |\\.$" "" purpose "${purpose}")
  string(SUBSTRING "${purpose}" 0 1 first)
  string(SUBSTRING "${purpose}" 1 -1 rest)
  string(TOLOWER "${first}" first)
  # help2man takes one line of usage, and sections' names between stars.
  string(REGEX REPLACE "(\nUsage: [^\n]*)\n +" "\\1 " help "${help}")
  string(REPLACE "\nRecord:\n" "\n*Commands*\n\nRecord:\n" help "${help}")
  file(WRITE "${FOLDER}/help" "${help}")
  # Examples are lines of their own.
  if(help MATCHES "\nExamples:\n")
    string(APPEND sections "[examples]\n.nf\n\n[>examples]\n.fi\n\n")
  endif()
  list(REMOVE_ITEM see_also ${name})
  list(TRANSFORM see_also REPLACE "(.+)" ".BR \\1 (1)")
  list(JOIN see_also ",\n" see_also)
  file(WRITE "${FOLDER}/include" "${sections}[see also]\n${see_also}\n")
  execute_process(
    COMMAND "${HELP2MAN}" --no-info "--name=${first}${rest}" "--version-string=${name} ${VERSION}"
      "--source=ompdm ${VERSION}" --manual=ompdm --include=include --help-option=help cat
    WORKING_DIRECTORY "${FOLDER}" OUTPUT_VARIABLE page COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE "${FOLDER}/help" "${FOLDER}/include")
  # The same build gives the same page on any day; "-o,--output" is two names.
  string(REGEX REPLACE "(\n\\.TH [^ ]+ \"1\") \"[^\"]*\"" "\\1 \"\"" page "${page}")
  string(REGEX REPLACE "(\n\\\\fB\\\\-[^ \n]*\\\\fR),(\\\\-\\\\-[^ \n]+)" "\\1, \\\\fB\\2\\\\fR" page "${page}")
  file(WRITE "${FOLDER}/${name}.1" "${page}")
endfunction()

file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}")
cmake_path(GET PROGRAM FILENAME command)
if(NOT command STREQUAL "ompdm")
  make_page(${command} "ompdm-fix" "")
  return()
endif()
execute_process(COMMAND "${PROGRAM}" --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "^.*\n(Record:.*)\nStart here:.*" "\\1" help "${help}")
string(REGEX MATCHALL "\n  [a-z]+ " verbs "${help}")
list(TRANSFORM verbs STRIP)
set(pages ${verbs})
list(TRANSFORM pages PREPEND "ompdm-")
list(PREPEND pages ompdm)
make_page(ompdm "${pages}" "[>commands]
.SH \"EXIT STATUS\"
.TP
0
success
.TP
1
failure: one line on standard error says what is wrong, and what to do
.TP
2
the command line makes no sense
.TP
3
a condition of \\fB\\-\\-fail\\-if\\fR holds
.PP
\\fBompdm record\\fR has the exit status of its program.

")
foreach(verb IN LISTS verbs)
  make_page(ompdm-${verb} "${pages}" "" ${verb})
endforeach()
