//! An account in use that the platform in force does not reach. Nothing is disconnected: the key may be mended.

use chrono::{DateTime, Datelike, Duration, Utc};

use super::{ConnectedAccount, account_status::build_account_alert, build_check_task, find_current};
use crate::{
    domain::{messaging::alert, tenancy::org::OrgContext},
    platform::{
        db::{AsConn, Tx, q},
        error::Result,
        id::OrgId,
        tasks::{self, NewTask},
    },
};

/// Interval between looks while it lasts.
const RECHECK_INTERVAL: Duration = Duration::hours(1);

/// Stores since when, and alerts once a week while it lasts. The next look ends it.
pub(super) async fn record_unreachable(tx: &mut Tx, ctx: &OrgContext<'_>, found: &ConnectedAccount) -> Result<()> {
    let (origin, org) = (ctx.origin, found.org_id);
    let sql =
        "UPDATE connected_account SET unreachable_at = COALESCE(unreachable_at, $3) WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, found.id, origin.now())?;
    let hour = origin.now().timestamp() / RECHECK_INTERVAL.num_seconds();
    let again = build_check_task(origin, org, &format!("unreachable:{hour}"));
    let again = NewTask { run_at: origin.now() + RECHECK_INTERVAL, ..again };
    tasks::enqueue(&mut *tx, origin, vec![again]).await?;
    raise_no_access(tx, ctx, found).await
}

/// Since when the account in use is out of reach; none while it is not.
pub async fn unreachable_since(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<DateTime<Utc>>> {
    Ok(find_current(conn, org).await?.and_then(|found| found.unreachable_at))
}

/// Stripe lets this install read nothing of the account in use.
pub async fn alert_no_access(tx: &mut Tx, ctx: &OrgContext<'_>) -> Result<()> {
    match find_current(&mut *tx, ctx.profile.org.id).await? {
        Some(found) => raise_no_access(tx, ctx, &found).await,
        None => Ok(()),
    }
}

async fn raise_no_access(tx: &mut Tx, ctx: &OrgContext<'_>, found: &ConnectedAccount) -> Result<()> {
    let words = (
        "Toolbox cannot reach your Stripe account",
        "Card payments and refunds do not work, and your books are not compared with Stripe. If you ended the connection in \
         Stripe, press Disconnect in Settings, Card payments, and connect again. If not, ask the person who runs your Toolbox.",
    );
    let alert = build_account_alert(weekly_key(ctx, found), words);
    alert::raise_alert(tx, ctx.origin, ctx.profile, alert).await.map(|_| ())
}

pub(super) async fn end_no_access(tx: &mut Tx, ctx: &OrgContext<'_>, found: &ConnectedAccount) -> Result<()> {
    let words = ("Toolbox reaches your Stripe account again", "There is nothing to do.");
    alert::end_alert(tx, ctx.origin, found.org_id, &weekly_key(ctx, found), words).await
}

fn weekly_key(ctx: &OrgContext<'_>, found: &ConnectedAccount) -> String {
    let week = ctx.origin.now().iso_week();
    format!("connected:{}:no-access:{}-{}", found.id, week.year(), week.week())
}
