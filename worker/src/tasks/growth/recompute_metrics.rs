//! Recomputes the figures of a business piece by piece, and corrects differences.

use chrono::Duration;
use shared::{
    domain::growth::metrics::recompute::{self, RecomputeRun},
    platform::{
        error::Result,
        id::OrgId,
        tasks::{self, NewTask, TaskKind},
    },
};

use crate::Context;

/// After this a further task continues: a task may hold a slot for two minutes.
const AT_ONCE: Duration = Duration::seconds(60);

/// Runs until all is counted, or for about a minute. Concurrent runs are harmless: of two that finish, one counts.
pub async fn run(context: &Context, org: OrgId) -> Result<()> {
    run_within(context, org, AT_ONCE).await
}

pub async fn run_within(context: &Context, org: OrgId, at_once: Duration) -> Result<()> {
    let Some(mut recompute) = recompute::load_recompute(&mut context.db.acquire_reader().await?, org).await? else {
        return Ok(());
    };
    let until = context.origin.now() + at_once;
    while let Some(suspects) = recompute.check_next_batch(&mut context.db.acquire_reader().await?).await? {
        if !suspects.is_empty() {
            let mut tx = context.db.begin().await?;
            recompute.repair_records(&mut tx, suspects).await?;
            tx.commit().await?;
        }
        if context.origin.now() >= until {
            return continue_later(context, org, &recompute).await;
        }
    }
    let off = recompute::compare_with_facts(&mut context.db.begin_snapshot().await?, org).await?;
    let mut tx = context.db.begin().await?;
    recompute.finish(&mut tx, &context.origin, off).await?;
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}

async fn continue_later(context: &Context, org: OrgId, recompute: &RecomputeRun) -> Result<()> {
    let mut tx = context.db.begin().await?;
    recompute.save_progress(&mut tx).await?;
    let task = NewTask {
        org: Some(org),
        kind: TaskKind::Recount,
        subject: Some(org.0),
        run_at: context.origin.now(),
        unique_key: format!("recount:{org}:{}", context.origin.uuid_v7()),
    };
    tasks::enqueue(&mut tx, &context.origin, vec![task]).await?;
    tx.commit().await
}
