//! The registration follows the number that a business sends from: it is said of numbers, and stored once.

use super::{TextingRegistrationState, announce_change, find_by_number, ten_dlc};
use crate::{
    domain::{
        messaging::{alert, sending_number::NumberAssignedBy},
        tenancy::{
            audit::{self, AuditAction, AuditActor},
            org,
        },
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx},
        error::Result,
        id::OrgId,
        phone::Phone,
    },
};

const WAITING: (&str, &str) = (
    "Texts from your new number are not sent yet",
    "It is toll-free, and carriers block its texts until it is verified. Customers get emails meanwhile. Open Settings, Texting number, and register it.",
);
const LOCAL_WAITING: (&str, &str) = (
    "Texts from your new number are not sent yet",
    "It is not registered with the carriers yet, which block its texts until then. Customers get emails meanwhile. Open Settings, Texting number, to see how far it is.",
);
const LEAVING: (&str, &str) = (
    "Your texts are sent again",
    "You no longer text from a toll-free number that waits for the carriers. Check the registration of your number under Settings, Daily limits.",
);

/// Sets the registration by the number that the business sends from now; `before` is the one that it sent from. A
/// toll-free number that is not known as verified is `pending`, because carriers block its texts. A local one has what
/// was said of local numbers before.
pub(in crate::domain::messaging) async fn follow_sending_number(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    before: Option<&str>,
    by: Option<NumberAssignedBy>,
) -> Result<()> {
    let Some(found) = org::find(&mut *tx, org).await? else { return Ok(()) };
    if found.sms_number.as_deref() == before {
        return Ok(());
    }
    let (has_sender, number) = (found.has_sender(), found.sms_number.clone());
    let stored = org::load_profile(&mut *tx, found).await?.settings.sending;
    let (toll_free, local) = match number {
        // The operator set it up, and knows whether it is registered.
        Some(number) if by == Some(NumberAssignedBy::FirstBusiness) => {
            (is_toll_free(&number).then_some(stored.registration), None)
        }
        Some(number) if is_toll_free(&number) => (Some(find_toll_free_state(&mut *tx, org, &number).await?), None),
        Some(number) => (None, ten_dlc::local_state::follow_local_number(tx, origin, org, &number).await?),
        None => (None, None),
    };
    let next = settings_for_number(stored, before.is_some_and(is_toll_free), toll_free);
    let next = local.map_or(next, |registration| org::SendingSettings { registration, ..next });
    if next == stored {
        return Ok(());
    }
    org::lock(&mut *tx, org).await?;
    org::store_sending(&mut *tx, origin, org, next).await?;
    audit::record(tx, origin, &AuditActor::default(), org, AuditAction::SettingsChanged, Some(org.0)).await?;
    let is_pending = |page: org::SendingSettings| page.registration == org::CarrierRegistration::Pending;
    if has_sender && is_pending(next) != is_pending(stored) {
        let words = match (is_pending(next), toll_free) {
            (true, Some(_)) => WAITING,
            (true, None) => LOCAL_WAITING,
            (false, _) => LEAVING,
        };
        let key = format!("number_registration:{}", origin.uuid_v7());
        alert::alert_channel_trouble(tx, origin, org, key, words).await?;
    }
    announce_change(tx, origin, org).await
}

fn is_toll_free(number: &str) -> bool {
    Phone::from_e164(number).is_some_and(|phone| phone.is_toll_free())
}

async fn find_toll_free_state(conn: &mut dyn AsConn, org: OrgId, number: &str) -> Result<org::CarrierRegistration> {
    let found = find_by_number(conn, org, number).await?;
    let is_verified = found.is_some_and(|one| one.state == TextingRegistrationState::Approved);
    Ok(if is_verified { org::CarrierRegistration::Approved } else { org::CarrierRegistration::Pending })
}

/// `toll_free`: the state of the number that texts leave from now; `None` for a local one, and without a number.
fn settings_for_number(
    stored: org::SendingSettings,
    was_toll_free: bool,
    toll_free: Option<org::CarrierRegistration>,
) -> org::SendingSettings {
    let local = if was_toll_free { stored.local_registration.unwrap_or_default() } else { stored.registration };
    match toll_free {
        Some(registration) => org::SendingSettings { registration, local_registration: Some(local), ..stored },
        None => org::SendingSettings { registration: local, local_registration: None, ..stored },
    }
}

#[cfg(test)]
mod tests {
    use super::{
        org::{CarrierRegistration, SendingSettings},
        *,
    };

    #[test]
    fn local_number_gets_back_what_was_said_of_local_numbers() {
        for said in [CarrierRegistration::Unknown, CarrierRegistration::Approved, CarrierRegistration::Pending] {
            let local = SendingSettings { registration: said, ..SendingSettings::default() };
            let toll_free = settings_for_number(local, false, Some(CarrierRegistration::Pending));
            assert_eq!(toll_free.registration, CarrierRegistration::Pending);
            let verified = SendingSettings { registration: CarrierRegistration::Approved, ..toll_free };
            let other = settings_for_number(verified, true, Some(CarrierRegistration::Pending));
            assert_eq!(other.local_registration, Some(said), "a second toll-free number keeps it");
            assert_eq!(settings_for_number(other, true, None), local);
        }
    }

    #[test]
    fn toll_free_number_of_an_earlier_version_leaves_local_ones_at_their_default() {
        let stored = SendingSettings { registration: CarrierRegistration::Pending, ..SendingSettings::default() };
        assert_eq!(settings_for_number(stored, true, None), SendingSettings::default());
        assert_eq!(settings_for_number(stored, false, None), stored, "one local number after another");
    }
}
