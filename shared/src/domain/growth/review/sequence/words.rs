//! Wording of a review request, the same for every customer.

use super::{RULE, StepOutcome};
use crate::{
    documents::template::{self, Language, WordingValues},
    domain::{
        growth::review::request_lifecycle::ReviewRequest,
        messaging::{
            followup::{self, FollowUpRecipient},
            message::{self, MessageChannel},
        },
        tenancy::org::OrgContext,
        work::crew,
    },
    platform::{
        access_link,
        db::{AsConn, q},
        error::Result,
        id::{CrewId, LinkId},
    },
};

pub(super) async fn compose_request(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    ask: &ReviewRequest,
    (partner, way): (&FollowUpRecipient, MessageChannel),
    (wording, key): (template::TemplateKindName, &str),
) -> Result<StepOutcome> {
    let org = &intake.profile.org;
    let link = access_link::find_active(&mut *conn, org.id, access_link::LinkKind::Review, ask.id.0).await?;
    // A preview has no link yet.
    let address = link.map_or_else(|| intake.public_url.join("/r/…"), |id| link_url(intake, id));
    let crew = match ask.job_id {
        Some(job) => {
            let sql = "SELECT crew_id FROM job WHERE org_id = $1 AND id = $2";
            let crew = q!(&mut *conn, fetch_optional scalar Option<CrewId>, sql, org.id, job)?.flatten();
            crew::find_crew_name(conn, org.id, crew).await?
        }
        None => None,
    };
    let variables =
        WordingValues { review_link: Some(address.clone()), crew_name: crew, ..partner.template_variables(intake) };
    let mut to = partner.clone();
    if way == MessageChannel::Email {
        to.no_text = Some("it goes by email");
    }
    let words = followup::FollowUpWording {
        rule: RULE,
        why: "the work is done, and everyone is asked",
        wording,
        kind: message::MessageKind::ReviewRequest,
        subject: &subject_line(&org.name, partner.language),
        key,
    };
    let mut decision = followup::compose_message(intake, &to, words, &variables)?;
    let page = decision.message.as_mut().and_then(|draft| draft.page.as_mut());
    if let Some(page) = page {
        page.leave = Some((unsubscribe_label(partner.language).to_owned(), format!("{address}/stop")));
    }
    Ok(StepOutcome::Send(Box::new(decision)))
}

fn link_url(intake: &OrgContext<'_>, id: LinkId) -> String {
    intake.public_url.join(&access_link::build_path(intake.secret, id, access_link::LinkKind::Review))
}

fn subject_line(business: &str, language: Language) -> String {
    match language {
        Language::En => format!("Would you review {business}?"),
        Language::Es => format!("¿Nos deja una reseña? {business}"),
    }
}

fn unsubscribe_label(language: Language) -> &'static str {
    match language {
        Language::En => "No more such emails",
        Language::Es => "No quiero más correos como este",
    }
}
