#include <set>
#include <string>

#include "io/scene_forms.hpp"

namespace catena::io {

namespace {

// Notes that change nothing; any other key that is not known could be a misspelled one that does.
#define CATENA_NOTES "note", "comment", "color", "colour", "name"

RigidEnclosure read_pose(const Element& object, SceneReader& reader) {
  const std::optional<Element> pose = object.find("pose");
  if (!pose) return RigidEnclosure::identity();
  pose->allow_only({"xyz", "quat_xyzw", "rpy"});
  const std::optional<Element> xyz = pose->find("xyz");
  const std::optional<Element> quaternion = pose->find("quat_xyzw");
  const std::optional<Element> rpy = pose->find("rpy");
  if (quaternion && rpy) pose->fail("both quat_xyzw and rpy", "keep one of them");
  const Eigen::Vector3d p = xyz ? xyz->vector3() : Eigen::Vector3d(0, 0, 0);
  if (rpy) return RigidEnclosure::from_rpy(p, rpy->vector3());
  if (!quaternion) return RigidEnclosure::translation(p);
  return pose_of(*quaternion, p, quaternion->vector4(), reader.scene.warnings);
}

std::shared_ptr<const Geometry> read_shape(const Element& object, SceneReader& reader) {
  const Element shape = object.at("shape");
  const std::string& name = shape.string();
  if (name == "box") {
    object.allow_only({"id", "shape", "pose", "size", CATENA_NOTES});
    const Element size = object.at("size");
    for (std::size_t i = 0; i < size.require_array().size(); ++i)
      size_of(size[i], reader.scene.warnings);
    return make_geometry(object, Box{size.vector3()});
  }
  if (name == "sphere") {
    object.allow_only({"id", "shape", "pose", "radius", CATENA_NOTES});
    return make_geometry(object, Sphere{size_of(object.at("radius"), reader.scene.warnings)});
  }
  if (name == "cylinder" || name == "capsule" || name == "cone") {
    object.allow_only({"id", "shape", "pose", "radius", "length", CATENA_NOTES});
    const double radius = size_of(object.at("radius"), reader.scene.warnings);
    const double length = size_of(object.at("length"), reader.scene.warnings);
    if (name == "cylinder") return make_geometry(object, Cylinder{radius, length});
    if (name == "capsule") return make_geometry(object, Capsule{radius, length});
    return make_geometry(object, Cone{radius, length});
  }
  if (name == "plane") {
    object.allow_only({"id", "shape", "pose", "normal", "offset", CATENA_NOTES});
    const Element normal = object.at("normal");
    if (normal.vector3().isZero(0.0)) normal.fail("a zero normal", "give the outward direction");
    const std::optional<Element> offset = object.find("offset");
    return make_geometry(object, HalfSpace{normal.vector3(), offset ? offset->number() : 0.0});
  }
  if (name == "mesh") {
    object.allow_only({"id", "shape", "pose", "file", "scale", "solid", CATENA_NOTES});
    Eigen::Vector3d scale = Eigen::Vector3d::Ones();
    if (const auto given = object.find("scale")) {
      scale = given->is(Value::Kind::kNumber) ? Eigen::Vector3d::Constant(given->number())
                                              : given->vector3();
      if ((scale.array() == 0.0).any()) given->fail("a factor of 0", "give factors other than 0");
    }
    MeshFilling filling = MeshFilling::kDetect;
    if (const auto solid = object.find("solid")) {
      filling = solid->boolean() ? MeshFilling::kSolid : MeshFilling::kSurface;
    }
    return reader.mesh(object.at("file"), object.at("file").string(), scale, filling);
  }
  shape.fail("unknown shape \"" + name + "\"",
             "known are box, sphere, cylinder, capsule, cone, plane, mesh");
}

#undef CATENA_NOTES

}  // namespace

void read_small_scene(const Element& root, SceneReader& reader) {
  if (const auto name = root.find("name"); name && name->is(Value::Kind::kString)) {
    reader.scene.name = name->string();
  }
  if (const auto frame = root.find("frame")) {
    if (frame->string() != "world") {
      frame->fail("\"" + frame->string() + "\" is not supported", "give poses in the world frame");
    }
  }
  if (const auto units = root.find("units"); units && units->is(Value::Kind::kObject)) {
    if (const auto length = units->find("length"); length && length->string() != "m") {
      length->fail("\"" + length->string() + "\" is not supported", "convert the file to metres");
    }
    if (const auto angle = units->find("angle"); angle && angle->string() != "rad") {
      angle->fail("\"" + angle->string() + "\" is not supported", "convert the file to radians");
    }
  }
  const Element objects = root.at("objects").require_array();
  std::set<std::string> names;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const Element object = objects[i].require_object();
    const Element id = object.at("id");
    if (id.string().empty()) id.fail("an empty name", "give each object a name");
    if (!names.insert(id.string()).second) {
      id.fail("object \"" + id.string() + "\" is given twice", "give each object its own id");
    }
    reader.scene.objects.push_back(
        {id.string(), {{read_shape(object, reader), read_pose(object, reader)}}});
  }
}

}  // namespace catena::io
