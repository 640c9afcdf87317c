# The rules of `cmake --install`: the headers, the package for find_package(warpfold), and files for pkg-config. The rules of
# `cpack`, which makes a Debian package of them.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/warpfold")
set(package_build_dir "${CMAKE_CURRENT_BINARY_DIR}/package")

configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/warpfold-config.cmake.in"
  "${package_build_dir}/warpfold-config.cmake"
  INSTALL_DESTINATION "${package_dir}"
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(
  "${package_build_dir}/warpfold-config-version.cmake"
  COMPATIBILITY SameMinorVersion
  ARCH_INDEPENDENT)

install(DIRECTORY include/warpfold DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)
install(TARGETS warpfold EXPORT warpfold-targets)
install(EXPORT warpfold-targets NAMESPACE warpfold:: DESTINATION "${package_dir}" COMPONENT development)
install(
  FILES
    "${CMAKE_CURRENT_LIST_DIR}/warpfold_components.cmake"
    "${package_build_dir}/warpfold-config.cmake"
    "${package_build_dir}/warpfold-config-version.cmake"
  DESTINATION "${package_dir}"
  COMPONENT development)

install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/libwarpfold-dev" RENAME copyright COMPONENT development)

# pkg-config finds its files by their place, so the folder can be moved.
function(warpfold_pkg_config name description requires libs)
  set(file "${package_build_dir}/${name}.pc")
  configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/warpfold.pc.in" "${file}" @ONLY)
  install(FILES "${file}" DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig" COMPONENT development)
endfunction()
warpfold_pkg_config(warpfold "${PROJECT_DESCRIPTION}" "" "-ldl -pthread")
warpfold_pkg_config(warpfold-par "${PROJECT_DESCRIPTION}, on host threads of oneTBB" "warpfold tbb" "")
warpfold_pkg_config(warpfold-emulated "${PROJECT_DESCRIPTION}, on an emulated GPU" warpfold -lboost_context)

if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_VENDOR warpfold)
  set(CPACK_PACKAGE_CONTACT "The developers of warpfold")
  set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
  set(CPACK_COMPONENTS_ALL development)
  set(library_components library library_development)
  if(WARPFOLD_BUILD_COMPILED AND TARGET TBB::tbb)
    list(APPEND CPACK_COMPONENTS_ALL ${library_components})
  endif()
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libwarpfold-dev)
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_ARCHITECTURE all)
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "libtbb-dev, libboost-context-dev")
  set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "${PROJECT_DESCRIPTION}: headers only")
  set(library_package "libwarpfold${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
  set(library_packages "${library_package}" libwarpfold-compiled-dev)
  foreach(package component IN ZIP_LISTS library_packages library_components)
    install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${package}" RENAME copyright COMPONENT ${component}
      EXCLUDE_FROM_ALL)
    string(TOUPPER "${component}" name)
    set(CPACK_DEBIAN_${name}_PACKAGE_NAME "${package}")
  endforeach()
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
  set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "${PROJECT_DESCRIPTION}: the compiled library")
  set(CPACK_DEBIAN_LIBRARY_DEVELOPMENT_PACKAGE_SECTION libdevel)
  set(CPACK_DEBIAN_LIBRARY_DEVELOPMENT_PACKAGE_DEPENDS
    "${library_package} (= ${PROJECT_VERSION}), libwarpfold-dev (= ${PROJECT_VERSION}), libtbb-dev")
  set(CPACK_COMPONENT_LIBRARY_DEVELOPMENT_DESCRIPTION "${PROJECT_DESCRIPTION}: the interfaces of the compiled library for C, C++ and Fortran")
  include(CPack)
endif()

