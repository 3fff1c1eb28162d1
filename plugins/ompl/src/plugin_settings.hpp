#pragma once

#include <string>
#include <vector>

#include "catena/io/urdf.hpp"
#include "catena/ompl/setup.hpp"

namespace catena::ompl {

/// The settings file of the loadable plugin, as read; paths are resolved against its folder.
struct PluginSettings {
  std::string robot;
  io::UrdfOptions urdf;
  std::vector<std::string> scenes;
  SetupOptions setup;
};

/// Errors    io::InputError with line and key: unreadable, a key that is missing, unknown, given
///           twice, or of another kind than it must be.
PluginSettings load_plugin_settings(const std::string& path);

}  // namespace catena::ompl
