//! Modes that are excited by impulses, sample by sample.
