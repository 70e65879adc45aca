//! What every page of a business begins with: who it is and how to call them.

use minijinja::{Value, context, value::Serde};
use shared::domain::tenancy::org::Profile;

use super::{Door, SCRIPT_PATH, STYLE_PATH, words::Words};

/// The head of a business's page, for the templates that include `head.html`.
pub(super) fn of(profile: &Profile, words: &'static Words) -> Value {
    let org = &profile.org;
    let phone = org.phone.as_deref();
    context! {
        w => Serde(words), style => STYLE_PATH.as_str(), script => SCRIPT_PATH.as_str(),
        business => org.name.as_str(), licence => org.licence_line.as_deref(),
        phone => phone.map(shown), phone_href => phone.map(dialled),
        logo => org.logo_key.as_ref().map(|_| format!("/api/public/logo/{}", org.id)),
    }
}

/// The same of a page behind a link, with its address.
pub(super) fn at(door: &Door, token: &str, words: &'static Words) -> Value {
    context! { at => format!("/p/{token}"), ..of(&door.profile, words) }
}

/// As a telephone dials it.
fn dialled(phone: &str) -> String {
    let plain = || phone.chars().filter(|c| c.is_ascii_digit() || *c == '+').collect();
    let number = shared::platform::phone::Phone::parse(phone).map_or_else(plain, |phone| phone.as_e164().to_owned());
    format!("tel:{number}")
}

/// A phone number as people read it.
pub(crate) fn shown(phone: &str) -> String {
    shared::platform::phone::Phone::parse(phone).map_or_else(|| phone.to_owned(), |phone| phone.shown().into_owned())
}
