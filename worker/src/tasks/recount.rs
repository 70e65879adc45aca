//! Counts the figures of a business anew, piece by piece, and mends what differs.

use chrono::Duration;
use shared::{
    domain::growth::metrics::recount::{self, Recount},
    platform::{
        error::Result,
        id::OrgId,
        tasks::{self, Kind, NewTask},
    },
};

use crate::Context;

/// After this long another task goes on where this one stopped: none holds a slot for longer than two minutes.
const AT_ONCE: Duration = Duration::seconds(60);

/// Runs until everything was looked at, or for about a minute. Running it twice is harmless: of two that end only one
/// counts.
pub async fn run(context: &Context, org: OrgId) -> Result<()> {
    run_for(context, org, AT_ONCE).await
}

/// The same with another time.
pub async fn run_for(context: &Context, org: OrgId, at_once: Duration) -> Result<()> {
    let Some(mut recount) = recount::open(&mut context.db.read().await?, org).await? else { return Ok(()) };
    let until = context.origin.now() + at_once;
    while let Some(suspects) = recount.look(&mut context.db.read().await?).await? {
        if !suspects.is_empty() {
            let mut tx = context.db.begin().await?;
            recount.mend(&mut tx, suspects).await?;
            tx.commit().await?;
        }
        if context.origin.now() >= until {
            return go_on_later(context, org, &recount).await;
        }
    }
    let off = recount::compare(&mut context.db.snapshot().await?, org).await?;
    let mut tx = context.db.begin().await?;
    recount.finish(&mut tx, &context.origin, off).await?;
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}

async fn go_on_later(context: &Context, org: OrgId, recount: &Recount) -> Result<()> {
    let mut tx = context.db.begin().await?;
    recount.save(&mut tx).await?;
    let task = NewTask {
        org: Some(org),
        kind: Kind::Recount,
        subject: Some(org.0),
        run_at: context.origin.now(),
        unique_key: format!("recount:{org}:{}", context.origin.uuid()),
    };
    tasks::enqueue(&mut tx, &context.origin, vec![task]).await?;
    tx.commit().await
}
