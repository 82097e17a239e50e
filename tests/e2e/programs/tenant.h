// What two libraries that take one place have in common.
#pragma once

int tenant(void);
