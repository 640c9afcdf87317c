// See task_arena.h.
#include "task_arena.h"
