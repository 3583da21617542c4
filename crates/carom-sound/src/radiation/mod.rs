//! Acoustic transfer: from a mode's normal velocity on the surface to the pressure around the body.
