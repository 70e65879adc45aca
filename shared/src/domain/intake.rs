//! Who asks for work: leads, customers, and how they are reached.

pub mod contact_point;
pub mod customer;
pub mod demo_request;
pub mod lead;
pub mod photo_upload;
