//! Registration of the local number in the settings, by which its texts leave: approved with the last step, and followed
//! when another number takes its place.

use super::{
    super::{TextingRegistration, alert_approved, announce_change, enqueue_named_step},
    TenDlcStep,
    store::{find_ten_dlc, step_name},
};
use crate::{
    domain::tenancy::{
        audit::{self, AuditAction, AuditActor},
        org::{self, CarrierRegistration, SendingSettings},
    },
    platform::{
        clock::ClockRng,
        db::{Tx, q},
        error::Result,
        id::OrgId,
    },
};

pub(super) async fn record_approval(
    tx: &mut Tx,
    origin: &ClockRng,
    one: &TextingRegistration,
    step: TenDlcStep,
) -> Result<()> {
    org::lock(&mut *tx, one.org_id).await?;
    // A number that took its place meanwhile is connected first.
    let sql = "UPDATE texting_registration SET state = 'approved', sent_at = NULL, checked_at = $4 WHERE org_id = $1
         AND id = $2 AND step = $3 AND number = $5 AND state IN ('waiting', 'sending')";
    if q!(&mut *tx, execute, sql, one.org_id, one.id, step, origin.now(), &one.number)? == 0 {
        return Ok(());
    }
    store_local_state(tx, origin, one.org_id, &one.number, CarrierRegistration::Approved).await?;
    alert_approved(tx, origin, one, &one.number).await?;
    announce_change(tx, origin, one.org_id).await
}

/// A registered business sends from another local number: the number is connected to the campaign. `None` where nothing
/// was registered here.
pub async fn follow_local_number(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    number: &str,
) -> Result<Option<CarrierRegistration>> {
    let Some(found) = find_ten_dlc(&mut *tx, org).await?.filter(|found| found.number != number) else {
        return Ok(None);
    };
    org::lock(&mut *tx, org).await?;
    let is_connected_last = found.step == Some(TenDlcStep::SenderNumber);
    let sql = "UPDATE texting_registration SET number = $3 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, found.id, number)?;
    if is_connected_last {
        let sql = "UPDATE texting_registration SET state = 'waiting', reason = NULL, checks = 0, sent_at = NULL,
                 checked_at = $3 WHERE org_id = $1 AND id = $2";
        q!(&mut *tx, execute, sql, org, found.id, origin.now())?;
        let name = step_name(TenDlcStep::SenderNumber, number);
        enqueue_named_step(tx, origin, (org, found.id), origin.now(), &name).await?;
    }
    Ok(Some(CarrierRegistration::Pending))
}

/// Sets the registration of the local number in the settings. The caller has locked the org.
pub(super) async fn store_local_state(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    number: &str,
    registration: CarrierRegistration,
) -> Result<()> {
    let Some(found) = org::find(&mut *tx, org).await? else { return Ok(()) };
    let sends_from = found.sms_number.clone();
    let stored = org::load_profile(&mut *tx, found).await?.settings.sending;
    let next = settings_for_local(stored, sends_from.as_deref(), number, registration);
    if next == stored {
        return Ok(());
    }
    org::store_sending(&mut *tx, origin, org, next).await?;
    audit::record(tx, origin, &AuditActor::default(), org, AuditAction::SettingsChanged, Some(org.0)).await?;
    announce_change(tx, origin, org).await
}

/// What holds for local numbers again is changed while texts leave from a toll-free one.
fn settings_for_local(
    stored: SendingSettings,
    sends_from: Option<&str>,
    number: &str,
    registration: CarrierRegistration,
) -> SendingSettings {
    match sends_from {
        Some(current) if current == number => SendingSettings { registration, ..stored },
        Some(_) if stored.local_registration.is_some() => {
            SendingSettings { local_registration: Some(registration), ..stored }
        }
        _ => stored,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCAL: &str = "+15125550731";

    #[test]
    fn approval_of_local_number_waits_behind_a_toll_free_one() {
        let page = SendingSettings { registration: CarrierRegistration::Pending, ..SendingSettings::default() };
        let approved =
            |stored, sends_from| settings_for_local(stored, sends_from, LOCAL, CarrierRegistration::Approved);
        assert_eq!(approved(page, Some(LOCAL)).registration, CarrierRegistration::Approved);
        let toll_free = SendingSettings { local_registration: Some(CarrierRegistration::Pending), ..page };
        let behind = approved(toll_free, Some("+18335550731"));
        assert_eq!(behind.registration, CarrierRegistration::Pending, "of the toll-free number");
        assert_eq!(behind.local_registration, Some(CarrierRegistration::Approved));
        assert_eq!(approved(page, Some("+15125550799")), page, "another local number");
        assert_eq!(approved(page, None), page);
    }
}
