//! Rules of follow-ups. The domain of each subject registers its rule.

use futures::future::BoxFuture;

use super::{DueFollowUp, FollowUpDecision, FollowUpSubject};
use crate::{
    domain::tenancy::org::OrgContext,
    platform::{
        db::{AsConn, Handler, Tx},
        error::{Error, Result},
    },
};

/// Found by [`AsConn::handlers`].
pub struct FollowUpRules(pub &'static [&'static dyn FollowUpRule]);

impl Handler for FollowUpRules {}

impl FollowUpRules {
    /// # Errors
    /// [`Error::Internal`] for a subject without a rule.
    pub(super) fn find_rule(conn: &dyn AsConn, about: FollowUpSubject) -> Result<&'static dyn FollowUpRule> {
        let rules = conn.handlers().find_handler::<Self>()?;
        let found = rules.0.iter().copied().find(|rule| rule.subjects().contains(&about));
        found.ok_or_else(|| Error::Internal(format!("follow-ups about {about:?} have no rule")))
    }
}

pub trait FollowUpRule: Sync {
    fn subjects(&self) -> &'static [FollowUpSubject];

    /// Name of the event that the decisions of the step are stored under.
    fn event_name(&self, due: &DueFollowUp) -> &'static str;

    /// What the step would do now.
    fn decide_step<'a>(
        &'a self,
        conn: &'a mut dyn AsConn,
        intake: &'a OrgContext<'a>,
        due: &'a DueFollowUp,
    ) -> BoxFuture<'a, Result<FollowUpDecision>>;

    /// Runs the claimed step: `run::run_decided_step`, if nothing else is due with it.
    fn run_step<'a>(
        &'a self,
        tx: &'a mut Tx,
        intake: &'a OrgContext<'a>,
        due: &'a DueFollowUp,
    ) -> BoxFuture<'a, Result<()>>;
}
