//! Shows an alert on the devices of the business, and tells the list of recipients when that is due.

use futures::{StreamExt, stream::FuturesUnordered};
use shared::{
    domain::{
        messaging::alert::{
            deliver::{self, Delivery},
            notify,
        },
        tenancy::push_device::{self, Device},
    },
    platform::{
        error::{Error, Result},
        id::{AlertId, DeviceId, OrgId},
    },
    providers::{Accepted, SendError, push::Notice},
};

use crate::Context;

/// Runs once; harmless when every device has shown it. Devices that could not be reached are tried again by the queue.
pub async fn run(context: &Context, org: Option<OrgId>, id: AlertId) -> Result<()> {
    let Some(org) = org else { return Ok(()) };
    let mut conn = context.db.read().await?;
    let found = deliver::pending(&mut conn, &context.origin, org, id).await?;
    drop(conn);
    let Some(delivery) = found else { return Ok(()) };
    if delivery.alert.told_at.is_none() && delivery.alert.due_at <= context.origin.now() {
        let mut tx = context.db.begin().await?;
        notify::tell(&mut tx, &context.origin, &context.public_url, delivery.alert.org_id).await?;
        tx.commit().await?;
    }
    // A push service that hangs must not hold up the other devices.
    let tries = FuturesUnordered::new();
    for device in &delivery.devices {
        tries.push(show(context, &delivery, device));
    }
    let outcomes: Vec<_> = tries.collect().await;
    let mut missing = 0;
    let mut tx = context.db.begin().await?;
    for (device, outcome) in &outcomes {
        missing += usize::from(deliver::record(&mut tx, &context.origin, &delivery.alert, device, outcome).await?);
    }
    tx.commit().await?;
    context.announcer.changed();
    if missing > 0 { Err(Error::Unavailable(format!("{missing} devices could not be reached"))) } else { Ok(()) }
}

async fn show<'a>(
    context: &Context,
    delivery: &Delivery,
    device: &'a Device,
) -> (&'a Device, Result<Accepted, SendError>) {
    (device, context.push.send(&device.subscription(), &delivery.notice(device)).await)
}

/// Shows a test on one device. It is tried once: whoever asked is looking at the device.
pub async fn test(context: &Context, id: DeviceId) -> Result<()> {
    let mut conn = context.db.read().await?;
    let found = push_device::alive(&mut conn, id).await?;
    drop(conn);
    let Some(device) = found else { return Ok(()) };
    let tag = format!("test:{id}");
    let notice = Notice {
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
    push_device::record(&mut tx, &context.origin, &device, &outcome).await?;
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}
