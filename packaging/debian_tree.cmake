# Run by cpack between the install and the packing. Makes the staged trees what Debian's policy asks for; other
# generators' trees are left as they are.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(debian ${CMAKE_CURRENT_LIST_DIR}/debian)
set(runtime ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/runtime/usr)

# Plugins, not libraries to link with: they have no versions, and the linker need not see them.
file(GLOB plugins ${runtime}/lib/*.so ${runtime}/lib/*/*.so)
set(private ${runtime}/lib/${CPACK_OMPDM_ARCHITECTURE}/ompdm)
file(MAKE_DIRECTORY ${private})
foreach(plugin IN LISTS plugins)
  cmake_path(GET plugin FILENAME name)
  file(RENAME ${plugin} ${private}/${name})
  file(CHMOD ${private}/${name} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endforeach()
# /usr/bin is in PATH, and unloading the module would take it out.
file(REMOVE_RECURSE ${runtime}/share/ompdm/modulefiles)
# Where Debian's zsh looks.
if(EXISTS ${runtime}/share/zsh/site-functions)
  file(RENAME ${runtime}/share/zsh/site-functions ${runtime}/share/zsh/vendor-completions)
endif()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  if(component STREQUAL "runtime")
    set(package ompdm)
  elseif(component STREQUAL "development")
    set(package libompdm-dev)
  else()
    set(package ompdm-edit)
  endif()
  set(tree ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}/usr)
  set(documents ${tree}/share/doc/${package})
  file(MAKE_DIRECTORY ${documents})
  file(COPY ${debian}/copyright DESTINATION ${documents})
  file(COPY_FILE ${debian}/changelog ${documents}/changelog.Debian)
  run(gzip -9n ${documents}/changelog.Debian)
  # Debian has a name for the list of changes.
  if(EXISTS ${documents}/CHANGELOG.md)
    file(RENAME ${documents}/CHANGELOG.md ${documents}/changelog)
    run(gzip -9n ${documents}/changelog)
  endif()
  file(GLOB pages ${tree}/share/man/man1/*.1)
  if(pages)
    run(gzip -9n ${pages})
  endif()
endforeach()
