int grove_floor_placeholder(void);
