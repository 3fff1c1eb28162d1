#include "catena/ompl/plugin.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "catena/io/input_error.hpp"
#include "catena/io/scene_file.hpp"
#include "catena/ompl/setup.hpp"
#include "plugin_settings.hpp"

#ifdef CATENA_HAVE_CLASS_LOADER
#include <class_loader/class_loader.hpp>
#endif

/// What the C entry points hand out.
struct catena_ompl_planning {
  std::shared_ptr<catena::ompl::StateSpace> space;
  std::shared_ptr<catena::ompl::StateValidityChecker> checker;
  catena::ompl::PluginParts parts;
};

namespace catena::ompl {

namespace ob = ::ompl::base;

namespace {

catena_ompl_planning make_planning(const std::string& settings_file) {
  const PluginSettings settings = load_plugin_settings(settings_file);
  const std::shared_ptr<const Robot> robot = io::load_urdf(settings.robot, settings.urdf);
  try {
    auto scene = std::make_shared<Scene>();
    for (const std::string& file : settings.scenes) {
      scene->add(*io::load_scene(file, {.packages = settings.urdf.packages}));
    }
    const Setup setup(robot, scene, settings.setup);
    const ob::SpaceInformationPtr& information = setup.getSpaceInformation();
    information->setup();

    catena_ompl_planning planning;
    planning.space = std::static_pointer_cast<StateSpace>(information->getStateSpace());
    planning.checker =
        std::static_pointer_cast<StateValidityChecker>(information->getStateValidityChecker());
    planning.parts = {planning.space, information, planning.checker,
                      information->getMotionValidator(), planning.space->joint_names()};
    return planning;
  } catch (const std::invalid_argument& error) {
    // The model's own checks know the element, not the file that asked for it.
    throw std::runtime_error(settings_file + ": " + error.what());
  }
}

int code_of(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::kFree:
      return CATENA_OMPL_FREE;
    case Verdict::kCollision:
      return CATENA_OMPL_COLLISION;
    default:
      return CATENA_OMPL_UNDECIDED;
  }
}

/// A state with its memory; throws std::invalid_argument for values that are no configuration.
class ValuesState {
 public:
  ValuesState(const StateSpace& space, const double* values)
      : space_(space), state_(space.allocState()) {
    try {
      space_.set_values(state_, Eigen::Map<const Eigen::VectorXd>(values, space.num_values()));
    } catch (...) {
      space_.freeState(state_);
      throw;
    }
  }
  ~ValuesState() { space_.freeState(state_); }
  ValuesState(const ValuesState&) = delete;
  ValuesState& operator=(const ValuesState&) = delete;
  const ob::State* get() const noexcept { return state_; }

 private:
  const StateSpace& space_;
  ob::State* state_;
};

void write_error(const char* what, char* error, size_t error_size) noexcept {
  if (error == nullptr || error_size == 0) return;
  const size_t length = std::min(std::strlen(what), error_size - 1);
  std::memcpy(error, what, length);
  error[length] = '\0';
}

}  // namespace

/// The factory under the name by which class_loader finds it.
class SettingsPlugin : public PluginFactory {
 public:
  PluginParts make(const std::string& settings_file) override {
    return make_planning(settings_file).parts;
  }
};

}  // namespace catena::ompl

#ifdef CATENA_HAVE_CLASS_LOADER
CLASS_LOADER_REGISTER_CLASS(catena::ompl::SettingsPlugin, catena::ompl::PluginFactory)
#endif

using catena::ompl::code_of;
using catena::ompl::ValuesState;

catena_ompl_planning* catena_ompl_make(const char* settings_file, char* error, size_t error_size) {
  try {
    if (settings_file == nullptr) throw std::invalid_argument("settings_file is a null pointer");
    return new catena_ompl_planning(catena::ompl::make_planning(settings_file));
  } catch (const std::exception& failure) {
    catena::ompl::write_error(failure.what(), error, error_size);
  } catch (...) {
    catena::ompl::write_error("unknown failure", error, error_size);
  }
  return nullptr;
}

void catena_ompl_free(catena_ompl_planning* planning) { delete planning; }

int catena_ompl_num_values(const catena_ompl_planning* planning) {
  return planning->space->num_values();
}

int catena_ompl_check_state(const catena_ompl_planning* planning, const double* values,
                            double* clearance) {
  if (clearance != nullptr) *clearance = 0.0;
  try {
    const ValuesState state(*planning->space, values);
    if (!planning->space->satisfiesBounds(state.get())) return CATENA_OMPL_BAD_INPUT;
    const auto result = planning->checker->context()->check(state.get(), clearance != nullptr);
    if (clearance != nullptr) *clearance = catena::ompl::clearance_of(result);
    return code_of(result.verdict);
  } catch (const std::invalid_argument&) {
    return CATENA_OMPL_BAD_INPUT;
  } catch (...) {  // no exception may leave a C function; out of memory proves nothing
    return CATENA_OMPL_UNDECIDED;
  }
}

int catena_ompl_check_motion(const catena_ompl_planning* planning, const double* from,
                             const double* to, double* free_until) {
  if (free_until != nullptr) *free_until = 0.0;
  try {
    const ValuesState a(*planning->space, from), b(*planning->space, to);
    for (const auto* state : {a.get(), b.get()}) {
      if (!planning->space->satisfiesBounds(state)) return CATENA_OMPL_BAD_INPUT;
    }
    const auto result = planning->checker->context()->check(a.get(), b.get());
    if (free_until != nullptr) *free_until = result.free_until;
    return code_of(result.verdict);
  } catch (const std::invalid_argument&) {
    return CATENA_OMPL_BAD_INPUT;
  } catch (...) {
    return CATENA_OMPL_UNDECIDED;
  }
}

void* catena_ompl_parts(const catena_ompl_planning* planning) {
  return const_cast<catena::ompl::PluginParts*>(&planning->parts);
}
