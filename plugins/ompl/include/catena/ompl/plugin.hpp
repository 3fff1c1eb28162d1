#pragma once

#include <memory>
#include <string>
#include <vector>

#include <ompl/base/SpaceInformation.h>

#include "catena/ompl/plugin.h"

namespace catena::ompl {

/// The OMPL objects that a loaded plugin makes. A host needs OMPL to use them, and nothing else of
/// Catena than this header: the validity checker and the motion validator are in `information`.
struct PluginParts {
  ::ompl::base::StateSpacePtr space;
  ::ompl::base::SpaceInformationPtr information;
  ::ompl::base::StateValidityCheckerPtr checker;
  ::ompl::base::MotionValidatorPtr validator;
  std::vector<std::string> joint_names;  ///< of the group, in the order of the space's values
};

/// What class_loader finds in the library, as the class "catena::ompl::SettingsPlugin".
///
/// The library must stay loaded as long as anything that it made is in use.
class PluginFactory {
 public:
  virtual ~PluginFactory() = default;

  /// Reads a settings file (plugins/ompl/README.md). Throws std::runtime_error with file, line,
  /// element, problem and remedy.
  virtual PluginParts make(const std::string& settings_file) = 0;
};

}  // namespace catena::ompl
