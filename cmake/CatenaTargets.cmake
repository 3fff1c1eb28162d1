# What every target of this project gets, in one place.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

function(catena_configure_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  # A fused step would round differently per machine; the rounding bounds assume none anyway.
  target_compile_options(${target} PRIVATE -ffp-contract=off -Wall -Wextra -Wshadow -Wconversion
    -Wno-sign-conversion)
  if(CATENA_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
