#include "chain_state_impl.hpp"

namespace catena {

bool ChainState::Impl::follow_in_grid(LinkIndex last, double clearance, QueryStats& stats) {
  if (stand == nullptr) {
    const size_t most = share(8, kTrackedShare);
    stand =
        std::make_unique<GridStand>(GridStand{JointSet(robot.num_links(), most), 0, q, {}, {}, {}});
    stand->node_of.resize(at(robot.num_links()));
    for (size_t n = tree.nodes().size(); n-- > 0;) {
      stand->node_of[at(tree.nodes()[n].anchor)] = static_cast<int>(n);
    }
    stand->behind.reserve(most);
  }
  if (stand->joints.all() || stand->fills != workspace.impl().grid_fills) {
    return fill_grid(clearance, stats);
  }
  internal::PartGrid& grid = *workspace.impl().grid;
  if (!grid.suits(clearance)) return false;
  auto& behind_there = stand->behind;
  behind_there.clear();
  bool last_moves = false, moves_others = false;
  for (const LinkIndex i : stand->joints.joints()) {
    const auto [first, count] = values_of(i);
    if (q.segment(first, count) == stand->q.segment(first, count)) continue;
    if (i == last) {
      last_moves = true;
    } else {
      behind_there.push_back(i);
      moves_others = moves_others || tree.moves(last, i);
    }
  }
  // The way from the root to a joint is as it is now once all joints on it are.
  if (last_moves && moves_others) behind_there.push_back(last);
  std::sort(behind_there.begin(), behind_there.end(),
            [&](LinkIndex a, LinkIndex b) { return tree.enter(a) < tree.enter(b); });
  int balls = 0;
  for (const LinkIndex i : behind_there) balls += grid.smaller_side(tree, i).size;
  if (balls > grid.num_balls()) return fill_grid(clearance, stats);
  for (const LinkIndex i : behind_there) {
    const internal::PartGrid::Side side = grid.smaller_side(tree, i);
    const GridTurn turn = turn_in_grid(i, side.carried);
    stats.box_tests += at(side.size);
    if (!grid.turn(side, turn.X_GG)) return fill_grid(clearance, stats);
    stand->X_GR = turn.X_GR;
  }
  for (const LinkIndex i : behind_there) {
    const auto [first, count] = values_of(i);
    stand->q.segment(first, count) = q.segment(first, count);
  }
  stand->joints.clear();
  if (last_moves) stand->joints.insert(last);
  return true;
}

bool ChainState::Impl::fill_grid(double clearance, QueryStats& stats) {
  Workspace::Impl& ws = workspace.impl();
  link_poses(robot, q, ws.X_WL);
  stats.compositions += ws.X_WL.size();
  stats.box_tests += 2 * world->chain_tree().parts().size();
  stand->joints.insert_all();
  internal::PartGrid* const grid = internal::grid_to_fill(*world, clearance, ws);
  if (grid == nullptr || !grid->fill(ws.X_WL)) return false;
  stand->fills = ws.grid_fills;
  stand->joints.clear();
  stand->q = q;
  stand->X_GR = RigidEnclosure::identity();
  return true;
}

ChainState::Impl::GridTurn ChainState::Impl::turn_in_grid(LinkIndex joint, bool carried) const {
  const LinkIndex parent = robot.parent(joint);
  const RigidEnclosure X_RP = between_links(0, stand->node_of[at(parent)]);
  const RigidEnclosure X_RL = X_RP * slots[at(joint)];
  const RigidEnclosure X_RL_before = X_RP * joint_pose(robot, joint, stand->q);
  const RigidEnclosure& X_GR = stand->X_GR;
  // What is carried stays in G, and the rest goes the other way; or the other way round.
  if (carried) return {(X_GR * X_RL) * (X_GR * X_RL_before).inverse(), X_GR};
  const RigidEnclosure X_GR_after = X_GR * (X_RL_before * X_RL.inverse());
  return {X_GR_after * X_GR.inverse(), X_GR_after};
}

}  // namespace catena
