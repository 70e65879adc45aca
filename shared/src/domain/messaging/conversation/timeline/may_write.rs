//! Whether something can be written to a customer now, and if not, why and what else to do.

use serde::Serialize;
use utoipa::ToSchema;

use super::CustomerCard;
use crate::{
    domain::{
        intake::contact_point::Recipient,
        messaging::{
            message::{send_policy::SetUp, sms_link::NO_NUMBER},
            opt_out::store::State,
        },
        tenancy::org::{Profile, settings::Registration},
    },
    platform::phone::Phone,
};

/// Whether something can be written, and if not, why and what else to do.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CanWrite {
    pub ok: bool,
    pub why: Option<String>,
    /// Opens the text app of the person's own phone, when texting from here is not possible but allowed.
    pub sms_link: Option<String>,
}

impl CanWrite {
    fn yes() -> Self {
        Self { ok: true, why: None, sms_link: None }
    }

    fn no(why: impl Into<String>) -> Self {
        Self { ok: false, why: Some(why.into()), sms_link: None }
    }
}

pub(super) fn by_text(card: &CustomerCard, to: &Recipient, set_up: SetUp, profile: &Profile) -> CanWrite {
    let Some(phone) = to.phone.as_deref().and_then(Phone::parse) else {
        return CanWrite::no(to.no_phone());
    };
    if card.sms_opt_out.as_ref().is_some_and(|out| out.said_elsewhere) {
        return CanWrite::no("they asked at this number not to be texted: ask them, then confirm or lift");
    }
    match card.sms_opt_out.as_ref().map(|out| out.state) {
        Some(State::Stopped) if card.sms_opt_out.as_ref().is_some_and(|out| out.by_person) => {
            return CanWrite::no("your business stopped texts to this number");
        }
        Some(State::Stopped) => return CanWrite::no("they said STOP: nothing can be sent to this number by text"),
        Some(State::Paused) => return CanWrite::no("they may have asked to stop: look, then confirm or lift"),
        _ => {}
    }
    if let Some(why) = phone.why_never_texted() {
        return CanWrite::no(why);
    }
    if card.no_sms_since.is_some() {
        return CanWrite::no("this number cannot receive texts; it may be a landline");
    }
    let by_hand = |why: &str| CanWrite { sms_link: Some(format!("sms:{}", phone.as_e164())), ..CanWrite::no(why) };
    if !set_up.sms {
        return by_hand("SMS is not set up");
    }
    if !profile.org.has_sender() {
        return by_hand(NO_NUMBER);
    }
    if profile.settings.sending.registration == Registration::Pending {
        return by_hand("your number is not registered for texting yet");
    }
    CanWrite::yes()
}

pub(super) fn by_email(to: &Recipient, set_up: SetUp) -> CanWrite {
    match &to.email {
        None => CanWrite::no(to.no_email()),
        Some(_) if !set_up.email => CanWrite::no("email is not set up"),
        Some(_) => CanWrite::yes(),
    }
}
