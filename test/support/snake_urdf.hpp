#pragma once

#include <string>

namespace catena::test {

/// URDF of a snake: capsules of 1 m along x, of the given radius (metres), that turn about z and y
/// by turns, up to 3 rad both ways. Links l0, l1, ..., joints j1, j2, ...
inline std::string snake_urdf(int links, double radius) {
  std::string text = "<robot name=\"snake\">\n";
  for (int i = 0; i < links; ++i) {
    const std::string number = std::to_string(i);
    text += "<link name=\"l" + number +
            "\"><collision><origin xyz=\"0.5 0 0\" rpy=\"0 1.5707963267948966 0\"/><geometry>"
            "<capsule radius=\"" +
            std::to_string(radius) + "\" length=\"1\"/></geometry></collision></link>\n";
    if (i == 0) continue;
    text += "<joint name=\"j" + number +
            "\" type=\"revolute\"><origin xyz=\"1 0 0\"/><parent link=\"l" + std::to_string(i - 1) +
            "\"/><child link=\"l" + number + "\"/><axis xyz=\"" + (i % 2 == 0 ? "0 0 1" : "0 1 0") +
            "\"/><limit lower=\"-3\" upper=\"3\" effort=\"1\" velocity=\"1\"/></joint>\n";
  }
  return text + "</robot>\n";
}

}  // namespace catena::test
