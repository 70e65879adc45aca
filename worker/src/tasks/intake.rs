//! Task handlers of intake.

pub mod reencode_photos;
