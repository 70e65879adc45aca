//! Schemas of form fields in the API description: values that match are accepted, all others are refused.
//!
//! The checks themselves are in `platform::text`, `platform::phone` and `domain::tenancy::account::password`. The story
//! `contract` sends both sides of every limit and compares.

use utoipa::openapi::{
    KnownFormat, ObjectBuilder, Schema, SchemaFormat,
    schema::{AnyOfBuilder, SchemaType, Type},
};

/// No control characters and no bidirectional formatting characters.
const LINE: &str = r"^[^\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*$";
/// The same with at least one visible character.
const FILLED_LINE: &str = r"^[^\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*[^\s\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069][^\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*$";
/// As a line, with line breaks and tabs.
const LINES: &str = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*$";
/// The same with at least one visible character.
const FILLED_LINES: &str = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*[^\s\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069][^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]*$";
/// Surrounding blanks do not count towards the five characters.
const ZIP: &str = r"^[^\s\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069][^\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]{3,10}[^\s\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]$";
/// Spellings of a phone number of the United States or Canada.
const PHONE: &str = r"^(\+?1[ .-]?)?(\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[ .-]?)[0-9]{3}[ .-]?[0-9]{4}$";
/// The same, or nothing.
const PHONE_OR_EMPTY: &str = r"^((\+?1[ .-]?)?(\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[ .-]?)[0-9]{3}[ .-]?[0-9]{4})?$";
/// A web address with a whole host name, or nothing.
const LINK_OR_EMPTY: &str =
    r"^(https?://[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.[A-Za-z][A-Za-z0-9-]*(:[0-9]{1,4})?([/?#][!-~]*)?)?$";
/// Names that resolve into a private network are refused at a later check.
const HOOK: &str = r"^https://[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.[A-Za-z][A-Za-z0-9-]*(:443)?([/?][!$-\[\]-~]*)?$";
const ZONE: &str = r"^[A-Za-z][A-Za-z0-9+/_-]*$";
/// A color of six hex digits, or nothing.
const COLOR_OR_EMPTY: &str = r"^(#[0-9A-Fa-f]{6})?$";
/// Not one character repeated.
const PASSWORD: &str = r"^(?!([\s\S])\1*$)[\s\S]{8,128}$";

/// No control characters except the tab.
const HEADER: &str = r"^[^\x00-\x08\x0a-\x1f\x7f]*$";

const PHONE_WORDS: &str = "A number of the United States or Canada as people write it. One of another country is taken \
    too, with + and its country code, where that country's numbering plan has it.";
const PASSWORD_WORDS: &str = "Not one of the most used passwords, nor the name of the business, nor the email.";

fn text_schema(pattern: &str, longest: usize) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern)).max_length(Some(longest))
}

fn nullable_string() -> SchemaType {
    SchemaType::from_iter([Type::String, Type::Null])
}

/// A line that must not be blank.
#[must_use]
pub fn required_line<const LONGEST: usize>() -> Schema {
    text_schema(FILLED_LINE, LONGEST).min_length(Some(1)).into()
}

#[must_use]
pub fn optional_line<const LONGEST: usize>() -> Schema {
    text_schema(LINE, LONGEST).into()
}

#[must_use]
pub fn nullable_line<const LONGEST: usize>() -> Schema {
    text_schema(LINE, LONGEST).schema_type(nullable_string()).into()
}

#[must_use]
pub fn nullable_color() -> Schema {
    text_schema(COLOR_OR_EMPTY, 7).schema_type(nullable_string()).into()
}

#[must_use]
pub fn required_text<const LONGEST: usize>() -> Schema {
    text_schema(FILLED_LINES, LONGEST).min_length(Some(1)).into()
}

#[must_use]
pub fn optional_text<const LONGEST: usize>() -> Schema {
    text_schema(LINES, LONGEST).into()
}

#[must_use]
pub fn nullable_text<const LONGEST: usize>() -> Schema {
    text_schema(LINES, LONGEST).schema_type(nullable_string()).into()
}

/// Service of the lead form: its six words, and the options of other forms.
#[must_use]
pub fn service_name() -> Schema {
    let words = "plumbing, electrical, hvac, roofing, landscaping, other, or the business's own word";
    text_schema(FILLED_LINE, 80).min_length(Some(1)).description(Some(words)).into()
}

#[must_use]
pub fn industry_name() -> Schema {
    text_schema(LINE, 100).schema_type(nullable_string()).description(Some("'Contractor' when absent.")).into()
}

#[must_use]
pub fn nullable_url() -> Schema {
    text_schema(LINK_OR_EMPTY, 500)
        .schema_type(nullable_string())
        .description(Some("A whole web address, or nothing."))
        .into()
}

/// Public https address on port 443 ([`crate::outbound`]).
#[must_use]
pub fn webhook_url() -> Schema {
    text_schema(HOOK, 2048).min_length(Some(1)).examples(["https://example.com/toolbox"]).into()
}

#[must_use]
pub fn time_zone() -> Schema {
    let words = "An IANA name, such as America/Chicago.";
    text_schema(ZONE, 60).min_length(Some(1)).description(Some(words)).examples(["America/Chicago"]).into()
}

#[must_use]
pub fn zip_code() -> Schema {
    text_schema(ZIP, 12).min_length(Some(5)).into()
}

fn address_schema() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Email)))
        .max_length(Some(254))
}

#[must_use]
pub fn email_address() -> Schema {
    address_schema().min_length(Some(1)).into()
}

/// An address, or the empty text that a browser sends for an empty field.
#[must_use]
pub fn email_or_empty() -> Schema {
    let empty = ObjectBuilder::new().schema_type(Type::String).enum_values(Some([""]));
    Schema::AnyOf(AnyOfBuilder::new().item(address_schema()).item(empty).build())
}

#[must_use]
pub fn phone_number() -> Schema {
    text_schema(PHONE, 40).min_length(Some(10)).description(Some(PHONE_WORDS)).into()
}

#[must_use]
pub fn nullable_phone() -> Schema {
    text_schema(PHONE_OR_EMPTY, 40).schema_type(nullable_string()).description(Some(PHONE_WORDS)).into()
}

#[must_use]
pub fn new_password() -> Schema {
    let secret =
        text_schema(PASSWORD, 128).min_length(Some(8)).format(Some(SchemaFormat::KnownFormat(KnownFormat::Password)));
    secret.description(Some(PASSWORD_WORDS)).into()
}

#[must_use]
pub fn header_text() -> Schema {
    ObjectBuilder::new().schema_type(Type::String).pattern(Some(HEADER)).into()
}
