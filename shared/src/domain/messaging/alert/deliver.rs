//! Push delivery of an alert: devices not reached yet, and the outcome of each attempt.

use chrono::Duration;

use super::{StoredAlert, find_alert};
use crate::{
    domain::tenancy::push_device::{self, PushDeviceTarget},
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::{AlertId, OrgId},
    },
    providers::{AcceptedMessage, SendError, push::PushNotification},
};

/// After this time an alert is no longer pushed: it is in the app, and an urgent one was sent by text.
const WORTH_SHOWING: Duration = Duration::hours(1);

#[derive(Debug)]
pub struct AlertPushDelivery {
    pub alert: StoredAlert,
    pub devices: Vec<PushDeviceTarget>,
    path: String,
    tag: String,
}

impl AlertPushDelivery {
    #[must_use]
    pub fn build_push_notice(&self, device: &PushDeviceTarget) -> PushNotification<'_> {
        PushNotification {
            title: &self.alert.title,
            body: &self.alert.body,
            url: &self.path,
            tag: &self.tag,
            lead_id: self.alert.shown_lead().map(|lead| lead.0),
            urgent: self.alert.is_urgent,
            device_id: device.id.0,
            test: false,
        }
    }
}

/// Devices are empty when the alert was seen or is too old.
pub async fn load_pending_delivery(
    conn: &mut dyn AsConn,
    origin: &ClockRng,
    org: OrgId,
    id: AlertId,
) -> Result<Option<AlertPushDelivery>> {
    let Some(alert) = find_alert(&mut *conn, org, id).await? else { return Ok(None) };
    let is_over = alert.seen_at.is_some() || origin.now() - alert.created_at > WORTH_SHOWING;
    let devices =
        if is_over { Vec::new() } else { push_device::list_undelivered_devices(conn, alert.org_id, alert.id).await? };
    Ok(Some(AlertPushDelivery { path: alert.link_path(), tag: alert.push_tag(), alert, devices }))
}

/// Records the outcome of one attempt. True when a retry is needed.
pub async fn record_push_result(
    tx: &mut Tx,
    origin: &ClockRng,
    alert: &StoredAlert,
    device: &PushDeviceTarget,
    outcome: &std::result::Result<AcceptedMessage, SendError>,
) -> Result<bool> {
    if outcome.is_ok() {
        // A device that was removed meanwhile has no row to reference.
        q!(
            &mut *tx,
            execute,
            "INSERT INTO alert_push (org_id, alert_id, device_id, sent_at)
             SELECT d.org_id, $2, d.id, $4 FROM push_device d WHERE d.org_id = $1 AND d.id = $3
             ON CONFLICT (org_id, alert_id, device_id) DO NOTHING",
            alert.org_id,
            alert.id,
            device.id,
            origin.now()
        )?;
    }
    push_device::record_delivery_result(tx, origin, device, outcome).await
}
