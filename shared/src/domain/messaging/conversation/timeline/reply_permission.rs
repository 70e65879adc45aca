//! Check whether a customer can be written to now; if not, the reason and the alternatives.

use serde::Serialize;
use utoipa::ToSchema;

use super::CustomerCard;
use crate::domain::{
    intake::contact_point::CustomerRecipient,
    messaging::{message::sms_link::NO_NUMBER, opt_out::store::OptOutState},
    tenancy::org::{CarrierRegistration, OrgProfile, SendChannels},
};

/// Whether something can be written, and if not, why and what else to do.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CanWrite)]
pub struct ReplyPermission {
    pub ok: bool,
    pub why: Option<String>,
    /// Opens the text app of the person's own phone, when texting from here is not possible but allowed.
    pub sms_link: Option<String>,
}

impl ReplyPermission {
    fn allowed() -> Self {
        Self { ok: true, why: None, sms_link: None }
    }

    fn refused(why: impl Into<String>) -> Self {
        Self { ok: false, why: Some(why.into()), sms_link: None }
    }
}

pub(super) fn can_send_text(
    card: &CustomerCard,
    to: &CustomerRecipient,
    set_up: SendChannels,
    profile: &OrgProfile,
) -> ReplyPermission {
    let Some(phone) = &to.phone else {
        return ReplyPermission::refused(to.missing_phone_reason());
    };
    if card.sms_opt_out.as_ref().is_some_and(|out| out.said_elsewhere) {
        return ReplyPermission::refused("they asked at this number not to be texted: ask them, then confirm or lift");
    }
    match card.sms_opt_out.as_ref().map(|out| out.state) {
        Some(OptOutState::Stopped) if card.sms_opt_out.as_ref().is_some_and(|out| out.by_person) => {
            return ReplyPermission::refused("your business stopped texts to this number");
        }
        Some(OptOutState::Stopped) => {
            return ReplyPermission::refused("they said STOP: nothing can be sent to this number by text");
        }
        Some(OptOutState::Paused) => {
            return ReplyPermission::refused("they may have asked to stop: look, then confirm or lift");
        }
        _ => {}
    }
    if let Some(why) = phone.untextable_reason() {
        return ReplyPermission::refused(why);
    }
    if card.sms_undeliverable_since.is_some() {
        return ReplyPermission::refused("this number cannot receive texts; it may be a landline");
    }
    let by_hand = |why: &str| ReplyPermission {
        sms_link: Some(format!("sms:{}", phone.as_e164())),
        ..ReplyPermission::refused(why)
    };
    if !set_up.sms {
        return by_hand("SMS is not set up");
    }
    if !profile.org.has_sender() {
        return by_hand(NO_NUMBER);
    }
    if profile.settings.sending.registration == CarrierRegistration::Pending {
        return by_hand("your number is not registered for texting yet");
    }
    ReplyPermission::allowed()
}

pub(super) fn can_send_email(to: &CustomerRecipient, set_up: SendChannels) -> ReplyPermission {
    match &to.email {
        None => ReplyPermission::refused(to.missing_email_reason()),
        Some(_) if !set_up.email => ReplyPermission::refused("email is not set up"),
        Some(_) => ReplyPermission::allowed(),
    }
}
