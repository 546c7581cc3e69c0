# What every room shares: warnings, sanitizers, and one library with one test program each.

add_library(escapement_options INTERFACE)
target_compile_options(escapement_options INTERFACE -Wall -Wextra -Wpedantic -Werror
  -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # g++ 12 sees an overlap in every optimised `"text" + string` (GCC bug 105651).
  target_compile_options(escapement_options INTERFACE -Wno-restrict)
  # ... and at -O3 an uninitialised read in every moved std::variant (GCC bug 80635). The sanitizers
  # and clang look for real ones.
  target_compile_options(escapement_options INTERFACE $<$<CONFIG:Release>:-Wno-maybe-uninitialized>)
endif()
if(ESCAPEMENT_SANITIZE)
  target_compile_options(escapement_options INTERFACE -fsanitize=${ESCAPEMENT_SANITIZE}
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(escapement_options INTERFACE -fsanitize=${ESCAPEMENT_SANITIZE})
endif()
if(ESCAPEMENT_COVERAGE)
  target_compile_options(escapement_options INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(escapement_options INTERFACE --coverage)
endif()

# escapement_room(NAME [THREADS] [DEPS targets...] [PRIVATE_DEPS targets...])
#
# Builds src/*.cc (without tests, benchmarks and fuzz targets) into escapement_NAME, alias
# escapement::NAME, and src/*_test.cc into the test program NAME_test. THREADS labels its tests
# `threads`, so that `./dev test --long` runs them under ThreadSanitizer too.
function(escapement_room name)
  cmake_parse_arguments(ROOM "THREADS" "" "DEPS;PRIVATE_DEPS" ${ARGN})
  set(folder ${CMAKE_CURRENT_SOURCE_DIR})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/src/*.cc)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_(test|bench|fuzz)\\.cc$")
  if(sources)
    add_library(escapement_${name} STATIC ${sources})
    target_include_directories(escapement_${name} PUBLIC
      $<BUILD_INTERFACE:${folder}/include> $<INSTALL_INTERFACE:include> PRIVATE ${folder}/src)
    target_link_libraries(escapement_${name} PUBLIC ${ROOM_DEPS}
      PRIVATE $<BUILD_INTERFACE:escapement_options> ${ROOM_PRIVATE_DEPS})
  else()
    add_library(escapement_${name} INTERFACE)
    target_include_directories(escapement_${name} INTERFACE
      $<BUILD_INTERFACE:${folder}/include> $<INSTALL_INTERFACE:include>)
    target_link_libraries(escapement_${name} INTERFACE ${ROOM_DEPS})
  endif()
  add_library(escapement::${name} ALIAS escapement_${name})
  if(ESCAPEMENT_TESTS AND tests)
    set(labels "")
    if(ROOM_THREADS)
      set(labels LABELS threads)
    endif()
    add_executable(${name}_test ${tests})
    target_include_directories(${name}_test PRIVATE ${folder}/src)
    target_link_libraries(${name}_test PRIVATE escapement_${name} ${ROOM_PRIVATE_DEPS}
      escapement_options GTest::gtest_main GTest::gmock)
    gtest_discover_tests(${name}_test TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60
      WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} PROPERTIES TIMEOUT 600 ${labels})
  endif()
endfunction()
