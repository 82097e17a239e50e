# find_package(ompdm) gives ompdm::ompdm: reading traces and spools, analysis, reports.
include(CMakePackageConfigHelpers)

add_library(ompdm_library INTERFACE)
target_link_libraries(ompdm_library INTERFACE ompdm_model ompdm_trace ompdm_analysis ompdm_summary ompdm_report)
set_target_properties(ompdm_library PROPERTIES EXPORT_NAME ompdm)
add_library(ompdm::ompdm ALIAS ompdm_library)

# Those with an archive; the others are headers.
set(ompdm_archives ompdm_model ompdm_trace ompdm_analysis ompdm_summary ompdm_report)
set(ompdm_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ompdm)
install(DIRECTORY libompdm/include/ompdm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(TARGETS ompdm_library ompdm_api ${ompdm_archives}
  EXPORT ompdm_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(EXPORT ompdm_targets NAMESPACE ompdm:: FILE ompdmTargets.cmake DESTINATION ${ompdm_cmake_dir}
  COMPONENT development)
configure_package_config_file(cmake/ompdmConfig.cmake.in ${PROJECT_BINARY_DIR}/ompdmConfig.cmake
  INSTALL_DESTINATION ${ompdm_cmake_dir})
# As VERSIONS.md has it: before 1.0 a minor version may change the API.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ompdmConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ompdmConfig.cmake ${PROJECT_BINARY_DIR}/ompdmConfigVersion.cmake
  DESTINATION ${ompdm_cmake_dir} COMPONENT development)

# `--strip` leaves out archives, which are most of the tree.
list(TRANSFORM ompdm_archives PREPEND " lib" OUTPUT_VARIABLE ompdm_archive_files)
list(TRANSFORM ompdm_archive_files APPEND ".a")
list(JOIN ompdm_archive_files "" ompdm_archive_files)
install(CODE "
if(CMAKE_INSTALL_DO_STRIP)
  foreach(archive${ompdm_archive_files})
    execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-debug --enable-deterministic-archives
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/\${archive}\" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endif()" COMPONENT development)
