//! Registration kit: use case, samples and links of evidence, built from the business.

use serde::Serialize;
use utoipa::ToSchema;

use crate::{domain::tenancy::org::Org, platform::public_url::PublicUrl};

/// What the carriers are shown about a business's texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistrationKit {
    /// What the texts are for.
    pub summary: String,
    pub samples: Vec<String>,
    /// The form on which customers agree to texts.
    pub opt_in_url: String,
    /// The first text after that.
    pub opt_in_reply: String,
    /// The answer to HELP.
    pub help_reply: String,
    pub privacy_url: String,
    /// The messaging terms.
    pub terms_url: String,
}

impl RegistrationKit {
    #[must_use]
    pub fn from_org(org: &Org, url: &PublicUrl) -> Self {
        let (name, slug) = (&org.name, &org.slug);
        let phone = org.phone.as_deref().map_or_else(String::new, |phone| format!(" Call us at {phone}."));
        Self {
            summary: format!(
                "{name} is a local service business. Customers who ask for service on our web form, by phone or by \
                 text get an answer, their estimate, appointment confirmations and reminders, and their invoice by \
                 text. We text no one who has not contacted us first, and send to no marketing lists."
            ),
            samples: vec![
                format!("{name}: Thanks for your request. We will call you within 1 hour. Reply STOP to opt out."),
                format!("{name}: We will be at your place tomorrow between 9 and 11 AM. Reply C to confirm."),
                format!("{name}: Your estimate is ready: {}", url.join("/p/example")),
            ],
            opt_in_url: url.join(&format!("/lead?org={slug}")),
            opt_in_reply: format!(
                "{name}: You get texts about your request. Msg frequency varies. Msg & data rates may apply. Reply \
                 HELP for help, STOP to opt out."
            ),
            help_reply: format!("{name}:{phone} Reply STOP to get no more texts. Msg & data rates may apply."),
            privacy_url: url.join(&format!("/privacy?org={slug}")),
            terms_url: url.join(&format!("/sms-terms?org={slug}")),
        }
    }
}
