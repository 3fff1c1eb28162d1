#pragma once

#include <array>
#include <string>
#include <vector>

#include "catena/certificate/check.hpp"

namespace catena::certificate {

/// A certificate as its text says, nothing of it believed yet (docs/formats.md).
struct CertificateFile {
  double clearance = 0.0;
  std::vector<std::string> joints;

  /// Of a shape's faces: those whose least (or greatest) coordinate along `axis` is below `at`
  /// belong to the first child, which is the next node, the others to the node `second`; a leaf is
  /// a part.
  struct Cut {
    int axis = -1;  // -1: a leaf
    bool greatest = false;
    double at = 0.0;
    int second = -1;
  };
  struct ShapeParts {
    std::string body;
    int number = 0;
    std::vector<Cut> cuts;
    int first_part = 0, num_parts = 0;
    int line = 0;
  };
  std::vector<ShapeParts> shapes;
  int num_parts = 0;

  struct Plane {
    double begin = 0.0, end = 0.0;  // times
    std::string frame;              // a link's name; empty: the world
    std::array<double, 3> normal{};
    double offset = 0.0;
    std::array<int, 2> low{}, high{};  // parts, half-open
    int line = 0;
  };
  struct Outside {
    std::string solid, other;
    int solid_number = 0, other_number = 0;
    int component = 0;  // of the other's surface
    std::array<double, 3> ray{};
    int line = 0;
  };
  struct Edge {
    Proven::Edge motion;
    std::vector<Plane> planes;
    std::vector<Outside> outsides;
    int line = 0;
  };
  std::vector<Edge> edges;
};

/// Throws Refusal, with the line, for anything but a whole certificate.
CertificateFile parse_certificate(const std::string& text);

}  // namespace catena::certificate
