# Install and export. One component, and one export set, for each library that may be off: catenaConfig.cmake
# then looks only for what the components that were asked for need.
include(CMakePackageConfigHelpers)

set(catena_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/catena)

# catena_install_library(TARGET COMPONENT INCLUDE_FOLDERS...)
function(catena_install_library target component)
  get_target_property(type ${target} TYPE)
  install(TARGETS ${target} EXPORT catena_${component}_targets COMPONENT ${component}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT catena_${component}_targets NAMESPACE catena:: COMPONENT ${component}
    DESTINATION ${catena_package_dir})
endfunction()

catena_install_library(catena core)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/catena DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT core FILES_MATCHING PATTERN "*.hpp" PATTERN io EXCLUDE
  PATTERN certificate EXCLUDE)

if(TARGET catena_io)
  catena_install_library(catena_io io)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/catena/io DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/catena
    COMPONENT io FILES_MATCHING PATTERN "*.hpp")
endif()

if(TARGET catena_certificate)
  catena_install_library(catena_certificate certificate)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/catena/certificate
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/catena COMPONENT certificate FILES_MATCHING PATTERN "*.hpp")
endif()

if(TARGET catena_ompl)
  catena_install_library(catena_ompl ompl)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/plugins/ompl/include/catena DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    COMPONENT ompl FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
endif()

# The command and the loadable plugin: programs and modules, not libraries to link.
if(TARGET catena_command)
  set_target_properties(catena_command PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  install(TARGETS catena_command COMPONENT tools RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET catena_ompl_plugin)
  install(TARGETS catena_ompl_plugin COMPONENT ompl
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/config DESTINATION ${CMAKE_INSTALL_DATADIR}/catena COMPONENT tools)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT core)

# A colcon workspace finds the package by these two; nothing of ROS is needed for them.
install(FILES ${PROJECT_SOURCE_DIR}/package.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/catena COMPONENT core)
file(WRITE ${PROJECT_BINARY_DIR}/ament_index_marker "")
install(FILES ${PROJECT_BINARY_DIR}/ament_index_marker COMPONENT core
  DESTINATION ${CMAKE_INSTALL_DATADIR}/ament_index/resource_index/packages RENAME catena)

# What a consumer must find before it can link: by library, as find_package names them.
set(CATENA_IO_DEPENDENCIES tinyxml2 assimp yaml-cpp nlohmann_json)
set(CATENA_CERTIFICATE_DEPENDENCIES tinyxml2 yaml-cpp)
set(CATENA_OMPL_DEPENDENCIES ompl)
set(CATENA_OMPL_COMPONENTS "")
if(TARGET catena_ompl)
  get_target_property(linked catena_ompl LINK_LIBRARIES)
  if("${linked}" MATCHES "catena(::|_)io")
    set(CATENA_OMPL_COMPONENTS io)
  endif()
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/catenaConfig.cmake.in
  ${PROJECT_BINARY_DIR}/catenaConfig.cmake INSTALL_DESTINATION ${catena_package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/catenaConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/catenaConfig.cmake ${PROJECT_BINARY_DIR}/catenaConfigVersion.cmake
  DESTINATION ${catena_package_dir} COMPONENT core)
