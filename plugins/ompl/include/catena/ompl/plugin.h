#ifndef CATENA_OMPL_PLUGIN_H
#define CATENA_OMPL_PLUGIN_H

/* C entry points of libcatena_ompl_plugin: everything that a host needs which finds the library by
 * name at run time (dlopen, dlsym). Nothing here throws; all functions but make and free may be
 * called from several threads at once. */

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Robot, scene, state space, validity checker and motion validator made from one settings file. */
typedef struct catena_ompl_planning catena_ompl_planning;

enum {
  CATENA_OMPL_FREE = 0,      /* proven */
  CATENA_OMPL_COLLISION = 1, /* proven */
  CATENA_OMPL_BAD_INPUT = 2, /* values that are no configuration */
  CATENA_OMPL_UNDECIDED = 3  /* not free for a planner */
};

/* NULL if the settings cannot be used; then `error` (if not NULL) holds why: where, what, remedy,
 * cut to error_size bytes with the final 0. */
catena_ompl_planning* catena_ompl_make(const char* settings_file, char* error, size_t error_size);
void catena_ompl_free(catena_ompl_planning* planning);

/* How many values a configuration of the group has. */
int catena_ompl_num_values(const catena_ompl_planning* planning);

/* One of CATENA_OMPL_*. `clearance` (if not NULL) gets a certified lower bound of the distance;
 * without it the answer is faster. */
int catena_ompl_check_state(const catena_ompl_planning* planning, const double* values,
                            double* clearance);

/* One of CATENA_OMPL_* for the whole motion. `free_until` (if not NULL) gets the largest
 * proven-free prefix, exactly 1 if the motion is free. */
int catena_ompl_check_motion(const catena_ompl_planning* planning, const double* from,
                             const double* to, double* free_until);

/* The catena::ompl::PluginParts (plugin.hpp) of a planning: the OMPL objects, for C++ hosts. Valid
 * until catena_ompl_free; the shared pointers in it may be copied and kept longer. */
void* catena_ompl_parts(const catena_ompl_planning* planning);

#ifdef __cplusplus
}
#endif

#endif
