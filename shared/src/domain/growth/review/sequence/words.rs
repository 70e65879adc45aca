//! The words of a request, the same whoever gets it.

use super::{Outcome, RULE};
use crate::{
    documents::template::{self, Language, Variables},
    domain::{
        growth::review::ask::Ask,
        intake::lead::Intake,
        messaging::{
            followup::compose::{self, Partner},
            message::{self, Channel},
        },
        work::crew,
    },
    platform::{
        access_link,
        db::{AsConn, q},
        error::Result,
        id::{CrewId, LinkId},
    },
};

/// The request in the words of the business, the same whoever gets it.
pub(super) async fn worded(
    conn: &mut dyn AsConn,
    intake: &Intake<'_>,
    ask: &Ask,
    (partner, way): (&Partner, Channel),
    (wording, key): (template::Kind, &str),
) -> Result<Outcome> {
    let org = &intake.profile.org;
    let link = access_link::in_force(&mut *conn, org.id, access_link::Kind::Review, ask.id.0).await?;
    // One that is only looked at has none yet.
    let address = link.map_or_else(|| intake.public_url.join("/r/…"), |id| address(intake, id));
    let crew = match ask.job_id {
        Some(job) => {
            let sql = "SELECT crew_id FROM job WHERE org_id = $1 AND id = $2";
            let crew = q!(&mut *conn, fetch_optional scalar Option<CrewId>, sql, org.id, job)?.flatten();
            crew::name(conn, org.id, crew).await?
        }
        None => None,
    };
    let variables = Variables { review_link: Some(address.clone()), crew_name: crew, ..partner.variables(intake) };
    let mut to = partner.clone();
    if way == Channel::Email {
        to.no_text = Some("it goes by email");
    }
    let words = compose::Words {
        rule: RULE,
        why: "the work is done, and everybody is asked",
        wording,
        kind: message::Kind::ReviewRequest,
        subject: &subject(&org.name, partner.language),
        key,
    };
    let mut decision = compose::to(intake, &to, words, &variables)?;
    let page = decision.message.as_mut().and_then(|draft| draft.page.as_mut());
    if let Some(page) = page {
        page.leave = Some((leave(partner.language).to_owned(), format!("{address}/stop")));
    }
    Ok(Outcome::Say(Box::new(decision)))
}

fn address(intake: &Intake<'_>, id: LinkId) -> String {
    intake.public_url.join(&access_link::path(intake.secret, id, access_link::Kind::Review))
}

fn subject(business: &str, language: Language) -> String {
    match language {
        Language::En => format!("Would you review {business}?"),
        Language::Es => format!("¿Nos deja una reseña? {business}"),
    }
}

fn leave(language: Language) -> &'static str {
    match language {
        Language::En => "No more such emails",
        Language::Es => "No quiero más correos como este",
    }
}
