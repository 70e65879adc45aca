//! Shows an alert on the devices of the business, and notifies the recipients when that is due.

use futures::{StreamExt, stream::FuturesUnordered};
use shared::{
    domain::{
        messaging::alert::{
            deliver::{self, AlertPushDelivery},
            notify,
        },
        tenancy::push_device::{self, PushDeviceTarget},
    },
    platform::{
        error::{Error, Result},
        id::{AlertId, DeviceId, OrgId},
    },
    providers::{AcceptedMessage, SendError, push::PushNotification},
};

use crate::Context;

/// Idempotent. The queue retries for devices that could not be reached.
pub async fn run(context: &Context, org: Option<OrgId>, id: AlertId) -> Result<()> {
    let Some(org) = org else { return Ok(()) };
    let mut conn = context.db.acquire_reader().await?;
    let found = deliver::load_pending_delivery(&mut conn, &context.origin, org, id).await?;
    drop(conn);
    let Some(delivery) = found else { return Ok(()) };
    if delivery.alert.notified_at.is_none() && delivery.alert.due_at <= context.origin.now() {
        let mut tx = context.db.begin().await?;
        notify::notify_due_alerts(&mut tx, &context.origin, &context.public_url, delivery.alert.org_id).await?;
        tx.commit().await?;
    }
    // Concurrent: a push service that hangs must not delay the other devices.
    let tries = FuturesUnordered::new();
    for device in &delivery.devices {
        tries.push(push_to_device(context, &delivery, device));
    }
    let outcomes: Vec<_> = tries.collect().await;
    let mut missing = 0;
    let mut tx = context.db.begin().await?;
    for (device, outcome) in &outcomes {
        missing +=
            usize::from(deliver::record_push_result(&mut tx, &context.origin, &delivery.alert, device, outcome).await?);
    }
    tx.commit().await?;
    context.announcer.notify_changed();
    if missing > 0 { Err(Error::Unavailable(format!("{missing} devices could not be reached"))) } else { Ok(()) }
}

async fn push_to_device<'a>(
    context: &Context,
    delivery: &AlertPushDelivery,
    device: &'a PushDeviceTarget,
) -> (&'a PushDeviceTarget, Result<AcceptedMessage, SendError>) {
    (device, context.push.send(&device.subscription(), &delivery.build_push_notice(device)).await)
}

/// Shows a test on one device. One try only: the requester is watching the device.
pub async fn send_test_push(context: &Context, id: DeviceId) -> Result<()> {
    let mut conn = context.db.acquire_reader().await?;
    let found = push_device::find_active_device(&mut conn, id).await?;
    drop(conn);
    let Some(device) = found else { return Ok(()) };
    let tag = format!("test:{id}");
    let notice = PushNotification {
        title: "Alerts work on this device",
        body: "This is the test you asked for.",
        url: "/app/settings",
        tag: &tag,
        lead_id: None,
        urgent: false,
        device_id: id.0,
        test: true,
    };
    let outcome = context.push.send(&device.subscription(), &notice).await;
    let mut tx = context.db.begin().await?;
    push_device::record_delivery_result(&mut tx, &context.origin, &device, &outcome).await?;
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}
