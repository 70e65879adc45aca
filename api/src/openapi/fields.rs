//! The kinds of fields that forms have, as the description states them: what fits here is taken, what does not is refused.
//!
//! The checks themselves are the business's (`shared`): `shared::platform::text`, `shared::platform::phone`, `shared::domain::tenancy::account::password`.
//! The story `contract` sends both sides of every limit and compares.

use utoipa::openapi::{
    KnownFormat, ObjectBuilder, Schema, SchemaFormat,
    schema::{AnyOfBuilder, SchemaType, Type},
};

/// No control characters, and no marks that turn the direction of the text after them.
const LINE: &str = r"^[^\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*$";
/// The same with something in it that can be seen.
const FILLED_LINE: &str = r"^[^\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*[^\s\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069][^\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*$";
/// Line breaks and tabs too.
const LINES: &str = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*$";
/// The same with something in it that can be seen.
const FILLED_LINES: &str = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*[^\s\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069][^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*$";
/// Blanks around it do not count towards the five.
const ZIP: &str = r"^[^\s\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069][^\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]{3,10}[^\s\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]$";
/// The ways people write a number of the United States or Canada.
const PHONE: &str = r"^(\+?1[ .-]?)?(\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[ .-]?)[0-9]{3}[ .-]?[0-9]{4}$";
/// The same, or nothing.
const PHONE_OR_EMPTY: &str = r"^((\+?1[ .-]?)?(\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[ .-]?)[0-9]{3}[ .-]?[0-9]{4})?$";
/// A web address with a whole host name, or nothing.
const LINK_OR_EMPTY: &str =
    r"^(https?://[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.[A-Za-z][A-Za-z0-9-]*(:[0-9]{1,4})?([/?#][!-~]*)?)?$";
/// Names that lead into somebody's own network are refused beyond it.
const HOOK: &str = r"^https://[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.[A-Za-z][A-Za-z0-9-]*(:443)?([/?][!$-\[\]-~]*)?$";
const ZONE: &str = r"^[A-Za-z][A-Za-z0-9+/_-]*$";
/// Not one character over and over.
const PASSWORD: &str = r"^(?!([\s\S])\1*$)[\s\S]{8,128}$";

/// No control characters but the tab.
const HEADER: &str = r"^[^\x00-\x08\x0a-\x1f\x7f]*$";

const PHONE_WORDS: &str = "A number of the United States or Canada as people write it. One of another country is taken \
    too, with + and its country code, where that country's numbering plan has it.";
const PASSWORD_WORDS: &str = "Not one of the most used passwords, nor the name of the business, nor the email.";

fn text(pattern: &str, longest: usize) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern)).max_length(Some(longest))
}

fn or_null() -> SchemaType {
    SchemaType::from_iter([Type::String, Type::Null])
}

/// A line that must say something.
pub fn filled<const LONGEST: usize>() -> Schema {
    text(FILLED_LINE, LONGEST).min_length(Some(1)).into()
}

/// A line of a multipart form that may be empty.
pub fn line<const LONGEST: usize>() -> Schema {
    text(LINE, LONGEST).into()
}

/// A line of a JSON form that may be empty or null.
pub fn line_or_null<const LONGEST: usize>() -> Schema {
    text(LINE, LONGEST).schema_type(or_null()).into()
}

/// Text that may have several lines and must say something.
pub fn filled_lines<const LONGEST: usize>() -> Schema {
    text(FILLED_LINES, LONGEST).min_length(Some(1)).into()
}

/// Text of a multipart form that may have several lines, and may be empty.
pub fn lines<const LONGEST: usize>() -> Schema {
    text(LINES, LONGEST).into()
}

/// Text of a JSON form that may have several lines, and may be empty or null.
pub fn lines_or_null<const LONGEST: usize>() -> Schema {
    text(LINES, LONGEST).schema_type(or_null()).into()
}

/// What the lead form asks for: its own six words, and whatever else another page's form offers.
pub fn service() -> Schema {
    let words = "plumbing, electrical, hvac, roofing, landscaping, other, or the business's own word";
    text(FILLED_LINE, 80).min_length(Some(1)).description(Some(words)).into()
}

pub fn industry() -> Schema {
    text(LINE, 100).schema_type(or_null()).description(Some("'Contractor' when absent.")).into()
}

/// A web address of a JSON form that may be empty or null.
pub fn link_or_null() -> Schema {
    text(LINK_OR_EMPTY, 500).schema_type(or_null()).description(Some("A whole web address, or nothing.")).into()
}

/// An https address on the internet, on port 443 ([`shared::platform::outbound`]).
pub fn hook() -> Schema {
    text(HOOK, 2048).min_length(Some(1)).examples(["https://example.com/toolbox"]).into()
}

/// A time zone.
pub fn time_zone() -> Schema {
    let words = "An IANA name, such as America/Chicago.";
    text(ZONE, 60).min_length(Some(1)).description(Some(words)).examples(["America/Chicago"]).into()
}

pub fn zip() -> Schema {
    text(ZIP, 12).min_length(Some(5)).into()
}

fn address() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Email)))
        .max_length(Some(254))
}

pub fn email() -> Schema {
    address().min_length(Some(1)).into()
}

/// An address, or the empty text that a browser sends for a field that was not filled in.
pub fn email_or_empty() -> Schema {
    let empty = ObjectBuilder::new().schema_type(Type::String).enum_values(Some([""]));
    Schema::AnyOf(AnyOfBuilder::new().item(address()).item(empty).build())
}

pub fn phone() -> Schema {
    text(PHONE, 40).min_length(Some(10)).description(Some(PHONE_WORDS)).into()
}

pub fn phone_or_null() -> Schema {
    text(PHONE_OR_EMPTY, 40).schema_type(or_null()).description(Some(PHONE_WORDS)).into()
}

/// A password that is about to be chosen.
pub fn new_password() -> Schema {
    let secret = text(PASSWORD, 128).min_length(Some(8)).format(Some(SchemaFormat::KnownFormat(KnownFormat::Password)));
    secret.description(Some(PASSWORD_WORDS)).into()
}

/// What a header can hold.
pub fn header_text() -> Schema {
    ObjectBuilder::new().schema_type(Type::String).pattern(Some(HEADER)).into()
}
