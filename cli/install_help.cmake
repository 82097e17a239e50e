# Man pages and completions, made by the command from its own definitions whenever it is built.
set(help ${CMAKE_CURRENT_BINARY_DIR}/help)
add_custom_command(TARGET ompdm POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${help}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${help}/man ${help}/completions
  COMMAND ompdm man --folder ${help}/man
  COMMAND ompdm completion bash > ${help}/completions/ompdm
  COMMAND ompdm completion zsh > ${help}/completions/_ompdm
  COMMAND ompdm completion fish > ${help}/completions/ompdm.fish
  VERBATIM)
install(DIRECTORY ${help}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime OPTIONAL)
install(FILES ${help}/completions/ompdm DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT runtime OPTIONAL)
install(FILES ${help}/completions/_ompdm DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT runtime OPTIONAL)
install(FILES ${help}/completions/ompdm.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT runtime OPTIONAL)
