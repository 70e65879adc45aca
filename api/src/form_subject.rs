//! What a visitor's form needs of its business. The forms that ask for it at one moment share one look, which began
//! after each of them asked: nothing is kept, and a change holds for every form sent after it.

use std::{sync::Arc, time::Duration};

use shared::{
    domain::{
        messaging::lead_response::ReplyConditions,
        tenancy::org::{self, OrgProfile},
    },
    platform::{db::AsConn, spans::record_org},
};
use tokio::time::Instant;

use crate::{error::ApiResult, maintenance_mode, routes::intake::public_form::find_requested_org, state::AppState};

/// Less than a move to another database waits before it copies.
const KNOWN_UNMOVED: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub struct FormSubject {
    /// When the look began.
    pub as_of: Instant,
    pub profile: OrgProfile,
    pub conditions: ReplyConditions,
}

impl FormSubject {
    /// For a form that waited since the look: stored in a database that was left by then, it would be lost.
    pub async fn reject_if_moved_since(&self, conn: &mut dyn AsConn) -> ApiResult<()> {
        if self.as_of.elapsed() < KNOWN_UNMOVED { Ok(()) } else { maintenance_mode::reject_if_moved(conn).await }
    }
}

/// The business by its slug or id; the install's own where none is named. Errors: as for
/// [`find_requested_org`], and 503 in a database that was left for another.
pub async fn load_form_subject(state: &AppState, asked: Option<&str>) -> ApiResult<Arc<FormSubject>> {
    let name = asked.unwrap_or_default().trim().to_lowercase();
    let found = state.form_subjects.run_named(&name, async || read_subject(state, asked).await.map(Arc::new)).await?;
    // The look may have been that of another request.
    record_org(found.profile.org.id);
    Ok(found)
}

async fn read_subject(state: &AppState, asked: Option<&str>) -> ApiResult<FormSubject> {
    let as_of = Instant::now();
    let mut conn = state.db()?.acquire_point_reader().await?;
    maintenance_mode::reject_if_moved(&mut conn).await?;
    let org = find_requested_org(&mut conn, state, asked).await?;
    let profile = org::load_profile(&mut conn, org).await?;
    let conditions = ReplyConditions::load_for_org(&mut conn, &state.org_context(&profile)).await?;
    Ok(FormSubject { as_of, profile, conditions })
}
