// The `catena` command: reads its arguments, runs one subcommand, turns errors into exit statuses.

#include <cstdio>
#include <exception>
#include <string>

#include <CLI/CLI.hpp>

#include "catena/io/input_error.hpp"
#include "options.hpp"

namespace {

constexpr const char* kAbout =
    "Certified collision checking and motion planning for long chains.\n\n"
    "Exit status: 0 everything free, solved or certified; 1 something collides or no plan was "
    "found;\n"
    "2 bad input or usage; 3 nothing collides, but something is undecided.\n"
    "The answer goes to stdout, everything else to stderr.";

int fail(const std::string& message) {
  std::fprintf(stderr, "%s\n", catena::command::printable(message, true).c_str());
  return catena::command::kBadInput;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace catena::command;
  CLI::App app(kAbout, "catena");
  app.set_version_flag("--version", std::string("catena ") + CATENA_VERSION);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  Action action;
  add_info(app, action);
  add_query(app, action);
  add_plan(app, action);
  add_verify(app, action);
  add_benchmark(app, action);
  try {
    app.parse(argc, argv);
    return action();
  } catch (const CLI::Success& asked) {  // --help, --version
    app.exit(asked);
    return kAllFree;
  } catch (const CLI::ParseError& error) {
    std::string name = "catena";
    if (app.get_subcommands().empty()) {
      std::string list;
      for (const CLI::App* known : app.get_subcommands({}))
        list += (list.empty() ? "" : ", ") + known->get_name();
      const std::string problem = argc > 1 ? "there is no command \"" + std::string(argv[1]) + "\""
                                           : std::string("no command is given");
      return fail("catena: " + problem + "; use one of " + list + ", or see catena --help");
    }
    for (const CLI::App* chosen : app.get_subcommands()) name += " " + chosen->get_name();
    return fail(name + ": " + error.what() + "; see " + name + " --help");
  } catch (const catena::io::InputError& error) {
    return fail(error.what());
  } catch (const std::bad_alloc&) {
    return fail("catena: there is not enough memory for this input");
  } catch (const std::exception& error) {
    return fail(std::string("catena: ") + error.what());
  }
}
