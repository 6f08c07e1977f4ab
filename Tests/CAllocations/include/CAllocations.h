#ifndef C_ALLOCATIONS_H
#define C_ALLOCATIONS_H

/// How often this process has asked for memory so far; 0 where that is not counted.
unsigned long allocations_so_far(void);

/// Whether this system lets a program count.
int allocations_are_counted(void);

#endif
