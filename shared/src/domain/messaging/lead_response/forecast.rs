//! What the reply to a request promises. It does not depend on the sender, so it is looked up before the transaction.

use chrono::{DateTime, Utc};

use crate::{
    documents::template,
    domain::{
        intake::lead::{LeadFormKind, NewLead},
        messaging::{
            alert::alert_channels,
            message::{
                outlook::{self, OutlookState, SendOutlook},
                send_readiness::SendReadiness,
            },
        },
        tenancy::{org::OrgContext, trust_level},
    },
    platform::{db::AsConn, error::Result, recipient::Recipient},
};

#[derive(Clone, Copy, Debug, Default)]
pub struct ResponseForecast {
    /// The earliest time at which the business could be notified; none when no channel is on.
    pub(super) told_from: Option<DateTime<Utc>>,
    /// Whether a quote request is confirmed by email; none for other requests.
    pub(super) is_confirmed: Option<bool>,
    /// Whether the business's pages say that its email address is not confirmed: they take few requests a day.
    pub is_unproven: bool,
}

/// What a forecast needs of the business alone: read once for all forms that ask for it at one moment.
#[derive(Clone, Copy, Debug)]
pub struct ReplyConditions {
    told_from: Option<DateTime<Utc>>,
    readiness: SendReadiness,
}

impl ReplyConditions {
    pub async fn load_for_org(conn: &mut dyn AsConn, intake: &OrgContext<'_>) -> Result<Self> {
        let (origin, profile, set_up) = (intake.origin, intake.profile, intake.set_up);
        let readiness = SendReadiness::load_for_org(&mut *conn, profile.org.id, origin.now()).await?;
        let told_from = alert_channels::reachable_from_with(conn, origin, profile, set_up, &readiness).await?;
        Ok(Self { told_from, readiness })
    }

    /// None where the forecast of this request needs more of the database ([`Self::forecast_with_budget`]).
    #[must_use]
    pub fn forecast_at_once(&self, intake: &OrgContext<'_>, new: &NewLead) -> Option<ResponseForecast> {
        let is_confirmed = match find_confirmation_recipient(intake, new) {
            Some(to) => leaves(&outlook::planned_outlook_of_trusted(intake, &self.readiness, &to)?),
            None => false,
        };
        Some(self.build_forecast(intake, new, is_confirmed))
    }

    /// With what the business may still send to that address.
    pub async fn forecast_with_budget(
        &self,
        conn: &mut dyn AsConn,
        intake: &OrgContext<'_>,
        new: &NewLead,
    ) -> Result<ResponseForecast> {
        let is_confirmed = match find_confirmation_recipient(intake, new) {
            Some(to) => {
                let now = intake.origin.now();
                leaves(&outlook::planned_outlook_at(conn, intake, &self.readiness, &to, now).await?)
            }
            None => false,
        };
        Ok(self.build_forecast(intake, new, is_confirmed))
    }

    fn build_forecast(&self, intake: &OrgContext<'_>, new: &NewLead, is_confirmed: bool) -> ResponseForecast {
        ResponseForecast {
            told_from: self.told_from,
            is_confirmed: (new.form == LeadFormKind::Quote).then_some(is_confirmed),
            is_unproven: trust_level::is_marked_unproven(intake.profile.org.id, self.readiness.level),
        }
    }
}

pub(super) async fn forecast_response(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    new: &NewLead,
) -> Result<ResponseForecast> {
    let conditions = ReplyConditions::load_for_org(&mut *conn, intake).await?;
    conditions.forecast_with_budget(conn, intake, new).await
}

/// The address to which a quote request is confirmed, where the business confirms requests. Must not depend on earlier
/// requests or a hold, which the answer would reveal.
fn find_confirmation_recipient(intake: &OrgContext<'_>, new: &NewLead) -> Option<Recipient> {
    let to = new.email.clone().filter(|_| new.form == LeadFormKind::Quote)?;
    let (profile, language) = (intake.profile, new.detect_language().unwrap_or_default());
    let is_on = profile.switches.automated_communications
        && profile.wording(template::TemplateKindName::Email, language).enabled;
    is_on.then(|| to.into())
}

fn leaves(outlook: &SendOutlook) -> bool {
    outlook.state == OutlookState::Leaves
}
