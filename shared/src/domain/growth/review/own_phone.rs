//! Review request from one's own phone, where only the set-up of texting keeps it from leaving.

use super::sequence::RULE;
use crate::{
    documents::template::{self, WordingValues},
    domain::{
        intake::lead::has_marketing_consent,
        messaging::{
            followup,
            message::{self, MessageKind, OwnPhoneText},
        },
        tenancy::org::OrgContext,
    },
    platform::{db::AsConn, error::Result, id::LeadId},
};

/// The request with the business's own review link: the page of a request has an address only once it is sent. None
/// without such a link, and without consent to such texts.
pub(super) async fn find_own_phone_text(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    lead: LeadId,
) -> Result<Option<OwnPhoneText>> {
    let org = &intake.profile.org;
    let partner = followup::load_recipient(&mut *conn, intake, lead).await?.for_own_phone(intake);
    let (Some(partner), Some(link)) = (partner, &org.review_link) else { return Ok(None) };
    let Some(phone) = &partner.phone else { return Ok(None) };
    if !has_marketing_consent(&mut *conn, org.id, partner.customer, phone).await? {
        return Ok(None);
    }
    let variables = WordingValues { review_link: Some(link.clone()), ..partner.template_variables(intake) };
    let words = followup::FollowUpWording {
        rule: RULE,
        why: "someone at the business asks from their own phone",
        wording: template::TemplateKindName::ReviewRequest,
        kind: MessageKind::ReviewRequest,
        subject: "",
        key: "preview",
    };
    match followup::compose_message(intake, &partner, words, &variables)?.message {
        Some(draft) => message::load_own_phone_text(conn, org.id, (partner.customer, lead), &draft).await,
        None => Ok(None),
    }
}
