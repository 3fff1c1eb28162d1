#include "catena/model/robot_builder.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <unordered_map>

namespace catena {
namespace {

std::string show(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string element(const char* kind, const std::string& name) {
  return std::string("<") + kind + " name=\"" + name + "\">";
}

bool is_finite(const RigidEnclosure& X) {
  return X.X.R.allFinite() && X.X.p.allFinite() && std::isfinite(X.rotation_error) &&
         std::isfinite(X.position_error);
}

bool is_identity(const RigidEnclosure& X) {
  return X.X.R == Matrix3d::Identity() && X.X.p.isZero(0.0) && X.rotation_error == 0.0 &&
         X.position_error == 0.0;
}

/// The product, without the rounding that a general one counts if a factor changes nothing.
RigidEnclosure compose(const RigidEnclosure& X_AB, const RigidEnclosure& X_BC) {
  if (is_identity(X_AB)) return X_BC;
  if (is_identity(X_BC)) return X_AB;
  return X_AB * X_BC;
}

bool has_one_value(JointType type) { return num_values(type) == 1; }

bool uses_axis(JointType type) { return has_one_value(type) || type == JointType::kPlanar; }

bool has_limits(JointType type) {
  return type == JointType::kRevolute || type == JointType::kPrismatic;
}

/// The unit vector along `axis`, and how far the exact one may be from it.
void set_unit_axis(const Vector3d& axis, Joint& joint) {
  const double largest = axis.cwiseAbs().maxCoeff();
  // A power of two, so that scaling is exact and squares neither overflow nor vanish.
  int exponent = 0;
  std::frexp(largest, &exponent);
  const Vector3d scaled(std::ldexp(axis[0], -exponent), std::ldexp(axis[1], -exponent),
                        std::ldexp(axis[2], -exponent));
  joint.axis = scaled / scaled.norm();
  const bool along_coordinate = (axis.array() != 0.0).count() == 1;
  // Squares, two sums, root, quotient: each component is off by under 4 units of roundoff, more
  // than made up for by 8 (and 1e-300 for components that scaling made subnormal).
  joint.axis_error = along_coordinate ? 0.0 : 8.0 * kUnitRoundoff + 1e-300;
}

/// Numbers for names, in the order of the list; throws on an empty or a double name.
template <class List>
std::unordered_map<std::string, int> number_by_name(const List& list, const char* kind) {
  std::unordered_map<std::string, int> numbers;
  numbers.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].name.empty())
      throw ModelError(std::string("<") + kind + ">", "has no name", "give it a name of its own");
    if (!numbers.emplace(list[i].name, static_cast<int>(i)).second)
      throw ModelError(element(kind, list[i].name),
                       std::string("another ") + kind + " has this name", "rename one of the two");
  }
  return numbers;
}

int find(const std::unordered_map<std::string, int>& numbers, const std::string& name) {
  const auto place = numbers.find(name);
  return place == numbers.end() ? -1 : place->second;
}

}  // namespace

/// The steps of one build, in the order in which they are called.
class RobotBuilder::Assembly {
 public:
  explicit Assembly(const RobotDescription& description)
      : description_(description), robot_(new Robot) {}

  std::shared_ptr<const Robot> run() {
    robot_->name_ = description_.name;
    robot_->warnings_ = description_.warnings;
    robot_->world_frames_ = description_.world_frames;
    index_names();
    check_joints();
    find_root();
    number_links();
    resolve_mimics();
    number_values();
    make_groups();
    keep_group_states();
    choose_pairs();
    robot_->prepare_turns();
    return robot_;
  }

 private:
  const JointDescription& joint_at(int i) const {
    return description_.joints[static_cast<std::size_t>(i)];
  }

  void warn(const std::string& where, const std::string& what) {
    std::string text = where + ": " + what;
    if (const auto place = description_.sources.find(where); place != description_.sources.end())
      text = place->second.file + ":" + std::to_string(place->second.line) + ": " + text;
    robot_->warnings_.push_back(std::move(text));
  }

  void index_names() {
    if (description_.links.empty())
      throw ModelError(element("robot", description_.name), "has no link",
                       "add at least one <link>");
    links_ = number_by_name(description_.links, "link");
    joints_ = number_by_name(description_.joints, "joint");
    for (const LinkDescription& link : description_.links)
      for (const PlacedGeometry& placed : link.collision) {
        if (placed.geometry == nullptr)
          throw ModelError(element("link", link.name), "a collision geometry is missing",
                           "give every collision element a geometry");
        // A half-space is unbounded: no bound of a motion holds for it.
        if (placed.geometry->kind() == Geometry::Kind::kPrimitive &&
            std::holds_alternative<HalfSpace>(placed.geometry->primitive()))
          throw ModelError(element("link", link.name), "a half-space cannot be part of a robot",
                           "give it a large box, or put it into the scene");
        if (!is_finite(placed.X_FG))
          throw ModelError(element("link", link.name), "a collision origin is not finite",
                           "give finite numbers");
      }
  }

  void check_joints() {
    parent_joint_.assign(description_.links.size(), -1);
    child_joints_.assign(description_.links.size(), {});
    for (std::size_t i = 0; i < description_.joints.size(); ++i) {
      const JointDescription& joint = description_.joints[i];
      const std::string where = element("joint", joint.name);
      const int parent = find(links_, joint.parent);
      const int child = find(links_, joint.child);
      if (parent < 0)
        throw ModelError(where, "parent link \"" + joint.parent + "\" does not exist",
                         "name a <link> of this robot");
      if (child < 0)
        throw ModelError(where, "child link \"" + joint.child + "\" does not exist",
                         "name a <link> of this robot");
      if (parent == child)
        throw ModelError(where, "joins link \"" + joint.child + "\" to itself",
                         "name two different links");
      int& above = parent_joint_[static_cast<std::size_t>(child)];
      if (above >= 0)
        throw ModelError(where,
                         "link \"" + joint.child + "\" already is the child of joint \"" +
                             joint_at(above).name + "\"",
                         "a link has one parent: remove one of the two joints");
      above = static_cast<int>(i);
      child_joints_[static_cast<std::size_t>(parent)].push_back(static_cast<int>(i));
      check_values(joint, where);
    }
  }

  static void check_values(const JointDescription& joint, const std::string& where) {
    if (!is_finite(joint.origin))
      throw ModelError(where, "the origin is not finite", "give finite numbers");
    if (uses_axis(joint.type)) {
      if (!joint.axis.allFinite())
        throw ModelError(where, "the axis is not finite", "give finite numbers");
      if (joint.axis.isZero(0.0))
        throw ModelError(where, "the axis is zero", "give a direction, or make the joint fixed");
    }
    if (has_limits(joint.type)) {
      if (std::isnan(joint.lower) || std::isnan(joint.upper))
        throw ModelError(where, "a limit is not a number", "give numbers");
      if (joint.lower > joint.upper)
        throw ModelError(
            where,
            "lower limit " + show(joint.lower) + " is above upper limit " + show(joint.upper),
            "swap the two values");
      if (joint.lower == kInfinity || joint.upper == -kInfinity)
        throw ModelError(where, "the limits leave no value", "give finite numbers");
    }
    if (joint.mimic.has_value() &&
        !(std::isfinite(joint.mimic->multiplier) && std::isfinite(joint.mimic->offset)))
      throw ModelError(where, "multiplier or offset of its mimic is not finite",
                       "give finite numbers");
  }

  void find_root() {
    std::vector<std::string> roots;
    for (std::size_t i = 0; i < parent_joint_.size(); ++i)
      if (parent_joint_[i] < 0) {
        roots.push_back(description_.links[i].name);
        root_ = static_cast<int>(i);
      }
    const std::string where = element("robot", description_.name);
    if (roots.empty())
      throw ModelError(where,
                       "has no root: every link is the child of a joint, so they form a cycle",
                       "remove the joint that closes the cycle");
    if (roots.size() > 1)
      throw ModelError(where,
                       std::to_string(roots.size()) + " links have no parent: \"" + roots[0] +
                           "\", \"" + roots[1] + "\"" + (roots.size() > 2 ? " and more" : ""),
                       "join them to one root by joints");
  }

  // Depth first, so that a subtree's links have consecutive numbers.
  void number_links() {
    const std::size_t n = description_.links.size();
    link_of_.assign(n, LinkIndex());
    moved_link_.assign(description_.joints.size(), LinkIndex());
    body_of_.assign(n, BodyIndex());
    std::vector<RigidEnclosure> X_LB(n);
    robot_->joints_.emplace_back();
    robot_->joints_[0].type = JointType::kFixed;
    std::vector<int> open = {root_};
    std::size_t visited = 0;
    while (!open.empty()) {
      const auto at = static_cast<std::size_t>(open.back());
      open.pop_back();
      ++visited;
      place_link(at, X_LB);
      const std::vector<int>& below = child_joints_[at];
      for (auto next = below.rbegin(); next != below.rend(); ++next)
        open.push_back(find(links_, joint_at(*next).child));
    }
    if (visited < n)
      for (std::size_t i = 0; i < n; ++i)
        if (!link_of_[i].valid())
          throw ModelError(element("link", description_.links[i].name),
                           "belongs to a cycle of joints that the root does not reach",
                           "remove the joint that closes the cycle");
  }

  void place_link(std::size_t at, std::vector<RigidEnclosure>& X_LB) {
    const LinkDescription& link = description_.links[at];
    const int above = parent_joint_[at];
    if (above < 0) {
      link_of_[at] = LinkIndex(0);
    } else {
      const JointDescription& joint = joint_at(above);
      const auto parent = static_cast<std::size_t>(find(links_, joint.parent));
      const RigidEnclosure X_PJ = compose(X_LB[parent], joint.origin);
      if (joint.type == JointType::kFixed) {
        link_of_[at] = link_of_[parent];
        X_LB[at] = X_PJ;
      } else {
        link_of_[at] = LinkIndex(robot_->num_links());
        moved_link_[static_cast<std::size_t>(above)] = link_of_[at];
        robot_->joints_.push_back(make_joint(joint, link_of_[parent], X_PJ));
      }
      if (!is_finite(X_PJ))
        throw ModelError(element("joint", joint.name), "its place is not finite",
                         "give smaller numbers in the origins above it");
    }
    body_of_[at] = BodyIndex(static_cast<int>(robot_->bodies_.size()));
    robot_->body_by_name_.emplace(link.name, body_of_[at].value);
    Body& body = robot_->bodies_.emplace_back();
    body.name = link.name;
    body.link = link_of_[at];
    body.X_LB = X_LB[at];
    for (const PlacedGeometry& placed : link.collision)
      body.geometries.push_back({placed.geometry, compose(X_LB[at], placed.X_FG)});
  }

  static Joint make_joint(const JointDescription& from, LinkIndex parent,
                          const RigidEnclosure& X_PJ) {
    Joint joint;
    joint.name = from.name;
    joint.type = from.type;
    joint.parent = parent;
    joint.X_PJ = X_PJ;
    if (uses_axis(from.type)) set_unit_axis(from.axis, joint);
    if (has_limits(from.type)) {
      joint.lower = from.lower;
      joint.upper = from.upper;
    }
    return joint;
  }

  void resolve_mimics() {
    for (std::size_t i = 0; i < description_.joints.size(); ++i) {
      const JointDescription& joint = description_.joints[i];
      if (!joint.mimic.has_value()) continue;
      if (joint.type == JointType::kFixed) {
        warn(element("joint", joint.name), "is fixed, so its mimic is ignored");
        continue;
      }
      Joint& moved = robot_->joints_[static_cast<std::size_t>(moved_link_[i].value)];
      moved.mimic = resolve_mimic(static_cast<int>(i));
      warn_beyond_limits(moved);
    }
  }

  Mimic resolve_mimic(int start) const {
    const std::string where = element("joint", joint_at(start).name);
    Mimic mimic;
    bool first = true;
    int at = start;
    for (std::size_t steps = 0; joint_at(at).mimic.has_value(); ++steps) {
      const JointDescription& joint = joint_at(at);
      if (!has_one_value(joint.type))
        throw ModelError(
            where,
            std::string("a joint of type ") + name_of(joint.type) + " cannot mimic or be mimicked",
            "mimic works between joints with one value");
      if (steps > description_.joints.size() || (steps > 0 && at == start))
        throw ModelError(where, "mimics itself, directly or through others",
                         "let one joint of the cycle move by itself");
      const MimicDescription& by = *joint.mimic;
      if (first) {
        mimic.multiplier = by.multiplier;
        mimic.offset = by.offset;
        first = false;
      } else {
        compose_mimic(by, mimic);
      }
      const int next = find(joints_, by.joint);
      if (next < 0)
        throw ModelError(element("joint", joint.name),
                         "mimics joint \"" + by.joint + "\", which does not exist",
                         "name a <joint> of this robot");
      at = next;
      if (joint_at(at).type == JointType::kFixed) break;
    }
    const JointDescription& source = joint_at(at);
    if (source.type == JointType::kFixed)
      throw ModelError(where,
                       "mimics joint \"" + source.name + "\", which is fixed and has no value",
                       "make it fixed too, or remove its mimic");
    if (!has_one_value(source.type))
      throw ModelError(where,
                       "mimics joint \"" + source.name + "\" of type " + name_of(source.type) +
                           ", which has several values",
                       "mimic works between joints with one value");
    if (!std::isfinite(mimic.multiplier) || !std::isfinite(mimic.offset))
      throw ModelError(where, "multiplier or offset through its chain of mimics is not finite",
                       "give smaller numbers");
    mimic.source = moved_link_[static_cast<std::size_t>(at)];
    return mimic;
  }

  /// value = m (m' x + o') + o: what `by` says of the value that `mimic` follows.
  static void compose_mimic(const MimicDescription& by, Mimic& mimic) {
    const double m = mimic.multiplier, o = mimic.offset;
    const double product = m * by.offset;
    mimic.multiplier = m * by.multiplier;
    mimic.offset = product + o;
    const double u = kUnitRoundoff;
    mimic.offset_error =
        bound_above(mimic.offset_error + mimic.multiplier_error * std::abs(by.offset) +
                        u * std::abs(product) + u * std::abs(mimic.offset),
                    8);
    mimic.multiplier_error = bound_above(
        mimic.multiplier_error * std::abs(by.multiplier) + u * std::abs(mimic.multiplier), 4);
  }

  void warn_beyond_limits(const Joint& moved) {
    const Joint& source = robot_->joint(moved.mimic->source);
    if (!has_limits(moved.type) || !std::isfinite(source.lower) || !std::isfinite(source.upper))
      return;
    const double a = moved.mimic->multiplier * source.lower + moved.mimic->offset;
    const double b = moved.mimic->multiplier * source.upper + moved.mimic->offset;
    const double slack = 1e-6;  // files round their limits
    if (std::min(a, b) >= moved.lower - slack && std::max(a, b) <= moved.upper + slack) return;
    warn(element("joint", moved.name), "joint \"" + source.name + "\" drives it from " +
                                           show(std::min(a, b)) + " to " + show(std::max(a, b)) +
                                           ", beyond its own limits " + show(moved.lower) + " to " +
                                           show(moved.upper) + ", which are not enforced");
  }

  void number_values() {
    for (int i = 1; i < robot_->num_links(); ++i) {
      Joint& joint = robot_->joints_[static_cast<std::size_t>(i)];
      if (joint.mimic.has_value()) continue;
      joint.q_index = robot_->num_positions_;
      robot_->num_positions_ += num_values(joint.type);
      robot_->active_joints_.push_back(LinkIndex(i));
      robot_->joint_by_name_.emplace(joint.name, i);
    }
    for (const std::string& name : description_.passive_joints) {
      const int i = find(joints_, name);
      if (i < 0) {
        warn("<passive_joint name=\"" + name + "\">", "the robot has no such joint");
      } else if (const LinkIndex link = moved_link_[static_cast<std::size_t>(i)]; link.valid()) {
        robot_->joints_[static_cast<std::size_t>(link.value)].passive = true;
      }
    }
  }

  void make_groups() {
    groups_ = number_by_name(description_.groups, "group");
    for (std::size_t i = 0; i < description_.groups.size(); ++i) {
      std::set<int> members;  // links, so in topological order
      std::vector<bool> seen(description_.groups.size(), false);
      collect_group(static_cast<int>(i), seen, members);
      JointGroup group;
      group.name = description_.groups[i].name;
      for (const int link : members) {
        const Joint& joint = robot_->joints_[static_cast<std::size_t>(link)];
        if (!joint.mimic.has_value() && !joint.passive) group.joints.push_back(LinkIndex(link));
      }
      if (group.joints.empty())
        warn(element("group", group.name), "has no joint that can be planned for");
      robot_->groups_.push_back(std::move(group));
    }
  }

  void collect_group(int start, std::vector<bool>& seen, std::set<int>& members) const {
    std::vector<int> open = {start};
    seen[static_cast<std::size_t>(start)] = true;
    while (!open.empty()) {
      const GroupDescription& group = description_.groups[static_cast<std::size_t>(open.back())];
      open.pop_back();
      const std::string where = element("group", group.name);
      for (const std::string& name : group.joints) {
        const int i = find(joints_, name);
        if (i < 0)
          throw ModelError(where, "joint \"" + name + "\" does not exist",
                           "name a joint of this robot, or remove it from the group");
        add_moved(i, members);
      }
      for (const std::string& name : group.links)
        add_moved(parent_joint_[link_number(name, where)], members);
      for (const auto& [base, tip] : group.chains)
        add_chain(link_number(base, where), link_number(tip, where), members);
      for (const std::string& name : group.subgroups) {
        const int i = find(groups_, name);
        if (i < 0)
          throw ModelError(where, "subgroup \"" + name + "\" does not exist",
                           "name a group of this file");
        if (i == start)
          throw ModelError(element("group", name), "contains itself, directly or through others",
                           "remove one of the subgroups");
        if (seen[static_cast<std::size_t>(i)]) continue;
        seen[static_cast<std::size_t>(i)] = true;
        open.push_back(i);
      }
    }
  }

  std::size_t link_number(const std::string& name, const std::string& where) const {
    const int i = find(links_, name);
    if (i < 0)
      throw ModelError(where, "link \"" + name + "\" does not exist",
                       "name a link of this robot, or remove it from the group");
    return static_cast<std::size_t>(i);
  }

  void add_moved(int joint, std::set<int>& members) const {
    if (joint < 0) return;  // the root
    const LinkIndex link = moved_link_[static_cast<std::size_t>(joint)];
    if (link.valid()) members.insert(link.value);
  }

  /// The joints on the tree path between two links, by way of their common ancestor.
  void add_chain(std::size_t base, std::size_t tip, std::set<int>& members) const {
    const auto path_up = [&](std::size_t from) {
      std::vector<std::size_t> path = {from};
      while (parent_joint_[path.back()] >= 0)
        path.push_back(
            static_cast<std::size_t>(find(links_, joint_at(parent_joint_[path.back()]).parent)));
      return path;
    };
    std::vector<std::size_t> a = path_up(base), b = path_up(tip);
    while (!a.empty() && !b.empty() && a.back() == b.back()) {
      a.pop_back();
      b.pop_back();
    }
    for (const std::vector<std::size_t>* path : {&a, &b})
      for (const std::size_t link : *path) add_moved(parent_joint_[link], members);
  }

  void keep_group_states() {
    for (const auto& [key, state] : description_.group_states) {
      const std::string where = element("group_state", key.second);
      if (find(groups_, key.first) < 0) {
        warn(where, "left out: there is no group \"" + key.first + "\"");
        continue;
      }
      Robot::NamedState kept;
      for (const auto& [name, values] : state) {
        const int i = find(joints_, name);
        if (i < 0) {
          warn(where, "joint \"" + name + "\" does not exist; its value is ignored");
          continue;
        }
        const int expected = num_values(joint_at(i).type);
        const LinkIndex link = moved_link_[static_cast<std::size_t>(i)];
        if (!link.valid() || robot_->joint(link).mimic.has_value()) continue;  // has no own value
        if (static_cast<int>(values.size()) != expected)
          throw ModelError(
              where, "joint \"" + name + "\" has " + std::to_string(values.size()) + " values",
              "a joint of type " + std::string(name_of(joint_at(i).type)) + " takes " +
                  std::to_string(expected));
        for (const double value : values)
          if (!std::isfinite(value))
            throw ModelError(where, "a value of joint \"" + name + "\" is not finite",
                             "give finite numbers");
        if (has_limits(joint_at(i).type) &&
            (values[0] < joint_at(i).lower - 1e-9 || values[0] > joint_at(i).upper + 1e-9))
          warn(where, "joint \"" + name + "\": " + show(values[0]) + " is outside its limits " +
                          show(joint_at(i).lower) + " to " + show(joint_at(i).upper));
        kept.emplace(name, values);
      }
      robot_->group_states_.emplace(key, std::move(kept));
    }
  }

  void choose_pairs() {
    std::map<std::pair<int, int>, std::string> excepted;
    for (const JointDescription& joint : description_.joints)
      excepted.emplace(body_pair(find(links_, joint.parent), find(links_, joint.child)),
                       "Adjacent");
    for (const auto& [name_a, name_b] : description_.enabled_pairs) {
      const int a = find(links_, name_a), b = find(links_, name_b);
      if (a < 0 || b < 0) {
        warn("<enable_collisions>", "link \"" + (a < 0 ? name_a : name_b) + "\" does not exist");
      } else if (link_of_[static_cast<std::size_t>(a)] == link_of_[static_cast<std::size_t>(b)]) {
        warn("<enable_collisions>", "\"" + name_a + "\" and \"" + name_b +
                                        "\" belong to one rigid piece, which is never checked "
                                        "against itself; the pair stays unchecked");
      } else {
        excepted.erase(body_pair(a, b));
      }
    }
    for (const DisabledPair& pair : description_.disabled_pairs) {
      const int a = find(links_, pair.a), b = find(links_, pair.b);
      if (a < 0 || b < 0) {
        warn("<disable_collisions>", "link \"" + (a < 0 ? pair.a : pair.b) + "\" does not exist");
      } else if (a != b) {
        excepted.emplace(body_pair(a, b), pair.reason.empty() ? "Disabled" : pair.reason);
      }
    }
    const auto has_shape = [&](int i) {
      return !robot_->bodies_[static_cast<std::size_t>(i)].geometries.empty();
    };
    std::map<int, std::vector<int>> on_link;
    for (int i = 0; i < static_cast<int>(robot_->bodies_.size()); ++i)
      if (has_shape(i)) on_link[robot_->body(BodyIndex(i)).link.value].push_back(i);
    for (const auto& [link, bodies] : on_link)
      for (size_t i = 0; i < bodies.size(); ++i)
        for (size_t k = i + 1; k < bodies.size(); ++k) excepted[{bodies[i], bodies[k]}] = "Rigid";
    for (auto& [pair, reason] : excepted)
      if (has_shape(pair.first) && has_shape(pair.second))
        robot_->unchecked_pairs_.push_back(
            {BodyIndex(pair.first), BodyIndex(pair.second), std::move(reason)});
  }

  std::pair<int, int> body_pair(int link_a, int link_b) const {
    return std::minmax({body_of_[static_cast<std::size_t>(link_a)].value,
                        body_of_[static_cast<std::size_t>(link_b)].value});
  }

  const RobotDescription& description_;
  std::shared_ptr<Robot> robot_;
  std::unordered_map<std::string, int> links_, joints_, groups_;  // numbers in the description
  std::vector<int> parent_joint_;                                 // by link; -1: the root
  std::vector<std::vector<int>> child_joints_;                    // by link
  int root_ = -1;
  std::vector<LinkIndex> link_of_;     // by link: the moving link that carries it
  std::vector<LinkIndex> moved_link_;  // by joint: what it moves; invalid if fixed
  std::vector<BodyIndex> body_of_;     // by link
};

std::shared_ptr<const Robot> RobotBuilder::build(const RobotDescription& description) {
  const RoundingScope scope;
  return Assembly(description).run();
}

std::shared_ptr<const Robot> RobotBuilder::combine(const Robot& first,
                                                   const std::vector<Attachment>& others) {
  const RoundingScope scope;
  std::shared_ptr<Robot> all(new Robot(first));
  for (const Attachment& other : others) {
    const std::string where = "robot \"" + other.name + "\"";
    if (other.robot == nullptr) throw ModelError(where, "there is no robot", "load one first");
    if (other.name.empty())
      throw ModelError(where, "has no name", "name every further robot, as in arm2=FILE");
    if (!is_finite(other.X_WR))
      throw ModelError(where, "its place is not finite", "give finite numbers");
    const Robot& added = *other.robot;
    const std::string prefix = other.name + "/";
    const int link_shift = all->num_links() - 1;
    const int body_shift = static_cast<int>(all->bodies_.size());
    int robot_shift = 0;
    for (const Body& body : all->bodies_) robot_shift = std::max(robot_shift, body.robot + 1);
    const auto shifted = [&](LinkIndex i) {
      return i.value <= 0 ? i : LinkIndex(i.value + link_shift);
    };

    for (int i = 1; i < added.num_links(); ++i) {
      Joint joint = added.joint(LinkIndex(i));
      joint.name = prefix + joint.name;
      if (joint.parent.value == 0) joint.X_PJ = compose(other.X_WR, joint.X_PJ);
      joint.parent = shifted(joint.parent);
      if (joint.mimic.has_value()) joint.mimic->source = shifted(joint.mimic->source);
      const LinkIndex number(all->num_links());
      if (joint.q_index >= 0) {
        joint.q_index += all->num_positions_;
        all->active_joints_.push_back(number);
        if (!all->joint_by_name_.emplace(joint.name, number.value).second)
          throw ModelError(where, "joint \"" + joint.name + "\" exists already",
                           "give every robot a name of its own");
      }
      all->joints_.push_back(std::move(joint));
    }
    all->num_positions_ += added.num_positions_;

    for (const Body& from : added.bodies_) {
      Body body = from;
      body.name = prefix + from.name;
      body.link = shifted(from.link);
      body.robot += robot_shift;
      if (from.link.value == 0) {
        body.X_LB = compose(other.X_WR, from.X_LB);
        for (PlacedGeometry& placed : body.geometries)
          placed.X_FG = compose(other.X_WR, placed.X_FG);
      }
      if (!all->body_by_name_.emplace(body.name, static_cast<int>(all->bodies_.size())).second)
        throw ModelError(where, "link \"" + body.name + "\" exists already",
                         "give every robot a name of its own");
      all->bodies_.push_back(std::move(body));
    }

    const auto shifted_body = [&](BodyIndex i) { return BodyIndex(i.value + body_shift); };
    for (const UncheckedPair& pair : added.unchecked_pairs_)
      all->unchecked_pairs_.push_back({shifted_body(pair.a), shifted_body(pair.b), pair.reason});

    for (JointGroup group : added.groups_) {
      group.name = prefix + group.name;
      for (LinkIndex& i : group.joints) i = shifted(i);
      all->groups_.push_back(std::move(group));
    }
    for (const auto& [key, state] : added.group_states_) {
      Robot::NamedState renamed;
      for (const auto& [joint, values] : state) renamed.emplace(prefix + joint, values);
      all->group_states_.emplace(std::pair(prefix + key.first, key.second), std::move(renamed));
    }
    for (const std::string& warning : added.warnings_)
      all->warnings_.push_back(other.name + ": " + warning);
  }
  all->prepare_turns();
  return all;
}

}  // namespace catena
