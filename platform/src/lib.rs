//! Base layer: time, ids, money, text, errors, database, tasks, files. Independent of business concepts, but for the
//! words by which all layers name them: ids, kinds of tasks, changed records, and reasons of refusals (`conflicts`),
//! which the error type carries.

pub mod access_link;
pub mod business_hours;
pub mod clock;
pub mod config;
pub mod conflicts;
pub mod contact_hours;
pub mod count_cache;
pub mod csv_cell;
pub mod csv_table;
pub mod date_format;
pub mod db;
pub mod dirty;
pub mod email_address;
pub mod encryption;
pub mod error;
pub mod failure_log;
pub mod field_schemas;
pub mod ical;
pub mod id;
pub mod idempotency;
pub mod language;
pub mod live;
pub mod log_line;
pub mod memoize;
pub mod message_channel;
pub mod money;
pub mod outbound;
pub mod period;
pub mod phone;
pub mod photo;
pub mod private_file;
pub mod public_url;
pub mod recipient;
pub mod secret;
pub mod sequence;
pub mod sms_segments;
pub mod stop_signal;
pub mod storage;
pub mod tasks;
pub mod text;
pub mod text_enum;
pub mod throttle;
pub mod tls;
pub mod zip_stream;
