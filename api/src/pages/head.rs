//! What every page of a business begins with: who it is and how to call them.

use minijinja::{Value, context, value::Serde};
use shared::org::Profile;

use super::{Door, SCRIPT_PATH, STYLE_PATH, words::Words};

/// The head of a business's page, for the templates that include `head.html`.
pub(super) fn of(profile: &Profile, words: &'static Words) -> Value {
    let org = &profile.org;
    let phone = org.phone.as_deref();
    context! {
        w => Serde(words), style => STYLE_PATH.as_str(), script => SCRIPT_PATH.as_str(),
        business => org.name.as_str(), licence => org.licence_line.as_deref(),
        phone => phone.map(shown), phone_href => phone.map(|phone| format!("tel:{phone}")),
        logo => org.logo_key.as_ref().map(|_| format!("/api/public/logo/{}", org.id)),
    }
}

/// The same of a page behind a link, with its address.
pub(super) fn at(door: &Door, token: &str, words: &'static Words) -> Value {
    context! { at => format!("/p/{token}"), ..of(&door.profile, words) }
}

/// As people read it.
fn shown(phone: &str) -> String {
    shared::phone::Phone::parse(phone).map_or_else(|| phone.to_owned(), |phone| phone.shown().into_owned())
}
