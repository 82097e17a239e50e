# Programs whose device memory `ompdm check` fills and fences.
file(GLOB check_programs CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/checks
  ${CMAKE_CURRENT_SOURCE_DIR}/checks/*.c)
foreach(source IN LISTS check_programs)
  get_filename_component(name ${source} NAME_WE)
  add_e2e_program(checks_${name} ${CMAKE_CURRENT_SOURCE_DIR}/checks/${source} C)
  add_dependencies(e2e_test e2e_checks_${name})
endforeach()
target_sources(e2e_test PRIVATE check_test.cpp)
