# `cpack -G TGZ` makes one tree that runs wherever it is unpacked, `cpack -G DEB` Debian packages: ompdm, libompdm-dev
# and ompdm-edit. Both take what is built, stripped; the bundled kernels stay out: they lead to this machine's runtime.
set(modulefile ${PROJECT_BINARY_DIR}/packaging/modulefiles/${PROJECT_VERSION})
configure_file(packaging/modulefiles/ompdm.tcl.in ${modulefile} @ONLY)
install(FILES ${modulefile} DESTINATION ${CMAKE_INSTALL_DATADIR}/ompdm/modulefiles/ompdm COMPONENT runtime)
install(FILES README.md VERSIONS.md CHANGELOG.md docs/formats/FORMAT.md docs/formats/REPORT.md docs/formats/COMPARE.md
  docs/formats/CHECK.md docs/formats/EDITS.md docs/formats/JOB.md
  docs/formats/SQLITE.md docs/formats/LONG.md docs/formats/TIMELINE.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)

set(CPACK_PACKAGE_NAME ompdm)
set(CPACK_PACKAGE_VENDOR ompdm)
set(CPACK_PACKAGE_CONTACT "ompdm maintainers <maintainers@ompdm.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "profiler of data movement in OpenMP-offload programs")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL runtime development)
if(TARGET ompdm-edit)
  list(APPEND CPACK_COMPONENTS_ALL edit)
endif()
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/packaging/generator.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/debian_tree.cmake)

set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_FILE_NAME ompdm-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_OMPDM_ARCHITECTURE ${CMAKE_LIBRARY_ARCHITECTURE})
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ompdm)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
# The profiled program brings its runtime: whichever it is will do.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "libomp5-19 | libomp5-20 | libomp5-21 | libomp5-22, python3")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "ompdm-edit, clang-19 | clang-20 | clang-21 | clang-22")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
"It records every transfer, mapping and kernel launch of a program, reports
where its data movement dominates, at the line of each directive, and says
what to write instead. A program is neither changed nor built anew for it.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libompdm-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# What its CMake package asks for: the libraries are static.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libfmt-dev, nlohmann-json3-dev, libsimdjson-dev, zlib1g-dev, libdw-dev, libcapstone-dev, pkgconf")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "cmake")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
"Headers, static libraries and a CMake package: find_package(ompdm) gives the
target ompdm::ompdm, with the trace model, the analysis and the reports, for
programs that read traces by themselves or add detectors of their own.")

set(CPACK_DEBIAN_EDIT_PACKAGE_NAME ompdm-edit)
set(CPACK_DEBIAN_EDIT_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_EDIT_PACKAGE_SHLIBDEPS ON)
# It reads clang's own headers, and is of one version with the command that starts it.
set(CPACK_DEBIAN_EDIT_PACKAGE_DEPENDS "ompdm (= ${PROJECT_VERSION}-1), libclang-common-19-dev")
set(CPACK_COMPONENT_EDIT_DESCRIPTION
"What ompdm fix asks of a program's sources, answered by clang's own syntax
tree: which statement a loop is, and where the host reads or writes the data
that an edit would leave on the device.")
include(CPack)
