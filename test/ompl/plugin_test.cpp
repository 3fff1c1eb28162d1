// The loadable plugin as a host meets it: found by its file name, linked to nothing of Catena.

#include "catena/ompl/plugin.hpp"

#include <dlfcn.h>

#include <cmath>
#include <fstream>

#include <gtest/gtest.h>
#include <ompl/base/ScopedState.h>

#include "support/temporary_folder.hpp"

#ifdef CATENA_HAVE_CLASS_LOADER
#include <class_loader/class_loader.hpp>
#endif

namespace {

namespace ob = ::ompl::base;
using catena::test::TemporaryFolder;

/// The library's C functions.
struct Library {
  Library() {
    handle = dlopen("libcatena_ompl_plugin.so", RTLD_NOW | RTLD_LOCAL);  // by name, not by path
    if (handle == nullptr) throw std::runtime_error(dlerror());
    load(make, "catena_ompl_make");
    load(release, "catena_ompl_free");
    load(num_values, "catena_ompl_num_values");
    load(check_state, "catena_ompl_check_state");
    load(check_motion, "catena_ompl_check_motion");
    load(parts, "catena_ompl_parts");
  }
  template <class Function>
  void load(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(handle, name));
    if (function == nullptr) throw std::runtime_error(dlerror());
  }

  void* handle = nullptr;  // stays loaded, as the header asks
  decltype(catena_ompl_make)* make = nullptr;
  decltype(catena_ompl_free)* release = nullptr;
  decltype(catena_ompl_num_values)* num_values = nullptr;
  decltype(catena_ompl_check_state)* check_state = nullptr;
  decltype(catena_ompl_check_motion)* check_motion = nullptr;
  decltype(catena_ompl_parts)* parts = nullptr;
};

const Library& library() {
  static const Library result;
  return result;
}

const std::string kSettings = CATENA_SOURCE_DIR "/planners/demos/plugin_settings.yaml";

std::string error_of(const std::string& settings_file) {
  char error[2000] = "untouched";
  catena_ompl_planning* planning = library().make(settings_file.c_str(), error, sizeof error);
  if (planning == nullptr) return error;
  library().release(planning);
  return "(no error)";
}

// The forearm's middle line is 0.06 above the upper arm's, the post's surface at x = 0.89.
TEST(Plugin, AnswersThroughItsCFunctions) {
  char error[200] = "";
  catena_ompl_planning* planning = library().make(kSettings.c_str(), error, sizeof error);
  ASSERT_NE(planning, nullptr) << error;
  EXPECT_EQ(library().num_values(planning), 2);

  const double right[] = {-1.0, 0.0}, left[] = {1.0, 0.0}, ahead[] = {0.0, 0.0};
  const double right_folded[] = {-1.0, 2.6}, left_folded[] = {1.0, 2.6};
  const double beyond[] = {3.5, 0.0}, nan[] = {0.0, std::nan("")};
  double clearance = -9.0, free_until = -9.0;
  EXPECT_EQ(library().check_state(planning, right, nullptr), CATENA_OMPL_FREE);
  EXPECT_EQ(library().check_state(planning, right, &clearance), CATENA_OMPL_FREE);
  EXPECT_GT(clearance, 0.1);
  EXPECT_EQ(library().check_state(planning, ahead, &clearance), CATENA_OMPL_COLLISION);
  EXPECT_LE(clearance, 0.0);
  EXPECT_EQ(library().check_state(planning, beyond, nullptr), CATENA_OMPL_BAD_INPUT);
  EXPECT_EQ(library().check_state(planning, nan, &clearance), CATENA_OMPL_BAD_INPUT);

  EXPECT_EQ(library().check_motion(planning, right, left, &free_until), CATENA_OMPL_COLLISION);
  // Contact where 0.9 sin(d) = 0.01 + 0.02 + 0.001 of clearance, d before the middle.
  EXPECT_NEAR(free_until, (1.0 - std::asin(0.031 / 0.9)) / 2.0, 1e-5);
  EXPECT_EQ(library().check_motion(planning, right, right_folded, nullptr), CATENA_OMPL_FREE);
  EXPECT_EQ(library().check_motion(planning, right_folded, left_folded, &free_until),
            CATENA_OMPL_FREE);
  EXPECT_EQ(free_until, 1.0);
  EXPECT_EQ(library().check_motion(planning, right, nan, &free_until), CATENA_OMPL_BAD_INPUT);
  EXPECT_EQ(free_until, 0.0);
  library().release(planning);
}

TEST(Plugin, HandsOverOmplObjectsThatOutliveIt) {
  catena_ompl_planning* planning = library().make(kSettings.c_str(), nullptr, 0);
  ASSERT_NE(planning, nullptr);
  const auto parts = *static_cast<const catena::ompl::PluginParts*>(library().parts(planning));
  library().release(planning);
  EXPECT_EQ(parts.joint_names, (std::vector<std::string>{"shoulder", "elbow"}));
  EXPECT_EQ(parts.information->getStateValidityChecker(), parts.checker);
  EXPECT_EQ(parts.information->getMotionValidator(), parts.validator);
  ob::ScopedState<> right(parts.space), left(parts.space);
  right = std::vector<double>{-1.0, 0.0};
  left = std::vector<double>{1.0, 0.0};
  EXPECT_TRUE(parts.checker->isValid(right.get()));
  EXPECT_FALSE(parts.validator->checkMotion(right.get(), left.get()));
  EXPECT_EQ(parts.validator->getInvalidMotionCount(), 1U);
}

TEST(Plugin, SaysWhereItsSettingsAreWrong) {
  const TemporaryFolder folder;
  const std::string robot = "robot: " CATENA_SOURCE_DIR "/config/examples/two_link.urdf\n";
  const auto error_in = [&](const std::string& text) {
    const std::string file = folder.write("settings.yaml", text);
    const std::string error = error_of(file);
    return error.rfind(file, 0) == 0 ? error.substr(file.size()) : error;
  };
  EXPECT_EQ(error_in(robot), "(no error)");
  EXPECT_EQ(error_in("group: arm\n"), ":1: robot: is missing; add a line: robot: FILE.urdf");
  EXPECT_EQ(error_in(robot + "clearance_m: -0.1\n"),
            ":2: clearance_m: -0.1 is negative; give a number >= 0");
  EXPECT_EQ(error_in(robot + "tolerance_m: .nan\n"),
            ":2: tolerance_m: is no finite number; write it as 0.005");
  EXPECT_EQ(error_in(robot + "budget: 1.5\n"),
            ":2: budget: 1.5 is no count; give a whole number, 0 for no limit");
  EXPECT_EQ(error_in(robot + robot), ":2: robot: is given twice; keep one of them");
  EXPECT_EQ(error_in(robot + "clearance: 0.1\n").rfind(":2: clearance: is no known key; use ", 0),
            0U);
  EXPECT_EQ(error_in(robot + "bounds: {shoulder: {low: -1}}\n"),
            ":2: bounds.shoulder: lacks low or high; give both");
  EXPECT_EQ(error_in("- a\n- b\n"),
            ":1: settings: no map of settings; write at least: robot: "
            "FILE.urdf");
  EXPECT_EQ(error_in("robot: [\n").rfind(":2: settings: ", 0), 0U);
  EXPECT_NE(error_in(robot + "group: leg\n").find("leg"), std::string::npos);
  EXPECT_NE(error_in(robot + "others: {finger: 1}\n").find("\"finger\""), std::string::npos);
  EXPECT_NE(error_in("robot: nowhere.urdf\n").find("nowhere.urdf"), std::string::npos);
  EXPECT_NE(error_of((folder.path() / "none.yaml").string()).find("cannot be read"),
            std::string::npos);
  char cut[8];
  EXPECT_EQ(library().make("none.yaml", cut, sizeof cut), nullptr);
  EXPECT_EQ(std::string(cut), "none.ya");
  EXPECT_EQ(library().make(nullptr, cut, sizeof cut), nullptr);
}

#ifdef CATENA_HAVE_CLASS_LOADER
TEST(Plugin, IsFoundByClassLoader) {
  class_loader::ClassLoader loader(CATENA_PLUGIN);
  const auto classes = loader.getAvailableClasses<catena::ompl::PluginFactory>();
  ASSERT_EQ(classes, std::vector<std::string>{"catena::ompl::SettingsPlugin"});
  const auto factory = loader.createUniqueInstance<catena::ompl::PluginFactory>(classes.front());
  const catena::ompl::PluginParts parts = factory->make(kSettings);
  ob::ScopedState<> ahead(parts.space);
  ahead = std::vector<double>{0.0, 0.0};
  EXPECT_FALSE(parts.checker->isValid(ahead.get()));
  EXPECT_THROW(factory->make("none.yaml"), std::runtime_error);
}
#endif

}  // namespace
