//! Schema of the public lead form in the API description.

use std::borrow::Cow;

use utoipa::{
    PartialSchema, ToSchema,
    openapi::{RefOr, Schema},
};

use crate::openapi::fields;

pub struct LeadFormDoc;

impl PartialSchema for LeadFormDoc {
    fn schema() -> RefOr<Schema> {
        let mut form = Fields::schema();
        if let RefOr::T(Schema::Object(object)) = &mut form {
            // A multipart field name travels in a header.
            object.property_names = Some(Box::new(fields::header_text()));
        }
        form
    }
}

impl ToSchema for LeadFormDoc {
    fn name() -> Cow<'static, str> {
        "LeadForm".into()
    }
}

#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "only described; the form is read field by field")]
struct Fields {
    #[schema(schema_with = fields::required_line::<120>)]
    name: String,
    #[schema(schema_with = fields::phone_number)]
    phone: String,
    #[schema(schema_with = fields::email_or_empty)]
    email: Option<String>,
    #[schema(schema_with = fields::service_name)]
    service: String,
    #[schema(schema_with = fields::zip_code)]
    zip: String,
    #[schema(schema_with = fields::optional_text::<5000>)]
    notes: Option<String>,
    /// The business, by slug or id; without it, or where there is none such, the install's default.
    #[schema(value_type = String, required = false)]
    org_id: Option<String>,
    #[schema(schema_with = fields::optional_line::<60>)]
    source: Option<String>,
    /// PNG, JPG or WebP pictures of at most 5 MB.
    #[schema(value_type = Vec<String>, required = false, format = Binary, max_items = 5)]
    photos: Vec<u8>,
    /// `true` when the box was ticked.
    #[schema(value_type = String, required = false)]
    marketing_consent: Option<String>,
    #[schema(value_type = String, required = false)]
    form_token: Option<String>,
    /// Hidden from people; must stay empty.
    #[schema(value_type = String, required = false)]
    company: Option<String>,
    #[schema(value_type = String, required = false)]
    page_url: Option<String>,
    #[schema(value_type = String, required = false)]
    referrer: Option<String>,
}
