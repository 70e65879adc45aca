//! The tasks, one file each, named by what they do.

pub mod fetch_media;
pub mod send_message;
pub mod settle_doubt;
