/// @file
/// Headers that include this one need exceptions. Without them the compiler prints one message.
#pragma once

// A missing file stops every compiler; see core/config.hpp.
#if !defined(__cpp_exceptions)
#error \
    "warpfold: the emulation, the policies of several ranks or GPUs, and CUB's calls need exceptions; compile without -fno-exceptions"
#include "warpfold needs exceptions"
#endif
