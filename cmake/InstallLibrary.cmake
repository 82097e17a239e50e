# find_package(ompdm) gives ompdm::ompdm: reading traces and spools, analysis, reports.
include(CMakePackageConfigHelpers)

add_library(ompdm_library INTERFACE)
target_link_libraries(ompdm_library INTERFACE ompdm_figures ompdm_trace ompdm_analysis ompdm_summary ompdm_report)
set_target_properties(ompdm_library PROPERTIES EXPORT_NAME ompdm)
add_library(ompdm::ompdm ALIAS ompdm_library)

set(ompdm_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ompdm)
install(DIRECTORY libompdm/include/ompdm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS ompdm_library ompdm_api ompdm_figures ompdm_calls ompdm_trace ompdm_analysis ompdm_summary ompdm_report
  EXPORT ompdm_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT ompdm_targets NAMESPACE ompdm:: FILE ompdmTargets.cmake DESTINATION ${ompdm_cmake_dir})
configure_package_config_file(cmake/ompdmConfig.cmake.in ${PROJECT_BINARY_DIR}/ompdmConfig.cmake
  INSTALL_DESTINATION ${ompdm_cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ompdmConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ompdmConfig.cmake ${PROJECT_BINARY_DIR}/ompdmConfigVersion.cmake
  DESTINATION ${ompdm_cmake_dir})
