//! carom-modal
