// Cancelling where one thread is all there is: who wants to end a call cannot call
// attend_cancel() during it.
#pragma once

#include <cstdint>

#include "attend/c/attend.h"

extern "C" {

// A cancellation that also asks: `asked` is called about ten times a second by each call that was
// given it, on its thread, and ends the call if its result is not 0.
attend_cancellation* attend_cancellation_asking(int32_t (*asked)(void));

}  // extern "C"
