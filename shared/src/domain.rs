//! Business logic in six domains.

pub mod growth;
pub mod intake;
pub mod messaging;
pub mod money;
pub mod tenancy;
pub mod work;
