# What every target of this project gets, in one place.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# The proofs need IEEE arithmetic, operation by operation. -ffast-math and its parts take that away, and only
# some of them define __FAST_MATH__ (math/rounding.hpp refuses those in every consumer, too).
foreach(flags CMAKE_CXX_FLAGS CMAKE_CXX_FLAGS_DEBUG CMAKE_CXX_FLAGS_RELEASE CMAKE_CXX_FLAGS_RELWITHDEBINFO
              CMAKE_CXX_FLAGS_MINSIZEREL)
  foreach(flag -ffast-math -Ofast -funsafe-math-optimizations -fassociative-math -freciprocal-math
               -ffinite-math-only -fno-signed-zeros)
    if(" ${${flags}} " MATCHES " ${flag} ")
      message(FATAL_ERROR "${flags} contains ${flag}: Catena proves its answers with IEEE arithmetic; "
        "configure without that flag")
    endif()
  endforeach()
endforeach()

set(CATENA_SANITIZE "" CACHE STRING "Sanitizers for everything built here: address,undefined or thread")
if(CATENA_SANITIZE)
  # For the whole tree, because one uninstrumented target would hide what the others do to it.
  add_compile_options(-fsanitize=${CATENA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${CATENA_SANITIZE})
endif()

# Compilers read Eigen and the standard library for longer than most of our files. ccache spares a second
# reading and cannot see through precompiled headers; where it is not installed, they spare the first one. Each
# source still includes what it uses: builds with ccache, and builds of users, have nothing else.
option(CATENA_FASTER_BUILDS "Compile with ccache, or where it is not found with precompiled headers" OFF)
set(CATENA_PRECOMPILED_HEADERS OFF)
if(CATENA_FASTER_BUILDS)
  find_program(CATENA_CCACHE ccache)
  mark_as_advanced(CATENA_CCACHE)
  if(CATENA_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CATENA_CCACHE})
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    set(CATENA_PRECOMPILED_HEADERS ON)
  endif()
endif()

# catena_precompile(TARGET HEADERS...): compiles the headers for what catena_use_precompiled(... TARGET) names. The
# target itself has no definitions of its own, since GCC refuses precompiled headers that saw a macro which a
# source does not.
function(catena_precompile target)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${target}.cpp CONTENT "" @ONLY)
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/${target}.cpp)
  catena_configure_target(${target})
  target_precompile_headers(${target} PRIVATE ${ARGN})
endfunction()

# GCC 12 no longer knows its own std::string for a system header's (bug 105651 and its kind).
set(CATENA_FALSE_ALARMS
  -Wno-error=array-bounds -Wno-error=restrict -Wno-error=stringop-overflow -Wno-error=stringop-overread)

function(catena_use_precompiled target headers)
  if(TARGET ${headers})
    target_precompile_headers(${target} REUSE_FROM ${headers})
    target_compile_options(${target} PRIVATE ${CATENA_FALSE_ALARMS})
  endif()
endfunction()

# Headers of a target's own.
function(catena_precompile_for target)
  if(CATENA_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} PRIVATE ${ARGN})
    target_compile_options(${target} PRIVATE ${CATENA_FALSE_ALARMS})
  endif()
endfunction()

function(catena_configure_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  # A fused step would round differently per machine; the rounding bounds assume none anyway.
  target_compile_options(${target} PRIVATE -ffp-contract=off -Wall -Wextra -Wshadow -Wconversion
    -Wno-sign-conversion)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # At -O3 a false alarm on std::string (GCC bug 105651).
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Wno-restrict>)
  endif()
  if(CATENA_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
