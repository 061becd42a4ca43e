# What is installed: archives, headers, programs, pkg-config files and a CMake package.
#
# The libraries are archives only, so whoever links one needs its needs as well: they stand in `Requires` and
# `Libs` of the pkg-config files, where `pkg-config --libs` finds them without --static.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/karst)

# karst_install(LIBRARY DESCRIPTION headers...): reads pc_requires and pc_libs.
function(karst_install library description)
    install(TARGETS ${library} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    foreach(header ${ARGN})
        install(FILES ${PROJECT_SOURCE_DIR}/include/karst/${header}.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/karst)
    endforeach()
    set(pc_name ${library})
    set(pc_description ${description})
    configure_file(${PROJECT_SOURCE_DIR}/cmake/package/karst.pc.in ${CMAKE_BINARY_DIR}/package/${library}.pc @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/package/${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
    string(REPLACE "karst-" "" component ${library})
    install(FILES ${PROJECT_SOURCE_DIR}/cmake/package/${component}.cmake DESTINATION ${package_dir})
endfunction()

file(RELATIVE_PATH pc_up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_up ${pc_up})

set(pc_requires "libzstd")
set(pc_libs "-pthread -lm")
# Every public header goes with `karst` but for those that need more than it.
set(author_headers
    bake
    brush
    canvas
    erode
    erosion
    filter
    geo
    history
    mask
    mrmbuild
    netsculpt
    noise
    project
    relax
    resample
    sheet
    stamp
    stroke
    transform)
set(gl_headers gl glmesh)
file(GLOB karst_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/karst/*.h)
list(TRANSFORM karst_headers REPLACE ".*/([a-z]+)[.]h$" "\\1")
list(REMOVE_ITEM karst_headers ${author_headers} ${gl_headers})
karst_install(karst "Terrain for games and simulations: packs, levels of detail, queries" ${karst_headers})
if(KARST_AUTHOR)
    set(pc_requires "karst sqlite3 gdal assimp")
    set(pc_libs "")
    karst_install(karst-author "Karst for tools: worlds, import, export, bake" ${author_headers})
endif()
if(KARST_GL)
    set(pc_requires "karst epoxy")
    set(pc_libs "")
    karst_install(karst-gl "Karst on OpenGL 4.5" ${gl_headers})
endif()

write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/karstConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_package_config_file(cmake/package/karstConfig.cmake.in ${CMAKE_BINARY_DIR}/package/karstConfig.cmake
    INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR
    NO_CHECK_REQUIRED_COMPONENTS_MACRO)
install(FILES ${CMAKE_BINARY_DIR}/package/karstConfig.cmake ${CMAKE_BINARY_DIR}/package/karstConfigVersion.cmake
    DESTINATION ${package_dir})

foreach(program karst-cli karst-view)
    if(TARGET ${program})
        install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    endif()
endforeach()
