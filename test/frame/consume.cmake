# Installs the package into a fresh prefix, moves it, and builds and runs a small program against it.
# Run by ctest: cmake -DBUILD=... -DSCRATCH=... -DCONSUMER=... -DCXX=... -DGENERATOR=... -DCOMPONENTS=...
#   -P consume.cmake
cmake_minimum_required(VERSION 3.22)
function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what} failed (${status}):\n${output}")
  endif()
  message(STATUS "${what}: done")
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
foreach(component ${COMPONENTS})
  run("install ${component}" ${CMAKE_COMMAND} --install ${BUILD} --component ${component} --prefix ${SCRATCH}/first)
endforeach()
# An installed package may be moved, or packed and unpacked elsewhere: no path in it may be absolute.
file(RENAME ${SCRATCH}/first ${SCRATCH}/moved)

set(flags "")
if(SANITIZE)
  set(flags -fsanitize=${SANITIZE})
endif()
string(REPLACE ";" "\\;" wanted "${COMPONENTS}")
run("configure the consumer" ${CMAKE_COMMAND} -S ${CONSUMER} -B ${SCRATCH}/build -G ${GENERATOR}
  -DCMAKE_CXX_COMPILER=${CXX}
  -DCMAKE_PREFIX_PATH=${SCRATCH}/moved -DCMAKE_CXX_FLAGS=${flags} "-DCATENA_COMPONENTS=${wanted}")
run("build the consumer" ${CMAKE_COMMAND} --build ${SCRATCH}/build)
run("run the consumer" ${SCRATCH}/build/consumer)
if(NOT output STREQUAL "free\ncollision\n")
  message(FATAL_ERROR "The consumer's first motion is free, its second is not; it printed:\n${output}")
endif()
foreach(component io ompl)
  if(component IN_LIST COMPONENTS)
    run("run the consumer of catena::${component}" ${SCRATCH}/build/consumer_${component})
  endif()
endforeach()

# A component that does not exist must be refused by name, and an optional one must not get in the way.
execute_process(COMMAND ${CMAKE_COMMAND} -S ${CONSUMER} -B ${SCRATCH}/wrong -G ${GENERATOR}
  -DCMAKE_CXX_COMPILER=${CXX}
  -DCMAKE_PREFIX_PATH=${SCRATCH}/moved -DCATENA_COMPONENTS=no_such_thing
  RESULT_VARIABLE status ERROR_VARIABLE output OUTPUT_QUIET)
if(status EQUAL 0 OR NOT output MATCHES "no_such_thing")
  message(FATAL_ERROR "A component that does not exist was not refused by name:\n${output}")
endif()
