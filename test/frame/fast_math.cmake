# -ffast-math is refused, by the headers (in a consumer's program) and when this project is configured.
# Run by ctest: cmake -DSOURCE=... -DSCRATCH=... -DCXX=... -DGENERATOR=... -P fast_math.cmake
cmake_minimum_required(VERSION 3.22)
function(expect_refusal what output)
  if(status EQUAL 0)
    message(FATAL_ERROR "${what} was accepted")
  endif()
  string(REGEX REPLACE "[ \n]+" " " text "${output}")
  if(NOT text MATCHES "Catena proves its answers with IEEE arithmetic")
    message(FATAL_ERROR "${what} failed, but not with the reason:\n${output}")
  endif()
  message(STATUS "${what}: refused, with the reason")
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})
file(WRITE ${SCRATCH}/probe.cpp "#include \"catena/math/rounding.hpp\"\n")
set(compile ${CXX} -std=c++20 -fsyntax-only -I${SOURCE}/include ${SCRATCH}/probe.cpp)

execute_process(COMMAND ${compile} RESULT_VARIABLE status ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "The header does not compile even without -ffast-math:\n${output}")
endif()
foreach(flag -ffast-math -Ofast)
  execute_process(COMMAND ${compile} ${flag} RESULT_VARIABLE status ERROR_VARIABLE output)
  expect_refusal("a consumer compiled with ${flag}" "${output}")
endforeach()

foreach(flag -ffast-math -fno-signed-zeros)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${SCRATCH}/build -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${flag}
    RESULT_VARIABLE status ERROR_VARIABLE output OUTPUT_QUIET)
  expect_refusal("this project configured with ${flag}" "${output}")
  file(REMOVE_RECURSE ${SCRATCH}/build)
endforeach()
