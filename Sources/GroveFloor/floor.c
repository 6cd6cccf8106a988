#include "GroveFloor.h"
int grove_floor_placeholder(void) { return 0; }
