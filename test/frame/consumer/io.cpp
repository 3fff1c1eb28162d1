// The readers, seen from outside: a robot from a file that is wrong, and the message that says how.
#include <fstream>
#include <iostream>

#include <catena/io/input_error.hpp>
#include <catena/io/urdf.hpp>

int main() {
  std::ofstream("twice.urdf") << "<robot name=\"r\"><link name=\"a\"/><link name=\"a\"/></robot>\n";
  try {
    catena::io::load_urdf("twice.urdf");
  } catch (const catena::io::InputError& error) {
    std::cout << error.what() << "\n";
    return error.file() == "twice.urdf" ? 0 : 1;
  }
  return 1;
}
