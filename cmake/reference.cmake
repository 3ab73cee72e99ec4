# The manual page and the completions of shells: the program writes them from its own options. What is built for another machine cannot be
# asked.
if(CMAKE_CROSSCOMPILING)
  add_custom_target(attend_reference)
  return()
endif()
set(reference ${PROJECT_BINARY_DIR}/reference)
set(program $<TARGET_FILE:attend_program>)
add_custom_command(
  OUTPUT ${reference}/attend.1 ${reference}/attend.bash ${reference}/_attend ${reference}/attend.fish
  COMMAND ${CMAKE_COMMAND} -E make_directory ${reference}
  COMMAND ${program} man > ${reference}/attend.1
  COMMAND ${program} completion bash > ${reference}/attend.bash
  COMMAND ${program} completion zsh > ${reference}/_attend
  COMMAND ${program} completion fish > ${reference}/attend.fish
  DEPENDS attend_program
  COMMENT "Writing the manual page and the completions"
  VERBATIM)
add_custom_target(attend_reference ALL DEPENDS ${reference}/attend.1)

if(ATTEND_INSTALL)
  include(GNUInstallDirs)
  install(FILES ${reference}/attend.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME attend COMPONENT runtime)
  install(FILES ${reference}/attend.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT runtime)
  # Debian wants manual pages compressed, and looks elsewhere than zsh for the completions of packages.
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    add_custom_command(OUTPUT ${reference}/attend.1.gz COMMAND gzip -9nkf attend.1 DEPENDS ${reference}/attend.1
                       WORKING_DIRECTORY ${reference})
    add_custom_target(attend_compressed_reference ALL DEPENDS ${reference}/attend.1.gz)
    install(FILES ${reference}/attend.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime)
    install(FILES ${reference}/_attend DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT runtime)
  else()
    install(FILES ${reference}/attend.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime)
    install(FILES ${reference}/_attend DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT runtime)
  endif()
endif()
