//! An alert on its way to the devices: which ones it has not reached yet, and how each try ended.

use chrono::Duration;

use super::{Alert, find};
use crate::{
    domain::tenancy::push_device::{self, Device},
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::Result,
        id::{AlertId, OrgId},
    },
    providers::{Accepted, SendError, push::Notice},
};

/// A device that is not reached within this time has nothing of the alert any more: it is in the app, and what is
/// urgent has gone out by text.
const WORTH_SHOWING: Duration = Duration::hours(1);

/// What is left to do for one alert.
#[derive(Debug)]
pub struct Delivery {
    pub alert: Alert,
    /// The devices that have not shown it yet.
    pub devices: Vec<Device>,
    path: String,
    tag: String,
}

impl Delivery {
    /// What one device shows.
    #[must_use]
    pub fn notice(&self, device: &Device) -> Notice<'_> {
        Notice {
            title: &self.alert.title,
            body: &self.alert.body,
            url: &self.path,
            tag: &self.tag,
            lead_id: self.alert.lead_id.map(|lead| lead.0),
            urgent: self.alert.is_urgent,
            device_id: device.id.0,
            test: false,
        }
    }
}

/// The alert and the devices it has not reached. No devices when somebody has seen it, and when it is old.
pub async fn pending(conn: &mut dyn AsConn, origin: &Origin, org: OrgId, id: AlertId) -> Result<Option<Delivery>> {
    let Some(alert) = find(&mut *conn, org, id).await? else { return Ok(None) };
    let is_over = alert.seen_at.is_some() || origin.now() - alert.created_at > WORTH_SHOWING;
    let devices = if is_over { Vec::new() } else { push_device::not_reached(conn, alert.org_id, alert.id).await? };
    Ok(Some(Delivery { path: alert.path(), tag: alert.tag(), alert, devices }))
}

/// Notes how one try ended. True when it is to be tried again.
pub async fn record(
    tx: &mut Tx,
    origin: &Origin,
    alert: &Alert,
    device: &Device,
    outcome: &std::result::Result<Accepted, SendError>,
) -> Result<bool> {
    if outcome.is_ok() {
        // A device that was removed meanwhile has no row to name.
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
    push_device::record(tx, origin, device, outcome).await
}
