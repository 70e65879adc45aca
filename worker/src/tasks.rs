//! The tasks, one file each, named by what they do.

pub mod send_message;
