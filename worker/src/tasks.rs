//! Task handlers by domain, one file each.

pub mod growth;
pub mod intake;
pub mod messaging;
pub mod money;
pub mod ops;
pub mod tenancy;
pub mod work;
