//! Look of every page of a business: name, phone, logo, color, and the line at the foot.

use minijinja::{Value, context, value::Serde};
use shared::domain::tenancy::org::{OrgProfile, logo};

use super::{LinkSession, SCRIPT_PATH, STYLE_PATH, render::brand_style_path, words::PageText};

pub(super) fn business_head(profile: &OrgProfile, words: &'static PageText) -> Value {
    let (org, look) = (&profile.org, &profile.settings.look);
    let phone = org.phone.as_deref();
    context! {
        w => Serde(words), style => STYLE_PATH.as_str(), script => SCRIPT_PATH.as_str(),
        business => org.name.as_str(), licence => org.licence_line.as_deref(),
        phone => phone.map(format_phone), phone_href => phone.map(to_dial_format),
        logo => logo::logo_url(org), brand_style => look.brand_color().map(brand_style_path),
        has_powered_by => look.shows_powered_by,
    }
}

/// For a page behind a link, with its address.
pub(super) fn link_head(session: &LinkSession, token: &str, words: &'static PageText) -> Value {
    context! { at => format!("/p/{token}"), ..business_head(&session.profile, words) }
}

/// For a `tel:` link.
fn to_dial_format(phone: &str) -> String {
    let plain = || phone.chars().filter(|c| c.is_ascii_digit() || *c == '+').collect();
    let number = shared::platform::phone::Phone::parse(phone).map_or_else(plain, |phone| phone.as_e164().to_owned());
    format!("tel:{number}")
}

pub(crate) fn format_phone(phone: &str) -> String {
    shared::platform::phone::Phone::parse(phone)
        .map_or_else(|| phone.to_owned(), |phone| phone.format_display().into_owned())
}
