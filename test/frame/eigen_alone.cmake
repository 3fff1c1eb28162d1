# With Eigen as the only dependency found, the project configures, and says which parts are left out.
# Run by ctest: cmake -DSOURCE=... -DSCRATCH=... -DCXX=... -DGENERATOR=... -P eigen_alone.cmake
cmake_minimum_required(VERSION 3.22)
set(hidden "")
foreach(package tinyxml2 assimp yaml-cpp nlohmann_json octomap ompl CLI11 class_loader GTest benchmark urdfdom TBB hwy)
  list(APPEND hidden -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()

file(REMOVE_RECURSE ${SCRATCH})
execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${SCRATCH} -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${CXX} -DCATENA_BUILD_TESTS=OFF ${hidden}
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "Does not configure with Eigen alone:\n${output}")
endif()
foreach(part "catena::io" "catena::ompl" "catena command")
  if(NOT output MATCHES "-- ${part}: [^\n]*(off|not found|not built)")
    message(FATAL_ERROR "Nothing says that ${part} is left out:\n${output}")
  endif()
endforeach()
