//! Memory that was given back is kept for the next time.
//!
//! A step of a large scene gives back lists of hundreds of megabytes and asks for as much again. GNU's allocator would return each of them to
//! the kernel, which clears every page before it hands it out anew: a third of the time of a million balls.

/// From now on the allocator keeps what it has. Does nothing where it is not GNU's.
pub fn keep() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use std::ffi::c_int;
        // From <malloc.h>. Either setting alone would leave the other as a way back to the kernel.
        const TRIM_THRESHOLD: c_int = -1;
        const MAP_THRESHOLD: c_int = -3;
        // SAFETY: the declaration is that of <malloc.h>. The function takes two integers and may be called at any time.
        #[expect(unsafe_code, reason = "a function of the C library")]
        unsafe extern "C" {
            safe fn mallopt(parameter: c_int, value: c_int) -> c_int;
        }
        // One if it is done, zero if not, in which case all is as it was: slower, nothing else.
        mallopt(TRIM_THRESHOLD, c_int::MAX);
        mallopt(MAP_THRESHOLD, c_int::MAX);
    }
}
